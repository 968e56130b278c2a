"""What is ordered together, in which setting, and how each test behaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from assets.synthetic.draws import Bools, Floats, GroupedChoice, Ints
from assets.synthetic.word_lists import ANALYTE, rows

SETTINGS = ("arrival", "ward morning", "ward extra", "ICU morning", "ICU extra", "clinic", "emergency visit")
ARRIVAL, WARD_MORNING, WARD_EXTRA, ICU_MORNING, ICU_EXTRA, CLINIC, EMERGENCY_VISIT = range(len(SETTINGS))

# Tubes: what is drawn into one tube shares a specimen_id.
CHEMISTRY, LAVENDER, BLUE, GAS, URINE, URINE_CHEMISTRY, OTHER, SECOND = range(8)
TUBES = 8


@dataclass(frozen=True)
class Panel:
    """Tests that are ordered together."""

    name: str
    items: tuple[int, ...]
    tube: int
    share: tuple[float, ...]
    """Probability in each of SETTINGS."""


PANELS: tuple[Panel, ...] = (
    Panel("blood count", (51221, 51222, 51248, 51249, 51250, 51265, 51277, 51279, 51301), LAVENDER,
          (0.93, 0.84, 0.35, 0.95, 0.45, 0.62, 0.9)),
    Panel("differential", (51146, 51200, 51244, 51254, 51256), LAVENDER, (0.6, 0.1, 0.02, 0.14, 0.02, 0.36, 0.65)),
    Panel("absolute counts", (52075, 51133, 52073, 52069, 52074), LAVENDER, (0.28, 0.05, 0.01, 0.06, 0.01, 0.2, 0.3)),
    Panel("bands", (51144, 51143, 51251, 51255), LAVENDER, (0.05, 0.015, 0.005, 0.04, 0.005, 0.012, 0.03)),
    Panel("metabolic panel", (50868, 50882, 50902, 50912, 50931, 50971, 50983, 51006), CHEMISTRY,
          (0.93, 0.86, 0.42, 0.97, 0.52, 0.58, 0.88)),
    Panel("calcium, magnesium, phosphate", (50893, 50960, 50970), CHEMISTRY,
          (0.45, 0.78, 0.3, 0.93, 0.42, 0.18, 0.25)),
    Panel("hemolysis indices", (50934, 50947, 51678), CHEMISTRY, (0.4, 0.3, 0.15, 0.35, 0.2, 0.15, 0.35)),
    Panel("liver panel", (50861, 50863, 50878, 50885), CHEMISTRY, (0.5, 0.2, 0.03, 0.36, 0.05, 0.42, 0.45)),
    Panel("albumin", (50862,), CHEMISTRY, (0.25, 0.08, 0.01, 0.12, 0.01, 0.28, 0.2)),
    Panel("bilirubin fractions", (50883, 50884), CHEMISTRY, (0.02, 0.015, 0.002, 0.02, 0.0, 0.012, 0.01)),
    Panel("coagulation", (51237, 51274, 51275), BLUE, (0.55, 0.26, 0.1, 0.55, 0.2, 0.13, 0.3)),
    Panel("fibrinogen", (51214,), BLUE, (0.02, 0.02, 0.01, 0.09, 0.03, 0.003, 0.01)),
    Panel("troponin", (51003,), CHEMISTRY, (0.22, 0.015, 0.03, 0.05, 0.03, 0.002, 0.28)),
    Panel("creatine kinase", (50910, 50911), CHEMISTRY, (0.14, 0.012, 0.02, 0.05, 0.03, 0.006, 0.1)),
    Panel("natriuretic peptide", (50963,), CHEMISTRY, (0.08, 0.006, 0.003, 0.015, 0.002, 0.012, 0.05)),
    Panel("lipase", (50956,), CHEMISTRY, (0.14, 0.012, 0.004, 0.02, 0.004, 0.008, 0.16)),
    Panel("amylase", (50867,), CHEMISTRY, (0.03, 0.006, 0.002, 0.008, 0.002, 0.006, 0.02)),
    Panel("hemolysis work-up", (50954, 50935), CHEMISTRY, (0.05, 0.025, 0.003, 0.035, 0.004, 0.03, 0.02)),
    Panel("lipids", (51000, 50907, 50904, 50905), CHEMISTRY, (0.012, 0.012, 0.0, 0.02, 0.003, 0.14, 0.005)),
    Panel("hemoglobin A1c", (50852,), LAVENDER, (0.015, 0.014, 0.0, 0.025, 0.003, 0.13, 0.01)),
    Panel("thyroid", (50993,), CHEMISTRY, (0.025, 0.016, 0.0, 0.022, 0.002, 0.12, 0.02)),
    Panel("iron studies", (50924, 50952, 50953, 50998), CHEMISTRY, (0.012, 0.016, 0.0, 0.014, 0.002, 0.05, 0.004)),
    Panel("vitamins", (51010, 50925), CHEMISTRY, (0.008, 0.012, 0.0, 0.008, 0.001, 0.035, 0.004)),
    Panel("C-reactive protein", (50889,), CHEMISTRY, (0.025, 0.01, 0.001, 0.012, 0.001, 0.035, 0.02)),
    Panel("protein", (50976, 50930), CHEMISTRY, (0.012, 0.006, 0.0, 0.006, 0.0, 0.04, 0.006)),
    Panel("uric acid", (51007,), CHEMISTRY, (0.01, 0.012, 0.004, 0.008, 0.002, 0.03, 0.005)),
    Panel("osmolality", (50964,), CHEMISTRY, (0.012, 0.006, 0.004, 0.02, 0.015, 0.002, 0.008)),
    Panel("ammonia", (50866,), CHEMISTRY, (0.004, 0.002, 0.001, 0.006, 0.002, 0.001, 0.004)),
    Panel("vancomycin", (51009,), CHEMISTRY, (0.0, 0.12, 0.03, 0.2, 0.05, 0.0, 0.0)),
    Panel("blood gas", (50802, 50804, 50818, 50820, 50821, 52033), GAS, (0.1, 0.008, 0.02, 0.22, 0.2, 0.0, 0.05)),
    Panel("lactate", (50813,), GAS, (0.22, 0.01, 0.03, 0.24, 0.2, 0.0, 0.16)),
    Panel("gas electrolytes", (50822, 50824, 50806, 50809), GAS, (0.03, 0.003, 0.006, 0.06, 0.06, 0.0, 0.02)),
    Panel("ionized calcium", (50808,), GAS, (0.02, 0.004, 0.006, 0.16, 0.14, 0.0, 0.006)),
    Panel("oximetry", (50811, 50810, 50817), GAS, (0.02, 0.003, 0.005, 0.07, 0.06, 0.0, 0.008)),
    Panel("ventilator notes", (50816, 50819, 50825), GAS, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    Panel("urinalysis", (51464, 51466, 51478, 51484, 51486, 51487, 51491, 51492, 51498, 51506, 51508, 51514), URINE,
          (0.42, 0.04, 0.03, 0.05, 0.03, 0.16, 0.45)),
    Panel("urine sediment", (51463, 51476, 51493, 51516, 51519), URINE, (0.24, 0.02, 0.02, 0.03, 0.02, 0.06, 0.24)),
    Panel("urine chemistry", (51082, 51100, 51097, 51104, 51093), URINE_CHEMISTRY,
          (0.03, 0.02, 0.02, 0.035, 0.02, 0.006, 0.006)),
)  # fmt: skip
PANEL = {panel.name: i for i, panel in enumerate(PANELS)}
RARE_PER_DRAW = (1.0, 0.22, 0.3, 0.5, 0.6, 0.9, 0.8)
"""Other tests per sample in each of SETTINGS."""

# item → norm of the healthy, analyte, how much of the analyte's change it shows.
_BEHAVIOUR: dict[int, tuple[float, str, float]] = {
    50912: (0.9, "creatinine", 1), 51006: (14, "bun", 1), 50971: (4.15, "potassium", 1), 50983: (139.5, "sodium", 1),
    50902: (103, "chloride", 1), 50882: (25.5, "bicarb", 1), 50931: (101, "glucose", 1), 50893: (9.1, "calcium", 1),
    50960: (2.0, "magnesium", 1), 50970: (3.5, "phosphate", 1), 50861: (21, "alt", 1), 50878: (24, "ast", 1),
    50863: (76, "alp", 1), 50885: (0.5, "bilirubin", 1), 50883: (0.16, "bilirubin", 1.35),
    50884: (0.4, "bilirubin", 0.8), 50862: (4.1, "albumin", 1), 51222: (13.6, "hemoglobin", 1),
    51249: (33.0, "none", 0),
    51301: (7.5, "wbc", 1), 51265: (235, "platelets", 1), 51237: (1.06, "inr", 1), 51275: (29.5, "ptt", 1),
    50813: (1.2, "lactate", 1), 50818: (40, "pco2", 1), 50821: (98, "po2", 1), 51003: (0.007, "troponin", 1),
    50911: (2.6, "ckmb", 1), 50910: (90, "ck", 1), 50963: (160, "bnp", 1), 50889: (3.0, "crp", 1),
    50956: (27, "lipase", 1), 50867: (55, "amylase", 1), 50954: (190, "ldh", 1), 50993: (1.8, "tsh", 1),
    50852: (5.5, "a1c", 1), 51000: (112, "triglycerides", 1), 50907: (175, "cholesterol", 1),
    50904: (51, "triglycerides", -0.3), 50905: (98, "cholesterol", 1.3), 50924: (130, "ferritin", 1),
    50952: (75, "iron", 1), 50953: (310, "tibc", 1), 50998: (240, "tibc", 1), 51250: (90, "mcv", 1),
    51007: (5.4, "uric", 1), 51244: (24, "lymphocytes", 1), 51200: (2.0, "eosinophils", 1), 51144: (1.6, "bands", 1),
    51214: (300, "fibrinogen", 1), 50964: (288, "osmolality", 1), 51100: (60, "urine_sodium", 1),
    50930: (2.9, "globulin", 1), 50976: (6.9, "protein", 1), 50866: (36, "ammonia", 1), 50825: (37.0, "temperature", 1),
    50816: (40, "fio2", 1), 50819: (5.5, "peep", 1), 50817: (97, "saturation", 1), 50822: (4.1, "potassium", 1.05),
    50824: (138, "sodium", 1), 50806: (105, "chloride", 1), 50809: (115, "glucose", 1), 50811: (13.3, "hemoglobin", 1),
    50810: (40, "hemoglobin", 1), 50808: (1.16, "calcium", 1.1), 51277: (13.4, "mcv", -0.8), 51093: (420, "none", 0),
    51009: (16, "creatinine", 0.25), 51146: (0.4, "none", 0), 51254: (6.5, "none", 0), 50935: (130, "none", 0),
}  # fmt: skip
# What the demo shows as decimals is spoilt by single entries; these are the laboratory's.
_DECIMALS = {50911: 0, 51003: 2, 50852: 1, 50993: 2, 50889: 1, 50910: 0, 50954: 0, 51275: 1, 51237: 1, 50931: 0,
             50983: 0, 50902: 0, 50882: 0, 50868: 0, 51006: 0, 50912: 1, 50816: 0, 50819: 0, 50963: 0, 50924: 0,
             50862: 1, 50809: 0}  # fmt: skip


@dataclass(frozen=True)
class Tests:
    """The laboratory's tests as arrays, one row each."""

    itemid: Ints
    analyte: Ints
    norm: Floats
    weight: Floats
    """How much of the analyte's change the test shows."""
    spread: Floats
    """Noise of the single result, on the logarithm."""
    decimals: Ints
    unit: Ints
    units: tuple[str, ...]
    low: Floats
    high: Floats
    share_text: Floats
    texts: tuple[str, ...]
    text_of: GroupedChoice
    share_stat: Floats
    place: dict[int, int]
    """itemid → row."""
    rare_inpatient: Floats
    rare_outpatient: Floats
    tube: Ints
    has_text: Bools
    comment_only: Bools
    """The result stands in the comment, never in the value (`noise_ops.faults`, 6)."""


@cache
def tests() -> Tests:
    """`data/lab_tests.csv`: counted in the open demo, corrected where `_BEHAVIOUR` knows better."""
    data = rows("lab_tests")
    kinds = {row["itemid"]: (row["fluid"], row["category"]) for row in rows("labitems")}
    ids = [int(row["itemid"]) for row in data]
    in_panels = {item for panel in PANELS for item in panel.items}
    missing = in_panels - set(ids)
    if missing:
        raise KeyError(f"no laboratory test {sorted(missing)}")
    behaviour = [_BEHAVIOUR.get(item, (None, "none", 0)) for item in ids]
    medians = [float(row["median"] or 1) for row in data]
    known = [norm is not None for norm, _, _ in behaviour]
    moves = [name != "none" or item == 51249 for item, (_, name, _) in zip(ids, behaviour, strict=True)]
    spreads = [min(float(row["spread"] or 0.15), 0.8) for row in data]
    units = tuple(sorted({row["unit"] for row in data if row["unit"]}))
    texts: list[str] = []
    choices: list[list[tuple[int, float]]] = []
    for row in data:
        alternatives = []
        for part in filter(None, row["texts"].split(";")):
            text, _, count = part.rpartition("=")
            if text not in texts:
                texts.append(text)
            alternatives.append((texts.index(text), float(count)))
        choices.append(alternatives)

    def tube(item: int) -> int:
        fluid, category = kinds[str(item)]
        if fluid == "Urine":
            return URINE if category == "Hematology" else URINE_CHEMISTRY
        if fluid != "Blood":
            return OTHER
        return {"Blood Gas": GAS, "Hematology": LAVENDER}.get(category, CHEMISTRY)

    def rare(column: str) -> Floats:
        return np.array(
            [0.0 if item in in_panels else float(row[column]) + 0.2 for item, row in zip(ids, data, strict=True)]
        )

    nan = float("nan")
    return Tests(
        itemid=np.array(ids),
        analyte=np.array([ANALYTE[name] for _, name, _ in behaviour]),
        norm=np.array(
            [norm if norm is not None else median for (norm, _, _), median in zip(behaviour, medians, strict=True)]
        ),
        weight=np.array([weight for _, _, weight in behaviour], dtype=np.float64),
        # Where an analyte moves the test, single results scatter little.
        spread=np.array([0.012 if moved else spread * 0.8 for moved, spread in zip(moves, spreads, strict=True)]),
        decimals=np.array([_DECIMALS.get(item, int(row["decimals"])) for item, row in zip(ids, data, strict=True)]),
        unit=np.array([units.index(row["unit"]) if row["unit"] else -1 for row in data]),
        units=units,
        low=np.array([float(row["low"]) if row["low"] else nan for row in data]),
        high=np.array([float(row["high"]) if row["high"] else nan for row in data]),
        share_text=np.array([0.0 if k else float(row["share_text"]) for k, row in zip(known, data, strict=True)]),
        texts=tuple(texts),
        text_of=GroupedChoice(choices),
        share_stat=np.array([float(row["share_stat"]) for row in data]),
        place={item: i for i, item in enumerate(ids)},
        rare_inpatient=rare("rows_inpatient"),
        rare_outpatient=rare("rows_outpatient"),
        tube=np.array([tube(item) for item in ids]),
        has_text=np.array([bool(alternatives) for alternatives in choices]),
        comment_only=np.array([not row["median"] and not row["texts"] for row in data]),
    )
