"""How an illness runs: the state of each organ, and of each analyte and vital sign, at any hour of an admission.

Laboratory, charting, drips and outputs all ask here, so what they show at the same hour agrees: a high lactate meets
a low pressure and running norepinephrine; creatinine rises as the urine dries up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic.admissions import HOUR, Admissions
from assets.synthetic.draws import AnyArray, Bools, Draws, Fixed, Floats, Ints, Singles
from assets.synthetic.people import People
from assets.synthetic.word_lists import ANALYTE, ANALYTES, FACTORS, GROUP, conditions

# Hours: how long after the onset the trouble begins, how long it grows, how slowly it passes.
_SHAPE: dict[str, tuple[float, float, float]] = {
    "kidney": (8, 34, 90),
    "shock": (0, 9, 26),
    "inflammation": (0, 18, 62),
    "bleeding": (0, 14, 110),
    "liver": (4, 26, 90),
    "breathing": (0, 10, 55),
    "heart": (2, 12, 60),
    "brain": (0, 2, 70),
    "sugar": (0, 4, 13),
}

# factor → analyte → change of the logarithm per unit of the factor.
_EFFECT: dict[str, dict[str, float]] = {
    "kidney": {"creatinine": 0.95, "bun": 0.75, "potassium": 0.07, "phosphate": 0.3, "bicarb": -0.1, "calcium": -0.02,
               "uric": 0.3, "ph": -0.003, "base_excess": -1.6, "urine_sodium": -0.3},
    "shock": {"lactate": 0.52, "bicarb": -0.075, "ph": -0.006, "base_excess": -2.2, "bun": 0.1, "alt": 0.3, "ast": 0.4,
              "ldh": 0.25, "troponin": 0.35, "platelets": -0.06, "inr": 0.05, "creatinine": 0.06, "albumin": -0.04,
              "bnp": 0.25, "glucose": 0.06, "calcium": -0.02, "potassium": 0.015, "saturation": -0.01,
              "temperature": -0.002},
    "inflammation": {"wbc": 0.4, "crp": 1.4, "neutrophils": 0.1, "lymphocytes": -0.55, "bands": 1.0, "albumin": -0.11,
                     "platelets": -0.03, "fibrinogen": 0.25, "glucose": 0.07, "ferritin": 0.5, "eosinophils": -0.5,
                     "iron": -0.4, "lactate": 0.12, "temperature": 0.016, "bun": 0.05, "sodium": -0.006},
    "bleeding": {"hemoglobin": -0.2, "platelets": -0.13, "inr": 0.04, "bun": 0.08, "lactate": 0.08, "fibrinogen": -0.1,
                 "calcium": -0.015},
    "liver": {"alt": 1.35, "ast": 1.45, "bilirubin": 0.75, "alp": 0.3, "inr": 0.24, "albumin": -0.08, "ldh": 0.5,
              "ammonia": 0.5, "lactate": 0.12, "glucose": -0.04},
    "breathing": {"po2": -0.16, "pco2": 0.07, "ph": -0.004, "saturation": -0.012, "fio2": 0.28, "peep": 0.3,
                  "bicarb": 0.015, "base_excess": -0.2},
    "heart": {"troponin": 2.9, "ckmb": 1.5, "ck": 1.1, "bnp": 0.6, "ast": 0.3, "wbc": 0.06, "glucose": 0.04},
    "brain": {"ck": 0.3, "sodium": 0.006, "pco2": -0.02, "glucose": 0.03},
    "sugar": {"glucose": 0.62, "bicarb": -0.3, "ph": -0.012, "base_excess": -7, "potassium": 0.09, "sodium": -0.025,
              "chloride": -0.02, "osmolality": 0.05, "bun": 0.2, "phosphate": -0.1, "triglycerides": 0.3},
}  # fmt: skip

# Restlessness of an analyte within a stay, on the logarithm; where nothing is said, a tenth.
_UNREST = {
    "creatinine": 0.06, "bun": 0.09, "potassium": 0.07, "sodium": 0.012, "chloride": 0.016, "bicarb": 0.06,
    "glucose": 0.2, "calcium": 0.035, "magnesium": 0.09, "phosphate": 0.15, "hemoglobin": 0.035, "wbc": 0.14,
    "platelets": 0.08, "inr": 0.06, "ptt": 0.12, "lactate": 0.18, "ph": 0.0035, "pco2": 0.11, "po2": 0.22, "ast": 0.2,
    "alt": 0.2, "bilirubin": 0.15, "albumin": 0.05, "troponin": 0.25, "temperature": 0.005, "mcv": 0.008, "a1c": 0.02,
    "none": 0.0, "saturation": 0.008, "base_excess": 1.2, "bands": 0.5, "eosinophils": 0.4, "lymphocytes": 0.2,
    "neutrophils": 0.06, "tsh": 0.15,
}  # fmt: skip
_WATCH = 6 * HOUR
"""Between two turns of an analyte's restlessness, in seconds."""


@dataclass(frozen=True)
class Course:
    """The illness of each admission, ready to be asked at any time."""

    adm: Admissions
    baseline: Singles
    """[admission, analyte]: the patient's own level, on the logarithm."""
    passing: Singles
    """[admission, analyte]: what the acute problems add; it fades."""
    transfused: Ints
    """When red cells were given, seconds since 1970; 0 if never."""
    units: Ints
    """How many."""
    warfarin: Bools
    heparin: Bools
    """An intravenous heparin drip, so the PTT is prolonged on purpose."""
    dialysed: Bools

    def factor(self, name: str, admission: AnyArray, time: AnyArray) -> Singles:
        """How bad one organ's trouble is, for each pair of admission and time."""
        adm = self.adm
        delay, rise, fall = _SHAPE[name]
        peak = adm.course[:, FACTORS.index(name)].astype(np.float32)
        hours = ((time - adm.admit[admission]) / np.float64(HOUR)).astype(np.float32)
        since = hours - adm.onset.astype(np.float32)[admission] - np.float32(delay)
        pace = adm.pace.astype(np.float32)[admission]
        up = np.clip(since / np.float32(rise), 0, 1)
        died = adm.died[admission]
        over = np.maximum(since - np.float32(rise), 0) / (np.float32(fall) * pace)
        left = (adm.discharge[admission] - time) / np.float64(HOUR)
        nearing = np.clip(1 - left.astype(np.float32) / 40, 0, 1)
        fades = np.where(died, np.float32(0.12), np.float32(1)) * over
        return np.asarray(
            peak[admission] * (up / (1 + fades + np.float32(0.6) * fades * fades) + died * 0.35 * nearing)
        )

    def analytes(self, admission: Ints, time: Ints, names: tuple[str, ...] = ANALYTES) -> dict[str, Singles]:
        """The logarithm of each named analyte over its norm (base excess: mmol/L) for each admission and time."""
        factors = {name: self.factor(name, admission, time) for name in FACTORS}
        hours = ((time - self.adm.admit[admission]) / np.float64(HOUR)).astype(np.float32)
        fading = 1 / (1 + np.maximum(hours, 0) / np.float32(70))
        watch = time // _WATCH
        share = ((time - watch * _WATCH) / np.float64(_WATCH)).astype(np.float32)
        key = self.adm.hadm_id[admission].astype(np.uint64) * np.uint64(1_000_003) + watch.astype(np.uint64)
        now, then = Fixed(key), Fixed(key + np.uint64(1))
        state: dict[str, Singles] = {}
        for name in sorted(names, key=ANALYTE.__getitem__):
            a = ANALYTE[name]
            z = self.baseline[admission, a] + self.passing[admission, a] * fading
            unrest = np.float32(_UNREST.get(name, 0.1))
            if unrest:
                turn = now.normal(a) * (1 - share) + then.normal(a) * share
                z += unrest * turn
            for factor, effects in _EFFECT.items():
                if name in effects:
                    z += np.float32(effects[name]) * factors[factor]
            state[name] = z
        self._treat(state, admission, time, hours)
        return state

    def _treat(self, state: dict[str, Singles], admission: Ints, time: Ints, hours: Singles) -> None:
        """What treatment does to the values."""
        if "hemoglobin" in state:
            given = (self.transfused[admission] > 0) & (time > self.transfused[admission])
            state["hemoglobin"] += np.where(given, np.float32(0.085) * self.units[admission], np.float32(0))
            # Bone marrow and dilution set a floor under what a bleed can do.
            state["hemoglobin"] = np.maximum(state["hemoglobin"], np.float32(-0.95))
        if "inr" in state:
            state["inr"] += np.where(self.warfarin[admission], np.float32(0.72), np.float32(0))
        if "ptt" in state:
            running = self.heparin[admission] & (hours > 5)
            state["ptt"] += np.where(running, np.float32(0.78), np.float32(0)) + np.float32(0.25) * state.get("inr", 0)
        if "creatinine" in state:
            # Dialysis every other day: down by half, and up again.
            cycle = (time // (24 * HOUR) % 2 == 0) & self.dialysed[admission]
            state["creatinine"] -= np.where(cycle, np.float32(0.4), np.float32(0))
            if "potassium" in state:
                state["potassium"] -= np.where(cycle, np.float32(0.1), np.float32(0))
        if "bicarb" in state:
            state["bicarb"] = np.maximum(state["bicarb"], np.float32(-1.3))


def course(
    seed: int, block: int, who: People, level: Singles, adm: Admissions, heparin: Bools, warfarin: Bools
) -> Course:
    """The course of the block's admissions."""
    rng = Draws(seed, "course", block)
    n = len(adm.patient)
    acute = adm.has & ~conditions().chronic[None, :]
    acute[:, GROUP["end_stage_renal_disease"]] = False
    bled = adm.course[:, FACTORS.index("bleeding")]
    low = level[adm.patient, ANALYTE["hemoglobin"]] - 0.2 * bled
    # Transfused when the hemoglobin is heading for 7 g/dL.
    needed = rng.chance(n, np.clip((-0.38 - low) * 3.0, 0, 0.92)) & (adm.hours > 10)
    at = adm.admit + np.floor((np.maximum(adm.onset, 0) + 8 + 16 * rng.uniform(n)) * HOUR).astype(np.int64)
    at = np.minimum(at, adm.admit + (adm.discharge - adm.admit) // 2)
    esrd = adm.has[:, GROUP["end_stage_renal_disease"]]
    return Course(
        adm=adm,
        baseline=level[adm.patient],
        passing=(acute.astype(np.float64) @ conditions().labs).astype(np.float32),
        transfused=np.where(needed, at // 60 * 60, 0),
        units=1 + rng.below(n, 3) + (bled > 2),
        warfarin=warfarin,
        heparin=heparin,
        dialysed=esrd,
    )


class Drift:
    """Smooth restless curves through the turns numbered by `key`, at `share` of the way to the next."""

    def __init__(self, key: AnyArray, share: Floats) -> None:
        self._now, self._then = Fixed(key), Fixed(key + 1)
        self._share = share.astype(np.float32)

    def wave(self, salt: int) -> Singles:
        """One of the curves: standard normal at each turn."""
        return np.asarray(self._now.normal(salt) * (1 - self._share) + self._then.normal(salt) * self._share)
