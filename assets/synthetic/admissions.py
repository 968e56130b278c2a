"""Why and when each patient is admitted, how bad it gets, and how it ends.

A patient's admissions are drawn from the scenarios of `data/scenarios.csv`, weighted by age, sex and chronic illness;
each scenario brings its acute problems, the course of its organ failures, its procedures, drugs and billing groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic.columns import DAY
from assets.synthetic.draws import Bools, Draws, Floats, Ints, exp, within
from assets.synthetic.identifiers import MOST_ADMISSIONS, hadm_ids
from assets.synthetic.people import People
from assets.synthetic.word_lists import FACTOR, FACTORS, GROUP, PLANS, REASON, conditions, rows, scenarios

HOUR = 3600
ED, OBSERVATION, ELECTIVE, SURGERY = range(len(PLANS))

_EVER_ADMITTED = 0.545
_READMITTED = 0.85
_READMITTED_PER_BURDEN = 0.9
_SOON = 0.2
_DEATH_SCALE = 0.43

_FEVER = ("sepsis", "pneumonia", "urinary_tract_infection", "cellulitis", "clostridium_difficile")


@dataclass(frozen=True)
class Admissions:
    """Hospital admissions as arrays, one row each, by patient and time. Times are seconds since 1970."""

    patient: Ints
    """Row of the patient in the block."""
    nth: Ints
    hadm_id: Ints
    reason: Ints
    plan: Ints
    age: Ints
    """In years, of the patient at admission; not capped."""
    severity: Floats
    """Standard normal; what of the outcome the scenario does not explain."""
    edreg: Ints
    """Arrival in the emergency department; 0 if the patient did not come that way."""
    edout: Ints
    admit: Ints
    discharge: Ints
    left: Ints
    """When the bed was free again, as transfers says it; minutes to hours after `discharge`."""
    died: Bools
    icd10: Bools
    charted: Bools
    """The electronic drug chart (emar) was in use."""
    has: Bools
    """[admission, diagnosis group]: chronic and acute."""
    course: Floats
    """[admission, factor]: peak of each organ's trouble."""
    onset: Floats
    """Hours from admission to the start of the trouble; negative if it began before."""
    pace: Floats
    """How slowly it resolves; 1 is usual."""
    real_year: Ints

    @property
    def hours(self) -> Floats:
        """Length of stay in hours."""
        return np.asarray((self.discharge - self.admit) / HOUR)


def _year_start(year: Ints) -> Ints:
    return (year - 1970).astype("datetime64[Y]").astype("datetime64[s]").astype(np.int64)


def year_of(seconds: Ints) -> Ints:
    """Calendar year of a time."""
    return seconds.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970


def _reasons(rng: Draws, who: People, patient: Ints, age: Ints) -> Ints:
    """A scenario for each admission."""
    known = scenarios()
    chronic = who.chronic[patient]
    distance = (age[:, None] - known.age) / known.spread
    weight = known.weight * np.maximum(exp(-0.5 * distance * distance), 0.03)
    favoured = (chronic.astype(np.float64) @ known.favours.T.astype(np.float64)) > 0
    weight *= np.where(favoured, 3.2, 1.0)
    principal = known.principal.astype(np.int64)
    chronic_principal = (principal >= 0) & conditions().chronic[principal]
    ill = chronic[:, np.maximum(principal, 0)]
    weight *= np.where(chronic_principal, np.where(ill, 2.6, 0.10), 1.0)
    weight *= np.where(known.women_only & ~who.female[patient][:, None], 0, 1)
    weight *= np.where(known.men_only & who.female[patient][:, None], 0, 1)
    for name in ("dialysis_trouble", "fistula"):
        weight[:, REASON[name]] *= np.where(chronic[:, GROUP["end_stage_renal_disease"]], 25, 0)
    weight[:, REASON["birth"]] *= np.where((age < 45) & who.female[patient], 1, 0)
    weight[:, REASON["hip_fracture"]] *= np.where(age > 45, 1, 0.05)
    # Whole numbers, so that the running sum is the same on every machine.
    upto = np.cumsum(np.rint(weight * 4096).astype(np.int64), axis=1)
    drawn = rng.below(len(patient), upto[:, -1])
    return np.asarray((drawn[:, None] >= upto).sum(axis=1), dtype=np.int64)


def _count(rng: Draws, who: People) -> Ints:
    """Admissions of each patient."""
    n = len(who.number)
    more = np.floor(rng.exponential(n) * (_READMITTED + _READMITTED_PER_BURDEN * who.burden)).astype(np.int64)
    ever = rng.chance(n, _EVER_ADMITTED * np.where(who.burden > 0, 1.25, 0.82))
    return np.where(ever, 1 + np.minimum(more, MOST_ADMISSIONS - 1), 0)


def _acute(rng: Draws, reason: Ints, severity: Floats, has: Bools, course: Floats) -> None:
    """Add the acute problems of each admission to `has`; where one drives an organ's trouble, to `course`."""
    known = scenarios()
    n = len(reason)
    for g in np.flatnonzero(known.problems.sum(axis=0)):
        has[:, g] |= rng.chance(n, known.problems[reason, g] * np.clip(1 + 0.3 * severity, 0.3, 1.8))
    principal = known.principal[reason].astype(np.int64)
    named = principal >= 0
    has[np.flatnonzero(named), principal[named]] = True

    def column(name: str) -> Bools:
        return has[:, GROUP[name]]

    def trouble(name: str) -> Floats:
        return course[:, FACTOR[name]]

    def when(group: str, peak: Floats, threshold: float, probability: float) -> None:
        has[:, GROUP[group]] |= (peak > threshold) & rng.chance(n, probability)

    # Chronic organs fail first.
    trouble("kidney")[:] *= np.where(column("chronic_kidney_disease"), 1.2, 1.0)
    trouble("kidney")[:] *= np.where(column("end_stage_renal_disease"), 0.1, 1.0)
    trouble("breathing")[:] *= np.where(column("copd") | column("heart_failure"), 1.2, 1.0)
    trouble("shock")[:] = np.where(column("septic_shock"), np.maximum(trouble("shock"), 1.6), trouble("shock"))
    infected = has[:, [GROUP[name] for name in _FEVER]].any(axis=1)
    trouble("inflammation")[:] = np.where(infected, np.maximum(trouble("inflammation"), 0.6), trouble("inflammation"))
    bled = column("acute_blood_loss_anemia")
    trouble("bleeding")[:] = np.where(bled, np.maximum(trouble("bleeding"), 1.0), trouble("bleeding"))
    injured = column("acute_kidney_injury") & ~column("end_stage_renal_disease")
    trouble("kidney")[:] = np.where(injured, np.maximum(trouble("kidney"), 0.55), trouble("kidney"))
    when("acute_kidney_injury", trouble("kidney"), 0.45, 0.8)
    has[:, GROUP["acute_kidney_injury"]] &= ~column("end_stage_renal_disease")
    when("acute_respiratory_failure", trouble("breathing"), 1.35, 0.75)
    when("acidosis", trouble("shock"), 1.8, 0.35)
    when("hypotension", trouble("shock"), 0.8, 0.15)
    when("delirium", trouble("brain"), 0.7, 0.08)
    # What any long or grave illness brings along, at a low rate.
    for group, probability in (
        ("hypokalemia", 0.045), ("hyponatremia", 0.05), ("urinary_tract_infection", 0.04), ("delirium", 0.015),
        ("malnutrition", 0.03), ("pressure_ulcer", 0.01), ("accidental_fall", 0.03), ("hypernatremia", 0.012),
        ("hyperkalemia", 0.02), ("do_not_resuscitate", 0.02), ("thrombocytopenia", 0.025), ("hematuria", 0.015),
        ("pleural_effusion", 0.02), ("volume_depletion", 0.03), ("acidosis", 0.015), ("coagulopathy", 0.008),
        ("ascites", 0.004), ("clostridium_difficile", 0.008), ("deep_vein_thrombosis", 0.006),
        ("pneumonia", 0.012), ("hypotension", 0.02), ("encephalopathy", 0.008), ("pneumothorax", 0.003),
    ):  # fmt: skip
        has[:, GROUP[group]] |= rng.chance(n, probability * np.clip(1 + 0.5 * severity, 0.2, 2.5))
    has[:, GROUP["hypernatremia"]] &= ~column("hyponatremia")
    has[:, GROUP["hyperkalemia"]] &= ~column("hypokalemia")


def _ordered(rng: Draws, who: People, patient: Ints, nth: Ints, length: Ints) -> Ints:
    """Time of each admission: the first in the anchor year, the next after a gap, some within a month."""
    n = len(patient)
    soon = rng.chance(n, _SOON)
    gap = np.where(soon, 2 + rng.exponential(n) * 12, 25 + rng.exponential(n) * 300)
    gap_seconds = np.floor(gap * DAY).astype(np.int64)
    first = nth == 0
    start = _year_start(who.anchor_year)[patient] + np.floor(rng.uniform(n) * 364 * DAY).astype(np.int64)
    step = np.where(first, 0, gap_seconds) + np.where(first, 0, np.roll(length, 1))
    run = np.cumsum(step)
    first_row = np.maximum.accumulate(np.where(first, np.arange(n), 0))
    return np.asarray(start[first_row] + run - run[first_row])


def admissions(seed: int, block: int, who: People) -> Admissions:
    """The admissions of the block's patients, none of them after a death in hospital or after 2022."""
    rng = Draws(seed, "admissions", block)
    known = scenarios()
    count = _count(rng, who)
    patient, nth = within(count)
    n = len(patient)
    reason = _reasons(rng, who, patient, np.minimum(who.age[patient], 96))
    severity = rng.normal(n).astype(np.float64)
    plan = known.plan[reason].astype(np.int64)
    days = known.days[reason] * exp(0.52 * rng.normal(n) + 0.28 * np.maximum(severity, -1.2))
    days = np.clip(days, 0.35, 75)
    rough = _ordered(rng, who, patient, nth, np.floor(days * DAY).astype(np.int64))
    # Admissions by clock: operations in the morning, emergencies from noon to midnight.
    day = rough // DAY
    clock = np.where(plan >= ELECTIVE, 7.2 + 1.4 * rng.exponential(n), 15.5 + 5.5 * rng.normal(n))
    admit = day * DAY + np.floor(np.clip(clock, 0.1, 23.9) * 60).astype(np.int64) * 60
    # People leave in the early afternoon.
    leave = 12.0 + 2.5 * rng.normal(n) + 1.5 * rng.uniform(n)
    discharge = (day + np.maximum(np.rint(days), 1).astype(np.int64)) * DAY
    discharge += np.floor(np.clip(leave, 8, 21.5) * 60).astype(np.int64) * 60
    short = (plan == OBSERVATION) & (days < 1.0)
    discharge = np.where(short, admit + np.floor(days * 20 * 60).astype(np.int64) * 60 + 4 * HOUR, discharge)
    age = who.age[patient] + year_of(admit) - who.anchor_year[patient]
    real_year = who.real_year[patient] + year_of(admit) - who.anchor_year[patient]

    course = known.course[reason] * exp(0.42 * rng.normal(n * len(FACTORS)).reshape(n, -1) + 0.22 * severity[:, None])
    has = who.chronic[patient].copy()
    _acute(rng, reason, severity, has, course)
    grave = has[:, GROUP["septic_shock"]] | has[:, GROUP["cardiac_arrest"]]
    limits = has[:, GROUP["do_not_resuscitate"]] | has[:, GROUP["palliative_care"]]
    risk = _DEATH_SCALE * known.death[reason] * exp(0.033 * (np.clip(age, 18, 100) - 66) + 0.85 * severity)
    died = rng.chance(n, np.clip(risk * np.where(limits, 1.7, 0.85) * np.where(grave, 1.15, 1.0), 0, 0.93))
    # Whoever dies was sicker, and the end comes at any hour.
    course *= np.where(died, 1.35, 0.97)[:, None]
    course[:, FACTOR["shock"]] += died * (0.7 + 0.6 * rng.uniform(n))
    course[:, FACTOR["breathing"]] += died * 0.4 * rng.uniform(n)
    course[:, FACTOR["kidney"]] += died * 0.35 * rng.uniform(n) * ~has[:, GROUP["end_stage_renal_disease"]]
    dying = np.floor(np.maximum(days * (0.25 + 0.9 * rng.uniform(n)), 0.3) * 24 * 60).astype(np.int64) * 60
    discharge = np.where(died, admit + dying, discharge)

    course = np.minimum(course, 3.6)

    emergency = plan == ED
    emergency &= rng.chance(n, 0.86)
    emergency |= (plan == OBSERVATION) & rng.chance(n, 0.9)
    waited = np.floor((1.6 + 2.4 * rng.exponential(n)) * 60).astype(np.int64) * 60
    boarded = np.floor((0.3 + 1.6 * rng.exponential(n)) * 60).astype(np.int64) * 60
    boarded = np.minimum(boarded, np.maximum((discharge - admit) // 2 // 60 * 60, 60))
    onset = np.where(plan == SURGERY, 3.0 + 2 * rng.uniform(n), -12.0 - 20 * rng.uniform(n))
    late = (plan == ED) & rng.chance(n, 0.08)
    onset = np.where(late, rng.uniform(n) * 60, onset)

    # No admission after a death, before the last one ended, or after the years the database covers.
    died_before = np.zeros(n, dtype=bool)
    if n:
        deaths: Ints = np.cumsum(died) - died
        first_row = np.maximum.accumulate(np.where(nth == 0, np.arange(n), 0))
        died_before = deaths > deaths[first_row]
    keep = ~died_before & (real_year <= 2022)
    roll_out = np.array([0, 0, 0, 0.12, 0.4, 0.75, 0.95])[np.clip(real_year - 2008, 0, 6)]
    everything = Admissions(
        patient=patient,
        nth=nth,
        hadm_id=hadm_ids(who.number[patient], nth, seed),
        reason=reason,
        plan=plan,
        age=age,
        severity=severity,
        edreg=np.where(emergency, admit - waited, 0),
        edout=np.where(emergency, admit + boarded, 0),
        admit=admit,
        discharge=discharge,
        left=discharge + np.floor(60 * np.where(rng.chance(n, 0.6), 3, 34) * rng.exponential(n)).astype(np.int64),
        died=died,
        icd10=(real_year > 2015) | ((real_year == 2015) & (admit % (365 * DAY) > 270 * DAY)),
        charted=rng.chance(n, roll_out),
        has=has,
        course=course,
        onset=onset,
        pace=np.clip(exp(0.3 * rng.normal(n)), 0.5, 2.2),
        real_year=real_year,
    )
    return Admissions(**{name: values[keep] for name, values in vars(everything).items()})


def service_words() -> tuple[list[str], list[str], list[str]]:
    """Service, ward and care-unit group of each scenario."""
    data = rows("scenarios")
    return [row["service"] for row in data], [row["ward"] for row in data], [row["unit"] for row in data]
