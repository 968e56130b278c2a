"""ICU stays: which admissions need one, when, in which unit, and what is done there.

Machines and drips follow from the course of the illness, so that ventilation meets a low PaO2/FiO2, norepinephrine a
low pressure and a high lactate, and dialysis a failing kidney.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic.admissions import HOUR, SURGERY, Admissions, service_words
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Floats, Ints, exp
from assets.synthetic.identifiers import MOST_ADMISSIONS, stay_ids
from assets.synthetic.people import People
from assets.synthetic.word_lists import FACTOR, GROUP, PROCEDURE, REASON, scenarios

UNITS = (
    "Medical Intensive Care Unit (MICU)",
    "Surgical Intensive Care Unit (SICU)",
    "Medical/Surgical Intensive Care Unit (MICU/SICU)",
    "Trauma SICU (TSICU)",
    "Cardiac Vascular Intensive Care Unit (CVICU)",
    "Coronary Care Unit (CCU)",
    "Neuro Surgical Intensive Care Unit (Neuro SICU)",
    "Neuro Stepdown",
    "Neuro Intermediate",
)
# Where the patients of each kind of unit lie, in the order of UNITS.
_BED = {
    "medical_icu": Choice([64, 3, 28, 2, 0, 3, 0, 0, 0]),
    "surgical_icu": Choice([2, 62, 16, 18, 2, 0, 0, 0, 0]),
    "trauma_icu": Choice([1, 18, 4, 77, 0, 0, 0, 0, 0]),
    "cardiac_surgery_icu": Choice([0, 1, 0, 0, 99, 0, 0, 0, 0]),
    "coronary_care": Choice([5, 0, 6, 0, 8, 81, 0, 0, 0]),
    "neuro_icu": Choice([4, 10, 4, 8, 0, 0, 42, 20, 12]),
}


@dataclass(frozen=True)
class IcuStays:
    """ICU stays as arrays, one row each, by patient and time. Times are seconds since 1970; 0 where not done."""

    admission: Ints
    """Row of the admission in the block."""
    stay_id: Ints
    first_unit: Ints
    last_unit: Ints
    intime: Ints
    outtime: Ints
    outtime_shown: Ints
    """As icustays says it: when the bed was free again (fault 46); rarely before `intime` (fault 43)."""
    ventilated: Ints
    """Start of invasive ventilation."""
    extubated: Ints
    noninvasive: Bools
    arterial_line: Bools
    central_line: Bools
    pa_catheter: Bools
    second_line: Bools
    """A second arterial line, or manual pressures, beside the first."""
    catheter: Bools
    """Urinary catheter; others void."""
    dialysis: Bools
    crrt: Bools
    icp: Bools
    weight_kg: Floats

    @property
    def hours(self) -> Ints:
        """Begun hours of each stay, at least 1."""
        return np.asarray(np.maximum((self.outtime - self.intime + HOUR - 1) // HOUR, 1))


def icu_stays(seed: int, block: int, who: People, adm: Admissions) -> IcuStays:
    """The ICU stays of the block's admissions."""
    rng = Draws(seed, "icustays", block)
    known = scenarios()
    n = len(adm.patient)
    factor = {name: adm.course[:, i] for name, i in FACTOR.items()}
    grave = np.maximum(factor["shock"] - 1.2, 0) + np.maximum(factor["breathing"] - 1.2, 0)
    comfort = adm.has[:, GROUP["palliative_care"]] & ~adm.died
    need = 0.635 * known.icu[adm.reason] * np.clip(1 + 0.25 * adm.severity + 0.6 * grave, 0.25, 2.2) + 0.2 * adm.died
    certain = known.icu[adm.reason] > 0.9
    admitted = rng.chance(n, np.where(certain, 0.985, np.where(comfort, 0.3, 1.0) * need)) & (adm.hours > 9)
    first = np.flatnonzero(admitted)
    again = first[rng.chance(len(first), np.where(adm.hours[first] > 120, 0.12, 0.0))]

    hours = adm.hours[first]
    # Planned surgery arrives from theatre; most emergencies come straight from the emergency department.
    direct = rng.chance(len(first), 0.62)
    wait = np.where(
        adm.plan[first] == SURGERY, 4 + 4 * rng.uniform(len(first)),
        np.where(direct, 0.4 + 1.8 * rng.exponential(len(first)), 0.45 * hours * rng.uniform(len(first))),
    )  # fmt: skip
    wait = np.minimum(wait, 0.6 * hours)
    late = np.maximum(adm.onset[first], 0)
    wait = np.where(late > 8, np.minimum(late + 2, 0.7 * hours), wait)
    stay = (20 + 56 * rng.exponential(len(first))) * exp(
        0.26 * np.minimum(grave[first], 3.5) + 0.1 * adm.severity[first]
    )
    left = hours - wait
    stay = np.minimum(np.maximum(stay, 4), np.maximum(left - 9 - 8 * rng.uniform(len(first)), 0.35 * left))
    dies_there = (adm.died[first] & rng.chance(len(first), 0.8)) | rng.chance(len(first), 0.05)
    stay = np.where(dies_there, left, stay)
    begin = adm.admit[first] + np.floor(wait * HOUR).astype(np.int64)
    # Wards follow each other without a gap: whoever waits under two hours goes straight to the unit.
    ready = np.maximum(adm.edout, adm.admit)[first]
    begin = np.where(begin < ready + 2 * HOUR, ready, begin)
    end = np.where(dies_there, adm.discharge[first], begin + np.floor(stay * HOUR).astype(np.int64))
    # A second stay begins a day or more after the first, if there is time for it.
    position = np.searchsorted(first, again)
    resumed = end[position] + np.floor((20 + 30 * rng.uniform(len(again))) * HOUR).astype(np.int64)
    ended = resumed + np.floor((14 + 26 * rng.exponential(len(again))) * HOUR).astype(np.int64)
    fits = ended < adm.discharge[again] - 8 * HOUR
    again, resumed, ended = again[fits], resumed[fits], ended[fits]

    admission = np.concatenate([first, again])
    intime, outtime = np.concatenate([begin, resumed]), np.concatenate([end, ended])
    second = np.concatenate([np.zeros(len(first), bool), np.ones(len(again), bool)])
    order = np.lexsort((intime, admission))
    admission, intime, outtime, second = admission[order], intime[order], outtime[order], second[order]
    return _treated(rng, seed, who, adm, admission, intime, outtime, second)


def _numbered(patient: AnyArray) -> Ints:
    """Place of each row among the rows of its patient."""
    if not len(patient):
        return np.zeros(0, np.int64)
    rows = np.arange(len(patient))
    starts = np.concatenate([[True], patient[1:] != patient[:-1]])
    return np.asarray(rows - np.maximum.accumulate(np.where(starts, rows, 0)))


def _treated(
    rng: Draws, seed: int, who: People, adm: Admissions, admission: Ints, intime: Ints, outtime: Ints, second: Bools
) -> IcuStays:
    """The stays with their units, lines and machines."""
    n = len(admission)
    patient = adm.patient[admission]
    nth = np.minimum(_numbered(patient), MOST_ADMISSIONS - 1)
    course = adm.course[admission]
    shock, breathing = course[:, FACTOR["shock"]], course[:, FACTOR["breathing"]]
    brain, kidney = course[:, FACTOR["brain"]], course[:, FACTOR["kidney"]]
    reason = adm.reason[admission]
    heart_surgery = np.isin(reason, [REASON["bypass"], REASON["valve_surgery"]]) & ~second
    units = service_words()[2]
    first_unit = np.zeros(n, np.int64)
    bits = rng.bits16(n)
    for name, bed in _BED.items():
        mine = np.array([unit == name for unit in units])[reason]
        first_unit = np.where(mine, bed.of(bits), first_unit)
    moved = rng.chance(n, 0.07)
    last_unit = np.where(moved, np.array([2, 3, 0, 1, 5, 4, 7, 6, 7])[first_unit], first_unit)

    hours = (outtime - intime) / HOUR
    need = np.clip((breathing - 0.75) / 1.2, 0, 0.93) + 0.25 * np.clip(brain - 1.0, 0, 1.5)
    no_tube = adm.has[admission][:, GROUP["do_not_resuscitate"]] & ~adm.died[admission]
    ventilated = rng.chance(n, np.where(heart_surgery, 0.98, np.where(no_tube, 0.3, 1.0) * need)) & (hours > 5)
    on_arrival = heart_surgery | rng.chance(n, 0.6)
    delay = np.where(on_arrival, 0.15 + 0.3 * rng.uniform(n), 0.25 * hours * rng.uniform(n))
    length = np.where(
        heart_surgery, 4 + 7 * rng.exponential(n), (10 + 30 * rng.exponential(n)) * (0.4 + 0.5 * breathing)
    )
    to_the_end = adm.died[admission] & (outtime == adm.discharge[admission]) & rng.chance(n, 0.75)
    room = np.maximum(hours - delay - 2.0, 1.5)
    length = np.where(to_the_end, hours - delay, np.minimum(length, room))
    start = intime + np.floor(delay * 60).astype(np.int64) * 60
    stop = np.minimum(start + np.floor(length * 60).astype(np.int64) * 60, outtime)

    esrd = adm.has[admission][:, GROUP["end_stage_renal_disease"]]
    crrt = rng.chance(n, np.clip((kidney - 1.2) * 0.5, 0, 0.6) * (shock > 1.0)) & (hours > 24)
    crrt |= esrd & (shock > 1.4) & rng.chance(n, 0.5)
    weight = who.weight_kg[patient] * (1 + 0.03 * rng.normal(n) + 0.02 * np.minimum(shock, 2))
    freed = np.where(outtime == adm.discharge[admission], adm.left[admission], outtime)
    upside_down = rng.chance(n, 65 / 76540)
    return IcuStays(
        admission=admission,
        stay_id=stay_ids(who.number[patient], nth, seed),
        first_unit=first_unit,
        last_unit=last_unit,
        intime=intime,
        outtime=outtime,
        outtime_shown=np.where(upside_down, intime - 60 * (1 + rng.below(n, 600)), freed),
        ventilated=np.where(ventilated, start, 0),
        extubated=np.where(ventilated, stop, 0),
        noninvasive=~ventilated & rng.chance(n, np.clip(0.35 * (breathing - 0.5), 0, 0.5)),
        arterial_line=rng.chance(n, np.where(heart_surgery, 0.98, 0.22 + 0.3 * ventilated + 0.3 * (shock > 1.0))),
        central_line=rng.chance(n, np.where(heart_surgery, 0.6, 0.12 + 0.22 * ventilated + 0.4 * (shock > 1.2))),
        pa_catheter=rng.chance(n, np.where(heart_surgery, 0.5, 0.01)) | _planned(adm, admission, rng),
        second_line=rng.chance(n, 0.06),
        catheter=rng.chance(n, np.where(ventilated, 0.97, 0.62)),
        dialysis=(esrd & ~crrt & rng.chance(n, 0.65)) | (rng.chance(n, np.clip((kidney - 1.6) * 0.3, 0, 0.3)) & ~crrt),
        crrt=crrt,
        icp=(brain > 1.3) & rng.chance(n, 0.4) & (first_unit >= 6),
        weight_kg=np.clip(np.round(weight, 1), 35, 260),
    )


def _planned(adm: Admissions, admission: Ints, rng: Draws) -> Bools:
    """Pulmonary artery catheters of the scenarios that name one."""
    share = scenarios().procedures[adm.reason[admission], PROCEDURE["pulmonary_artery_catheter"]]
    return rng.chance(len(admission), 0.7 * share)
