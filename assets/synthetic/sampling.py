"""When blood is drawn, and what is ordered on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR, Admissions
from assets.synthetic.block import Block
from assets.synthetic.columns import DAY
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Fixed, Ints, Singles, within
from assets.synthetic.lab_panels import (
    ARRIVAL,
    CLINIC,
    EMERGENCY_VISIT,
    ICU_EXTRA,
    ICU_MORNING,
    PANEL,
    PANELS,
    RARE_PER_DRAW,
    WARD_EXTRA,
    WARD_MORNING,
    tests,
)
from assets.synthetic.word_lists import ANALYTE, ANALYTES, FACTOR, GROUP, INGREDIENT, REASON

_SLOT = 6 * HOUR


@dataclass(frozen=True)
class Samples:
    """Moments at which blood or urine is taken, by patient and time."""

    patient: Ints
    admission: Ints
    """Row of the admission; −1 for people who are not admitted."""
    time: Ints
    setting: Ints
    stay: Ints
    """Row of the ICU stay; −1 outside one."""

    def __len__(self) -> int:
        return len(self.patient)


def in_stay(block: Block, admission: AnyArray, time: AnyArray) -> Ints:
    """Row of the ICU stay that contains each time; −1 if none does."""
    icu = block.icu
    if not len(icu.admission):
        return np.full(len(time), -1, np.int64)
    slot = np.searchsorted((icu.admission << 35) + icu.intime, (admission << 35) + time, side="right") - 1
    safe = np.maximum(slot, 0)
    inside = (slot >= 0) & (icu.admission[safe] == admission) & (time <= icu.outtime[safe])
    return np.asarray(np.where(inside, safe, -1))


def samples(block: Block, rng: Draws) -> Samples:
    """All moments of sampling of a block's patients."""
    adm, visits = block.adm, block.visits
    # Inpatients: one slot each six hours; the morning round at six o'clock is rarely left out.
    start = np.where(adm.edreg > 0, adm.edreg, adm.admit)
    first_slot = start // _SLOT + 1
    slots = np.maximum(adm.discharge // _SLOT - first_slot + 1, 0)
    admission, nth = within(slots)
    slot = first_slot[admission] + nth
    time = slot * _SLOT + np.floor((rng.uniform(len(slot)) - 0.35) * 110).astype(np.int64) * 60
    stay = in_stay(block, admission, time)
    morning = slot % 4 == 1
    grave = np.clip(adm.severity[admission], -1.5, 2.5)
    quiet = np.where(np.isin(adm.reason, [REASON["psychiatric"], REASON["psychosis"], REASON["birth"]]), 0.22, 1.0)
    keep = np.where(
        stay >= 0, np.where(morning, 0.97, 0.55 + 0.07 * grave), np.where(morning, 0.86, 0.1 + 0.03 * grave)
    ) * quiet[admission]  # fmt: skip
    inside = (time > start[admission] + HOUR) & (time < adm.discharge[admission])
    taken = np.flatnonzero(rng.chance(len(slot), keep) & inside)
    setting = np.where(
        stay >= 0, np.where(morning, ICU_MORNING, ICU_EXTRA), np.where(morning, WARD_MORNING, WARD_EXTRA)
    )  # fmt: skip
    # On arrival, before anything is known.
    arriving = np.flatnonzero(rng.chance(len(adm.patient), 0.94 * np.where(quiet < 1, 0.7, 1.0)))
    arrival_time = start[arriving] + 60 * (8 + rng.below(len(arriving), 70))
    arrival_time = np.minimum(arrival_time, adm.discharge[arriving] - 60)
    clinic = np.flatnonzero(rng.chance(len(visits.patient), 0.8))
    visit_setting = np.where(visits.emergency, EMERGENCY_VISIT, CLINIC)[clinic]
    everyone = np.concatenate([adm.patient[admission[taken]], adm.patient[arriving], visits.patient[clinic]])
    when = np.concatenate([time[taken], arrival_time, visits.time[clinic] + 60 * (5 + rng.below(len(clinic), 40))])
    order = np.lexsort((when, everyone))
    absent = np.full(len(arriving), -1, np.int64)
    return Samples(
        patient=everyone[order],
        admission=np.concatenate([admission[taken], arriving, np.full(len(clinic), -1)])[order],
        time=when[order],
        setting=np.concatenate([setting[taken], np.full(len(arriving), ARRIVAL), visit_setting])[order],
        stay=np.concatenate([stay[taken], absent, np.full(len(clinic), -1)])[order],
    )


def states(block: Block, drawn: Samples) -> Singles:
    """[analyte, sample]: the logarithm of each analyte over its norm."""
    z = np.empty((len(ANALYTES), len(drawn)), dtype=np.float32)
    inpatient = drawn.admission >= 0
    here = np.flatnonzero(inpatient)
    for name, values in block.course.analytes(drawn.admission[here], drawn.time[here]).items():
        z[ANALYTE[name], here] = values
    home = np.flatnonzero(~inpatient)
    patient = drawn.patient[home]
    key = block.who.number[patient].astype(np.uint64) * np.uint64(7_919) + (drawn.time[home] // DAY).astype(np.uint64)
    fixed = Fixed(key)
    for name, a in ANALYTE.items():
        calm = np.float32(0.0 if name == "none" else 0.06 if name in _LIVELY else 0.03 if name in _STEADY else 0.1)
        z[a, home] = block.level[patient, a] + calm * fixed.normal(a)
    z[ANALYTE["inr"], home] += np.where(block.who.warfarin[patient], np.float32(0.78), np.float32(0))
    return z


_STEADY = frozenset(
    {"sodium", "chloride", "hemoglobin", "mcv", "temperature", "saturation", "albumin", "calcium", "a1c"}
)
_LIVELY = frozenset({"creatinine", "potassium", "bicarb", "inr", "ptt", "pco2", "po2", "ph"})


def _indicated(block: Block, drawn: Samples, panel: str, now: Bools) -> AnyArray | None:
    """How much more often than usual a panel is ordered for these patients; None if no illness matters."""
    adm: Admissions = block.adm
    where = np.maximum(drawn.admission, 0)
    inside = drawn.admission >= 0

    def has(*groups: str) -> Bools:
        """Now, or as a lasting condition."""
        return np.asarray(now[[GROUP[group] for group in groups]].any(axis=0))

    def trouble(factor: str, least: float) -> Bools:
        if not len(adm.patient):
            return np.zeros(len(drawn), bool)
        return np.asarray(inside & (adm.course[where, FACTOR[factor]] > least))

    if panel in ("blood gas", "gas electrolytes", "oximetry", "ionized calcium"):
        return np.asarray(1 + 1.6 * trouble("breathing", 0.9) + 1.0 * trouble("shock", 1.2))
    if panel == "lactate":
        return np.asarray(0.5 + 2.6 * trouble("shock", 0.9) + 1.2 * has("sepsis") + 0.8 * trouble("liver", 1.0))
    if panel in ("troponin", "creatine kinase"):
        attack = 4 * has("acute_myocardial_infarction")
        return np.asarray(0.5 + 5 * trouble("heart", 0.7) + attack + 0.8 * has("ischemic_heart_disease"))
    if panel == "natriuretic peptide":
        return np.asarray(0.4 + 3.2 * has("heart_failure"))
    if panel == "coagulation":
        clots = 1.9 * block.who.warfarin[drawn.patient] + 1.5 * has("pulmonary_embolism")
        return np.asarray(0.7 + clots + 1.3 * has("cirrhosis"))
    if panel in ("lipase", "amylase"):
        return 0.5 + 7 * has("acute_pancreatitis")
    if panel == "hemoglobin A1c":
        return 0.5 + 2.4 * has("diabetes")
    if panel in ("hemolysis work-up", "uric acid", "absolute counts"):
        return 0.6 + 7 * has("leukemia", "lymphoma", "multiple_myeloma") + 2 * has("gout")
    if panel == "iron studies":
        return 0.6 + 2.2 * has("iron_deficiency_anemia", "chronic_kidney_disease")
    if panel == "thyroid":
        return 0.6 + 2.0 * has("hypothyroidism") + 0.8 * has("depression", "atrial_fibrillation")
    if panel == "ammonia":
        return 0.5 + 6 * has("cirrhosis")
    if panel in ("liver panel", "albumin", "bilirubin fractions"):
        return 0.8 + 1.5 * has("cirrhosis", "leukemia")
    if panel in ("urine chemistry", "osmolality"):
        return 0.5 + 2.0 * has("acute_kidney_injury", "hyponatremia")
    if panel == "C-reactive protein":
        return 0.6 + 3 * has("rheumatoid_arthritis", "cellulitis")
    if panel == "vancomycin":
        given = inside & block.ordered[where, INGREDIENT["vancomycin"]] if len(adm.patient) else inside
        return given.astype(np.float64)
    return None


def ordered(block: Block, drawn: Samples, rng: Draws) -> tuple[Ints, Ints]:
    """Pairs of (sample, panel) in order; beyond the panels, panel number `len(PANELS)` + test is that test alone."""
    n = len(drawn)
    wanted = np.zeros((n, len(PANELS)), dtype=bool)
    # One row per diagnosis group: the conditions of those at home, then of those in hospital.
    known_of = np.concatenate([block.adm.has, block.who.chronic])
    now = known_of.T[:, np.where(drawn.admission >= 0, drawn.admission, len(block.adm.patient) + drawn.patient)]
    for p, panel in enumerate(PANELS):
        share = np.array(panel.share)[drawn.setting]
        more = _indicated(block, drawn, panel.name, now)
        wanted[:, p] = rng.chance(n, share if more is None else share * more)
    count = PANEL["blood count"]
    wanted[:, PANEL["differential"]] &= wanted[:, count]
    wanted[:, PANEL["absolute counts"]] &= wanted[:, PANEL["differential"]]
    gas = wanted[:, PANEL["blood gas"]]
    wanted[:, PANEL["oximetry"]] &= gas
    if len(block.icu.admission):
        icu, stay = block.icu, np.maximum(drawn.stay, 0)
        on_machine = (drawn.stay >= 0) & (icu.ventilated[stay] <= drawn.time) & (drawn.time < icu.extubated[stay])
        wanted[:, PANEL["blood gas"]] |= on_machine & rng.chance(n, 0.55)
        wanted[:, PANEL["ventilator notes"]] = on_machine & wanted[:, PANEL["blood gas"]] & rng.chance(n, 0.35)
    wanted[:, PANEL["urine sediment"]] &= wanted[:, PANEL["urinalysis"]]
    sample, panel_number = np.nonzero(wanted)
    known = tests()
    inpatient, outpatient = Choice(known.rare_inpatient.tolist()), Choice(known.rare_outpatient.tolist())
    how_many = np.array(RARE_PER_DRAW)[drawn.setting]
    extra = np.floor(how_many + rng.uniform(n)).astype(np.int64)
    alone, _ = within(extra)
    bits = rng.bits16(len(alone))
    which = np.where(drawn.admission[alone] >= 0, inpatient.of(bits), outpatient.of(bits)) + len(PANELS)
    sample = np.concatenate([sample, alone])
    panel_number = np.concatenate([panel_number, which])
    order = np.lexsort((panel_number, sample))
    # Drawn twice at once: the same tests from another tube (fault 9).
    common = np.isin(panel_number[order], [PANEL["blood count"], PANEL["metabolic panel"]])
    times = 1 + (common & rng.chance(len(order), faults.LAB_SECOND_SPECIMEN))
    return np.repeat(sample[order], times), np.repeat(panel_number[order], times)
