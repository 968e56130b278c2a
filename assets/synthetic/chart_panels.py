"""What a nurse writes down together, how often, and what the values look like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from assets.synthetic.columns import ArrowColumn, words
from assets.synthetic.draws import Bools, Floats, GroupedChoice, Ints
from assets.synthetic.result_values import Values
from assets.synthetic.word_lists import rows

SIGNALS: tuple[str, ...] = (
    "hr", "sbp", "dbp", "map", "art_sbp", "art_dbp", "art_map", "rr", "spo2", "temp_c", "temp_f", "temp_core",
    "cvp", "pap_s", "pap_d", "pap_m", "pcwp", "co", "cco", "icp", "cpp", "fio2", "peep", "rate_set",
    "rate_spont", "rate_total", "vt_set", "vt_seen", "minute_volume", "peak", "plateau", "airway", "flow",
    "weight", "weight_lb", "height_in", "height_cm", "fingerstick", "psv", "ratio", "constant",
)  # fmt: skip
"""What is measured at the bedside; each item shows one of them."""
SIGNAL = {name: i for i, name in enumerate(SIGNALS)}

# itemid → signal, noise of the single reading, decimals.
_NUMERIC: dict[int, tuple[str, float, int]] = {
    220045: ("hr", 1.5, 0), 220210: ("rr", 1.2, 0), 220277: ("spo2", 0.6, 0),
    220179: ("sbp", 3.0, 0), 220180: ("dbp", 2.5, 0), 220181: ("map", 2.0, 0),
    220050: ("art_sbp", 2.0, 0), 220051: ("art_dbp", 1.5, 0), 220052: ("art_map", 1.5, 0),
    225309: ("art_sbp", 3.0, 0), 225310: ("art_dbp", 2.5, 0), 225312: ("art_map", 2.0, 0),
    224167: ("sbp", 5.0, 0), 224643: ("dbp", 4.0, 0), 227243: ("sbp", 5.0, 0), 227242: ("dbp", 4.0, 0),
    223761: ("temp_f", 0.1, 1), 223762: ("temp_c", 0.05, 1), 226329: ("temp_core", 0.04, 1),
    220074: ("cvp", 1.0, 0), 220059: ("pap_s", 2.0, 0), 220060: ("pap_d", 1.5, 0), 220061: ("pap_m", 1.5, 0),
    223771: ("pcwp", 1.2, 0), 220088: ("co", 0.2, 1), 224842: ("cco", 0.15, 1), 220765: ("icp", 1.0, 0),
    227066: ("cpp", 1.5, 0), 223835: ("fio2", 0.0, 0), 220339: ("peep", 0.0, 0), 224688: ("rate_set", 0.0, 0),
    224689: ("rate_spont", 0.8, 0), 224690: ("rate_total", 0.8, 0), 224684: ("vt_set", 0.0, 0),
    224685: ("vt_seen", 12.0, 0), 224686: ("vt_seen", 30.0, 0), 224687: ("minute_volume", 0.3, 1),
    224695: ("peak", 1.2, 0), 224696: ("plateau", 0.8, 0), 224697: ("airway", 0.5, 0), 224701: ("psv", 0.0, 0),
    224738: ("ratio", 0.0, 1), 226873: ("ratio", 0.0, 0), 224700: ("peep", 0.3, 0), 223834: ("flow", 0.0, 0),
    224639: ("weight", 0.0, 1), 226512: ("weight", 0.0, 1), 226531: ("weight_lb", 0.0, 1),
    226707: ("height_in", 0.0, 0), 226730: ("height_cm", 0.0, 0), 225664: ("fingerstick", 0.0, 0),
}  # fmt: skip
# Alarm limits: set once a shift, nearly always to the unit's default.
_CONSTANT: dict[int, float] = {
    220046: 120, 220047: 50, 220056: 90, 220058: 160, 223751: 160, 223752: 90, 223769: 100, 223770: 90, 224161: 35,
    224162: 8, 220292: 4, 220293: 18, 226253: 85, 220063: 60, 220066: 10,
}  # fmt: skip
EYES = ("None", "To Pain", "To Speech", "Spontaneously")
VERBAL = ("No Response", "Incomprehensible sounds", "Inappropriate Words", "Confused", "Oriented")
MOTOR = ("No response", "Abnormal extension", "Abnormal Flexion", "Flex-withdraws", "Localizes Pain", "Obeys Commands")
TUBED = "No Response-ETT"
RASS: dict[int, str] = {
    -5: "-5 Unarousable, no response to voice or physical stimulation",
    -4: "-4 Deep sedation, no response to voice, but any movement to physical stimulation",
    -3: "-3 Moderate sedation, movement or eye opening; No eye contact",
    -2: "-2 Light sedation, briefly awakens to voice (eyes open & contact) < 10 seconds",
    -1: "-1 Awakens to voice (eyes open & contact) > 10 seconds",
    0: "0  Alert and calm",
    1: "+1 Anxious, apprehensive, but not aggressive",
    2: "+2 Frequent nonpurposeful movement, fights ventilator",
}
GCS_EYE, GCS_VERBAL, GCS_MOTOR, RASS_ITEM, CODE_STATUS, RHYTHM = 220739, 223900, 223901, 228096, 223758, 220048

_GROUPS: dict[str, tuple[int, ...]] = {
    "monitor": (220045, 220210, 220277),
    "cuff": (220179, 220180, 220181),
    "arterial": (220050, 220051, 220052),
    "second arterial": (225309, 225310, 225312),
    "manual left": (224167, 224643),
    "manual right": (227243, 227242),
    "temperature F": (223761,),
    "temperature C": (223762,),
    "temperature core": (226329,),
    "central pressure": (220074,),
    "pulmonary artery": (220059, 220060, 220061),
    "wedge": (223771, 220088),
    "continuous output": (224842,),
    "intracranial": (220765, 227066),
    "coma scale": (GCS_EYE, GCS_VERBAL, GCS_MOTOR),
    "sedation scale": (RASS_ITEM,),
    "settings": (223835, 220339, 224688, 224690, 224684, 224685, 224687, 224695, 224697, 224700, 224738, 226873),
    "spontaneous": (224689, 224686, 224701),
    "plateau": (224696,),
    "flow": (223834,),
    "weight": (224639,),
    "arrival": (226512, 226531, 226707, 226730),
    "fingerstick": (225664,),
    "alarms": tuple(item for item in _CONSTANT if item not in (220056, 220058, 220292, 220293, 220063, 220066)),
    "arterial alarms": (220056, 220058),
    "ventilator alarms": (220292, 220293),
}


@dataclass(frozen=True)
class Chart:
    """The items of the chart as arrays, one row each, and the panels they are written down in."""

    itemid: Ints
    place: dict[int, int]
    signal: Ints
    noise: Floats
    decimals: Ints
    textual: Bools
    text_of: GroupedChoice
    first_text: int
    unit: Ints
    units: ArrowColumn
    values: Values
    panels: tuple[str, ...]
    lengths: Ints
    starts: Ints
    listed: Ints
    """Rows of the items of all panels, end to end."""


@cache
def chart() -> Chart:
    """`data/observations.csv`, the numeric items above, and the laboratory results that are copied."""
    observations = rows("observations")
    panels: dict[str, list[int]] = {name: list(items) for name, items in _GROUPS.items()}
    options: dict[int, list[tuple[str, float]]] = {}
    for row in observations:
        item = int(row["itemid"])
        panels.setdefault(f"notes: {row['panel']}", []).append(item)
        options[item] = [
            (text, float(n)) for text, _, n in (part.rpartition("=") for part in row["options"].split(";"))
        ]
    copies = [int(row["chart_itemid"]) for row in rows("lab_copies")]
    ids = sorted({item for items in panels.values() for item in items} | set(copies))
    known = {int(row["itemid"]): row for row in rows("items")}
    units = sorted({known[item]["unitname"] for item in ids if known[item]["unitname"]})
    texts = list(dict.fromkeys(text for found in options.values() for text, _ in found))
    scores = {text: float(score + 1) for score, text in enumerate(EYES)}
    scores |= {text: float(score + 1) for score, text in enumerate(VERBAL)} | {TUBED: 1.0}
    scores |= {text: float(score + 1) for score, text in enumerate(MOTOR)}
    scores |= {text: float(score) for score, text in RASS.items()} | {"1": 1.0}
    every = list(dict.fromkeys([*texts, *EYES, *VERBAL, TUBED, *MOTOR, *RASS.values()]))
    # "None" is both an eye score and the answer to many a question; only the eye item shows it as 1.
    plain = {text: score for text, score in scores.items() if text != "None"}
    values = Values([*every, "None (eyes)"], plain | {"None (eyes)": 1.0})
    choices = [[(every.index(text), n) for text, n in options.get(item, [])] for item in ids]
    place = {item: i for i, item in enumerate(ids)}
    signal = [SIGNAL[_NUMERIC[i][0]] if i in _NUMERIC else SIGNAL["constant"] for i in ids]
    names = tuple(panels)
    lengths = np.array([len(panels[name]) for name in names])
    return Chart(
        itemid=np.array(ids),
        place=place,
        signal=np.array(signal),
        noise=np.array([_NUMERIC[item][1] if item in _NUMERIC else 0.0 for item in ids]),
        decimals=np.array([_NUMERIC[item][2] if item in _NUMERIC else 0 for item in ids]),
        textual=np.array([item in options for item in ids]),
        text_of=GroupedChoice(choices),
        first_text=values.text[every[0]],
        unit=np.array([units.index(known[item]["unitname"]) if known[item]["unitname"] else -1 for item in ids]),
        units=words(units),
        values=values,
        panels=names,
        lengths=lengths,
        starts=np.cumsum(lengths) - lengths,
        listed=np.array([place[item] for name in names for item in panels[name]]),
    )


@cache
def alarm_limits() -> Floats:
    """The default limit of each item that is an alarm; 0 elsewhere."""
    return np.array([_CONSTANT.get(int(item), 0.0) for item in chart().itemid])


@cache
def lab_copies() -> Ints:
    """For each laboratory itemid, the row of the chart's item that repeats it; −1 where none does."""
    copied = np.full(60_000, -1, dtype=np.int64)
    for row in rows("lab_copies"):
        copied[int(row["itemid"])] = chart().place[int(row["chart_itemid"])]
    return copied
