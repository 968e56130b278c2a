"""Everything about the patients of one block that more than one table needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from assets.synthetic import drips
from assets.synthetic.admissions import HOUR, OBSERVATION, SURGERY, Admissions, admissions
from assets.synthetic.columns import DAY, ArrowColumn
from assets.synthetic.course import Course, course
from assets.synthetic.draws import Bools, Draws, Ints, Singles, within
from assets.synthetic.intensive import IcuStays, icu_stays
from assets.synthetic.people import People, own_level, people
from assets.synthetic.provider import caregiver_ids, provider_ids
from assets.synthetic.word_lists import GROUP, INGREDIENT, conditions, rows, scenarios

PROVIDERS_PER_PATIENT = 9
"""Patients for each provider: MIMIC-IV has 40,508 providers for 364,627 patients."""


@dataclass(frozen=True)
class Visits:
    """Clinic visits, and visits to the emergency department that ended at home, by patient and time."""

    patient: Ints
    time: Ints
    emergency: Bools
    leave: Ints


@dataclass(frozen=True)
class Block:
    """The patients of one block, their admissions, ICU stays and visits."""

    seed: int
    block: int
    patients: int
    """In the whole hospital."""
    who: People
    adm: Admissions
    icu: IcuStays
    visits: Visits
    course: Course
    level: Singles
    ordered: Bools
    """[admission, ingredient]"""
    running: Bools
    """[stay, drip]"""
    dod: Ints
    """Date of death in seconds since 1970; 0 if not known."""

    @property
    def providers(self) -> int:
        """Number of providers in the hospital."""
        return int(np.clip(self.patients // PROVIDERS_PER_PATIENT, 120, 40_508))

    @property
    def caregivers(self) -> int:
        """Number of ICU caregivers in the hospital."""
        return int(np.clip(self.patients // 23, 80, 15_468))

    @property
    def provider_ids(self) -> ArrowColumn:
        """The providers, as a word list."""
        return provider_ids(self.providers)

    @property
    def caregiver_ids(self) -> Ints:
        """The ICU caregivers."""
        return caregiver_ids(self.caregivers)

    def draws(self, name: str) -> Draws:
        """The random numbers of one table of this block."""
        return Draws(self.seed, name, self.block)

    def subject(self, admission: Ints) -> Ints:
        """subject_id of admissions."""
        return self.who.subject_id[self.adm.patient[admission]]


def _orders(seed: int, block: int, who: People, adm: Admissions, icu: IcuStays, running: Bools) -> Bools:
    """[admission, ingredient]: which drugs are ordered at least once."""
    rng = Draws(seed, "drugs", block)
    n = len(adm.patient)
    use = np.zeros((len(INGREDIENT), 3))
    for row in rows("drug_use"):
        use[INGREDIENT[row["ingredient"]]] = [float(row["always"]), float(row["icu"]), float(row["surgery"])]
    use = np.rint(use * 1024) / 1024
    in_icu = np.zeros(n)
    in_icu[icu.admission] = 1
    # Sums of multiples of 1/1024 times 0 or 1: exact in any order.
    probability = use[:, 0] + in_icu[:, None] * use[:, 1] + (adm.plan == SURGERY)[:, None] * use[:, 2]
    probability = probability + adm.has.astype(np.float64) @ conditions().drugs + scenarios().drugs[adm.reason]
    short = (adm.plan == OBSERVATION) | (adm.hours < 30)
    probability *= np.where(short, 0.6, 1.0)[:, None]
    kidneys = adm.has[:, GROUP["acute_kidney_injury"]] | adm.has[:, GROUP["chronic_kidney_disease"]]
    for name in ("ibuprofen", "ketorolac", "metformin"):
        probability[:, INGREDIENT[name]] *= np.where(kidneys, 0.15, 1.0)
    probability[:, INGREDIENT["tamsulosin"]] *= np.where(who.female[adm.patient], 0.05, 1.0)
    probability[:, INGREDIENT["warfarin"]] *= np.where(who.warfarin[adm.patient], 1.0, 0.25)
    probability[:, INGREDIENT["warfarin"]] += who.warfarin[adm.patient] * 0.4
    ordered = rng.uniform(n * len(INGREDIENT)).reshape(n, -1) < np.clip(probability, 0, 0.985)
    for i, drip in enumerate(drips.DRIPS):
        runs = icu.admission[running[:, i]]
        ordered[runs[rng.chance(len(runs), 0.93)], INGREDIENT[drip.ingredient]] = True
    return np.asarray(ordered)


def _deaths(rng: Draws, who: People, adm: Admissions) -> Ints:
    """Date of death of each patient, known only up to a year after the last discharge; 0 if not known."""
    n = len(who.number)
    last = np.zeros(n, np.int64)
    last[adm.patient] = adm.discharge
    died = np.zeros(n, bool)
    died[adm.patient[adm.died]] = True
    frail = np.zeros(n)
    hospice = adm.has[:, GROUP["palliative_care"]] | adm.has[:, GROUP["metastatic_cancer"]]
    frail[adm.patient] = np.where(hospice, 0.42, 0.0)
    risk = frail + np.clip(0.014 + 0.0042 * (who.age - 50), 0.003, 0.3) * (0.5 + 0.28 * who.burden)
    later = rng.chance(n, np.clip(risk, 0, 0.75)) & (last > 0)
    days = np.minimum(np.floor(365 * rng.uniform(n) * (0.35 + 0.65 * rng.uniform(n))), 364).astype(np.int64)
    dod = np.where(died, last, np.where(later, last + (1 + days) * DAY, 0))
    return np.asarray(dod // DAY * DAY)


def _visits(rng: Draws, who: People, adm: Admissions, dod: Ints) -> Visits:
    """Routine visits around a patient's admissions, follow-up after them and preparation before."""
    n = len(who.number)
    middle = (who.anchor_year - 1970).astype("datetime64[Y]").astype("datetime64[s]").astype(np.int64) + 180 * DAY
    first, last = middle.copy(), middle.copy()
    reverse = np.arange(len(adm.patient))[::-1]
    first[adm.patient[reverse]] = adm.admit[reverse]
    last[adm.patient] = adm.discharge
    count = np.minimum(np.floor(rng.exponential(n) * (5.2 + 2.3 * who.burden)).astype(np.int64), 120)
    routine, _ = within(count)
    begin, end = first - 700 * DAY, last + 480 * DAY
    routine_time = begin[routine] + np.floor(rng.uniform(len(routine)) * (end - begin)[routine]).astype(np.int64)
    alive = np.flatnonzero(~adm.died)
    after = np.concatenate([alive[rng.chance(len(alive), p)] for p in (0.72, 0.55, 0.3)])
    after_time = adm.discharge[after] + np.floor((4 + 84 * rng.uniform(len(after))) * DAY).astype(np.int64)
    everyone = np.arange(len(adm.patient))
    before = np.concatenate([everyone[rng.chance(len(everyone), p)] for p in (0.6, 0.3)])
    before_time = adm.admit[before] - np.floor((2 + 160 * rng.uniform(len(before))) * DAY).astype(np.int64)
    patient = np.concatenate([routine, adm.patient[after], adm.patient[before]])
    time = np.concatenate([routine_time, after_time, before_time])
    emergency = rng.chance(len(time), 0.075)
    clock = np.where(emergency, 24 * rng.uniform(len(time)), 8 + 9 * rng.uniform(len(time)))
    time = time // DAY * DAY + np.floor(clock * 60).astype(np.int64) * 60
    stay = np.floor((1.5 + 4 * rng.exponential(len(time))) * 60).astype(np.int64) * 60

    # Nobody is in the clinic while in hospital, or after death.
    key = (patient << 35) + time
    arrivals = (adm.patient << 35) + np.where(adm.edreg > 0, adm.edreg, adm.admit) - 12 * HOUR
    order = np.argsort(key, kind="stable")
    patient, time, emergency, stay, key = patient[order], time[order], emergency[order], stay[order], key[order]
    slot = np.searchsorted(arrivals, key, side="right") - 1
    same = (slot >= 0) & (adm.patient[np.maximum(slot, 0)] == patient) if len(arrivals) else np.zeros(len(key), bool)
    inside = same & (time <= adm.discharge[np.maximum(slot, 0)] + HOUR) if len(arrivals) else same
    dead = (dod[patient] > 0) & (time + stay >= dod[patient])
    keep = ~inside & ~dead
    return Visits(patient[keep], time[keep], emergency[keep], (time + stay)[keep])


@lru_cache(maxsize=2)
def make_block(seed: int, block: int, patients: int) -> Block:
    """Block number `block` of the hospital of `patients` with this seed."""
    who = people(seed, block, patients)
    adm = admissions(seed, block, who)
    # A disease that brings someone to hospital was there before, whether or not anybody knew.
    principal = scenarios().principal[adm.reason].astype(np.int64)
    lasting = (principal >= 0) & conditions().chronic[principal]
    who.chronic[adm.patient[lasting], principal[lasting]] = True
    adm = replace(adm, has=adm.has | who.chronic[adm.patient])
    level = own_level(who.number, who.female, who.chronic, seed)
    icu = icu_stays(seed, block, who, adm)
    running = drips.plan(seed, block, adm, icu)
    ordered = _orders(seed, block, who, adm, icu, running)
    rng = Draws(seed, "block", block)
    dod = _deaths(rng, who, adm)
    heparin = np.zeros(len(adm.patient), bool)
    heparin[icu.admission[running[:, drips.DRIP["heparin"]]]] = True
    clot = adm.has[:, GROUP["pulmonary_embolism"]] | adm.has[:, GROUP["deep_vein_thrombosis"]]
    heparin |= clot & ordered[:, INGREDIENT["heparin"]]
    warfarin = who.warfarin[adm.patient]
    return Block(
        seed=seed,
        block=block,
        patients=patients,
        who=who,
        adm=adm,
        icu=icu,
        visits=_visits(rng, who, adm, dod),
        course=course(seed, block, who, level, adm, heparin, warfarin),
        level=level,
        ordered=ordered,
        running=running,
        dod=dod,
    )
