"""Which continuous infusions an ICU stay gets, and the rates they run at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic.admissions import Admissions
from assets.synthetic.draws import Bools, Draws, Floats
from assets.synthetic.intensive import IcuStays
from assets.synthetic.word_lists import FACTOR, GROUP, REASON


@dataclass(frozen=True)
class Drip:
    """One infusion: its item in d_items, the drug, its usual rate and how it is mixed."""

    name: str
    itemid: int
    ingredient: str
    rate: float
    """Usual rate, in `rateuom`; vasopressors scale with the shock."""
    most: float
    rateuom: str
    amountuom: str
    strength: float
    """Units of drug in one ml of the mixture: it makes the volume that runs beside the drug."""
    segment_hours: float
    """How often the rate is changed."""


DRIPS: tuple[Drip, ...] = (
    Drip("norepinephrine", 221906, "norepinephrine", 0.11, 1.5, "mcg/kg/min", "mg", 0.032, 1.6),
    Drip("phenylephrine", 221749, "phenylephrine", 1.1, 6.0, "mcg/kg/min", "mg", 0.24, 1.8),
    Drip("vasopressin", 222315, "vasopressin", 2.4, 3.0, "units/hour", "units", 0.4, 12.0),
    Drip("epinephrine", 221289, "epinephrine", 0.04, 0.8, "mcg/kg/min", "mg", 0.016, 3.0),
    Drip("dopamine", 221662, "dopamine", 5.0, 20.0, "mcg/kg/min", "mg", 1.6, 5.0),
    Drip("dobutamine", 221653, "dobutamine", 4.0, 15.0, "mcg/kg/min", "mg", 2.0, 10.0),
    Drip("milrinone", 221986, "milrinone", 0.3, 0.75, "mcg/kg/min", "mg", 0.2, 14.0),
    Drip("propofol", 222168, "propofol", 30.0, 80.0, "mcg/kg/min", "mg", 10.0, 4.0),
    Drip("dexmedetomidine", 225150, "dexmedetomidine", 0.6, 1.5, "mcg/kg/hour", "mcg", 4.0, 3.5),
    Drip("midazolam", 221668, "midazolam", 3.0, 15.0, "mg/hour", "mg", 1.0, 6.0),
    Drip("fentanyl_concentrate", 225942, "fentanyl", 75.0, 350.0, "mcg/hour", "mg", 0.05, 5.0),
    Drip("furosemide", 221794, "furosemide", 9.0, 30.0, "mg/hour", "mg", 1.0, 9.0),
    Drip("heparin", 225152, "heparin", 1050.0, 2600.0, "units/hour", "units", 50.0, 7.0),
    Drip("insulin_regular", 223258, "insulin", 4.0, 20.0, "units/hour", "units", 1.0, 2.2),
    Drip("nicardipine", 222042, "nicardipine", 1.2, 3.5, "mcg/kg/min", "mg", 0.2, 3.0),
    Drip("nitroglycerin", 222056, "nitroglycerin", 0.7, 4.0, "mcg/kg/min", "mg", 0.4, 4.0),
    Drip("esmolol", 221429, "esmolol", 80.0, 250.0, "mcg/kg/min", "mg", 10.0, 3.0),
)  # fmt: skip
DRIP = {drip.name: i for i, drip in enumerate(DRIPS)}


def plan(seed: int, block: int, adm: Admissions, icu: IcuStays) -> Bools:
    """[stay, drip]: what runs at some time of the stay."""
    rng = Draws(seed, "drips", block)
    a = icu.admission
    n = len(a)
    has = adm.has[a]

    def ill(name: str) -> Floats:
        return has[:, GROUP[name]].astype(np.float64)

    def factor(name: str) -> Floats:
        return np.asarray(adm.course[a, FACTOR[name]])

    shock, vent = factor("shock"), (icu.ventilated > 0).astype(np.float64)
    reason = adm.reason[a]
    surgery = np.isin(reason, [REASON["bypass"], REASON["valve_surgery"]]).astype(np.float64)
    repair = (reason == REASON["aortic_repair"]).astype(np.float64)
    bleed = np.isin(reason, [REASON["brain_bleed"], REASON["subarachnoid"]]).astype(np.float64)
    heart = ill("cardiogenic_shock")
    clots = ill("pulmonary_embolism") + ill("acute_myocardial_infarction") + 0.4 * ill("atrial_fibrillation")
    probability = {
        "norepinephrine": np.clip((shock - 0.9) / 0.7, 0, 0.97) * (1 - 0.75 * surgery),
        "phenylephrine": 0.05 + 0.6 * surgery + 0.2 * (shock > 0.8) + 0.2 * repair + 0.08 * vent,
        "vasopressin": np.clip((shock - 1.7) / 1.6, 0, 0.75),
        "epinephrine": 0.005 + 0.14 * surgery + 0.35 * ill("cardiac_arrest") + 0.1 * heart,
        "dopamine": 0.012 + 0.15 * heart + 0.04 * (shock > 1.5),
        "dobutamine": 0.006 + 0.4 * heart,
        "milrinone": 0.004 + 0.25 * heart + 0.1 * surgery,
        "propofol": 0.01 + 0.84 * vent,
        "dexmedetomidine": 0.02 + 0.24 * vent,
        "midazolam": 0.27 * vent,
        "fentanyl_concentrate": 0.68 * vent * (1 - 0.7 * surgery),
        "furosemide": 0.04 + 0.16 * ill("heart_failure") + 0.1 * ill("cardiogenic_shock"),
        "heparin": 0.02 + 0.4 * clots,
        "insulin_regular": 0.03 + 0.12 * ill("diabetes") + 0.72 * surgery + 0.9 * (factor("sugar") > 0.7),
        "nicardipine": 0.012 + 0.55 * bleed + 0.12 * repair + 0.05 * ill("ischemic_stroke"),
        "nitroglycerin": 0.008 + 0.3 * ill("acute_myocardial_infarction") + 0.25 * surgery
        + 0.2 * ill("acute_pulmonary_edema"),
        "esmolol": 0.006 + 0.35 * repair + 0.03 * ill("atrial_fibrillation"),
    }  # fmt: skip
    return np.stack([rng.chance(n, np.clip(probability[drip.name], 0, 0.98)) for drip in DRIPS], axis=1)
