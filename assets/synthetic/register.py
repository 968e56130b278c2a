"""Tables of registration: patients, admissions, transfers, services, icustays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import ED, ELECTIVE, HOUR, OBSERVATION, SURGERY, service_words
from assets.synthetic.block import Block
from assets.synthetic.columns import dates, moments, pick, real, table, whole, words
from assets.synthetic.draws import AnyArray, Choice, Ints
from assets.synthetic.identifiers import transfer_ids
from assets.synthetic.intensive import UNITS
from assets.synthetic.people import INSURANCES, LANGUAGES, MARITAL, RACES, YEAR_GROUPS
from assets.synthetic.word_lists import GROUP

_UNKNOWN_RACES = 3
_TYPES = words(
    ["EW EMER.", "DIRECT EMER.", "URGENT", "OBSERVATION ADMIT", "EU OBSERVATION", "DIRECT OBSERVATION",
     "AMBULATORY OBSERVATION", "ELECTIVE", "SURGICAL SAME DAY ADMISSION"]
)  # fmt: skip
_TYPE_OF = {
    ED: Choice([50, 5, 14, 22, 0, 0, 0, 0, 0]),
    OBSERVATION: Choice([0, 0, 0, 10, 66, 14, 10, 0, 0]),
    ELECTIVE: Choice([0, 0, 0, 0, 0, 0, 0, 100, 0]),
    SURGERY: Choice([0, 0, 0, 0, 0, 0, 0, 12, 88]),
}
_FROM = words(
    ["EMERGENCY ROOM", "PHYSICIAN REFERRAL", "TRANSFER FROM HOSPITAL", "WALK-IN/SELF REFERRAL", "CLINIC REFERRAL",
     "TRANSFER FROM SKILLED NURSING FACILITY", "PROCEDURE SITE", "PACU", "INTERNAL TRANSFER TO OR FROM PSYCH",
     "INFORMATION NOT AVAILABLE", "AMBULATORY SURGERY TRANSFER"]
)  # fmt: skip
_ARRIVED_ED = Choice([70, 12, 3, 9, 2, 3, 0, 0, 0.2, 0.2, 0])
_ARRIVED_DIRECT = Choice([1, 22, 60, 2, 8, 5, 0.5, 0, 1, 0.3, 0])
_ARRIVED_PLANNED = Choice([0, 82, 1, 0, 6, 0, 7, 3, 0, 0.3, 0.5])
_TO = words(
    ["HOME", "HOME HEALTH CARE", "SKILLED NURSING FACILITY", "REHAB", "CHRONIC/LONG TERM ACUTE CARE", "HOSPICE",
     "AGAINST ADVICE", "PSYCH FACILITY", "ACUTE HOSPITAL", "OTHER FACILITY", "DIED", "ASSISTED LIVING"]
)  # fmt: skip
_HOME, _HEALTH_CARE, _NURSING, _REHAB, _LONG_TERM, _HOSPICE, _ADVICE, _PSYCH, _ACUTE, _OTHER, _DIED, _ASSISTED = range(
    12
)
_WARDS = (
    "Medicine", "Med/Surg", "Medicine/Cardiology", "Neurology", "Cardiac Surgery", "Transplant", "Vascular",
    "Med/Surg/Trauma", "Hematology/Oncology", "Hematology/Oncology Intermediate", "Med/Surg/GYN", "Psychiatry",
    "Labor & Delivery", "Surgery/Trauma", "Medicine/Cardiology Intermediate", "Observation", "Discharge Lounge", "PACU",
    "Emergency Department", "Emergency Department Observation", "Obstetrics (Postpartum & Antepartum)", "UNKNOWN",
)  # fmt: skip
_WARD = {name: i for i, name in enumerate(_WARDS)}
_CAREUNITS = words([*_WARDS, *UNITS])
_SERVICES = [*sorted(set(service_words()[0])), "ENT"]
_NEXT_SERVICE = {"CMED": "CSURG", "MED": "CMED", "OMED": "MED", "SURG": "MED", "TRAUM": "ORTHO", "NSURG": "NMED"}


def patients(block: Block) -> pa.Table:
    """patients: one row per patient."""
    rng = block.draws("patients")
    who = block.who
    n = len(who.number)
    too_early = (block.dod > 0) & rng.chance(n, faults.DEATH_BEFORE_ADMISSION)
    return table(
        "patients",
        {
            "subject_id": whole(who.subject_id),
            "gender": pick(1 - who.female.astype(np.int8), words(["F", "M"])),
            # Over 89 is identifying: MIMIC-IV says 91 for all of them (fault 36).
            "anchor_age": whole(np.where(who.age > 89, 91, who.age)),
            "anchor_year": whole(who.anchor_year),
            "anchor_year_group": pick(who.year_group, words(YEAR_GROUPS)),
            "dod": dates(block.dod - np.where(too_early, 400 * 86_400, 0), block.dod == 0),
        },
    )


def _destination(block: Block) -> Ints:
    """Where each admission was discharged to: the old and the long ill not home."""
    rng = block.draws("destination")
    adm = block.adm
    n = len(adm.patient)
    frail = np.clip((adm.age - 62) * 0.0125, 0, 0.4) + np.clip((adm.hours - 96) / 1600, 0, 0.2)
    frail += 0.18 * adm.has[:, GROUP["hip_fracture"]] + 0.12 * adm.has[:, GROUP["dementia"]]
    stroke = adm.has[:, GROUP["ischemic_stroke"]] | adm.has[:, GROUP["intracerebral_hemorrhage"]]
    stroke |= adm.has[:, GROUP["hip_fracture"]] | adm.has[:, GROUP["subdural_hemorrhage"]]
    long_term = 0.05 * (adm.hours > 300) + 0.003
    leaves = 0.01 + 0.035 * (adm.has[:, GROUP["alcohol_disorder"]] | adm.has[:, GROUP["opioid_disorder"]])
    dying = 0.55 * adm.has[:, GROUP["palliative_care"]]
    services = np.array([s == "PSYCH" for s in service_words()[0]])[adm.reason]
    u = rng.uniform(n)
    chances = [dying, leaves, long_term, 0.32 * stroke + 0.012, frail, 0.06 * services, np.full(n, 0.006)]
    places = [_HOSPICE, _ADVICE, _LONG_TERM, _REHAB, _NURSING, _PSYCH, _ACUTE]
    helped = rng.chance(n, np.clip(0.06 + 0.006 * (adm.age - 40) + 0.1 * (adm.hours > 90), 0.03, 0.6))
    place = np.where(helped, _HEALTH_CARE, _HOME)
    upto = np.zeros(n)
    taken = np.zeros(n, bool)
    for share, where in zip(chances, places, strict=True):
        upto = upto + share
        mine = (u < upto) & ~taken
        place = np.where(mine, where, place)
        taken |= mine
    absent = rng.chance(n, np.where(adm.plan == OBSERVATION, 0.75, faults.DISCHARGE_LOCATION_ABSENT))
    place = np.where(absent & (place == _HOME), -1, place)
    return np.asarray(np.where(adm.died, _DIED, place), dtype=np.int64)


def admissions(block: Block) -> pa.Table:
    """admissions: one row per hospital stay."""
    rng = block.draws("admissions table")
    adm, who = block.adm, block.who
    n = len(adm.patient)
    kind = np.zeros(n, np.int64)
    bits = rng.bits16(n)
    for plan, choice in _TYPE_OF.items():
        kind = np.where(adm.plan == plan, choice.of(bits), kind)
    bits = rng.bits16(n)
    arrived = np.where(
        adm.edreg > 0, _ARRIVED_ED.of(bits),
        np.where(adm.plan >= ELECTIVE, _ARRIVED_PLANNED.of(bits), _ARRIVED_DIRECT.of(bits)),
    )  # fmt: skip
    race = np.where(rng.chance(n, faults.RACE_CONFLICT), rng.below(n, 8), who.race[adm.patient])
    lost = rng.chance(n, faults.RACE_UNKNOWN)
    race = np.where(lost, len(RACES) - _UNKNOWN_RACES + rng.below(n, _UNKNOWN_RACES), race)
    marital = np.where(rng.chance(n, faults.MARITAL_CONFLICT), rng.below(n, 4), who.marital[adm.patient])
    insurance = np.where(rng.chance(n, faults.INSURANCE_CONFLICT), rng.below(n, 4), who.insurance[adm.patient])
    language = np.where(rng.chance(n, faults.LANGUAGE_UNKNOWN), len(LANGUAGES) - 1, who.language[adm.patient])
    # Declared dead at one minute, discharged at another.
    differs = adm.died & rng.chance(n, faults.DEATH_AFTER_DISCHARGE)
    death = np.where(differs, adm.discharge - 60 * (1 + rng.below(n, 150)), adm.discharge)
    death = np.maximum(death, adm.admit + 60)
    inverted = rng.chance(n, faults.DISCHARGE_BEFORE_ADMISSION)
    discharge = np.where(inverted, adm.admit - 60 * (1 + rng.below(n, 900)), adm.discharge)
    # Not yet discharged from one stay when the next begins.
    followed = np.flatnonzero(
        (adm.patient[1:] == adm.patient[:-1]) & rng.chance(max(n - 1, 0), faults.ADMISSION_OVERLAP)
    )
    discharge[followed] = adm.admit[followed + 1] + 7200
    return table(
        "admissions",
        {
            "subject_id": whole(who.subject_id[adm.patient]),
            "hadm_id": whole(adm.hadm_id),
            "admittime": moments(adm.admit),
            "dischtime": moments(discharge),
            "deathtime": moments(death, ~adm.died),
            "admission_type": pick(kind, _TYPES),
            "admit_provider_id": pick(rng.below(n, block.providers), block.provider_ids),
            "admission_location": pick(arrived, _FROM),
            "discharge_location": pick(_destination(block), _TO),
            "insurance": pick(insurance, words(INSURANCES)),
            "language": pick(language, words([name for name, _ in LANGUAGES])),
            "marital_status": pick(marital, words(MARITAL), rng.chance(n, faults.MARITAL_ABSENT)),
            "race": pick(race, words([name for name, _ in RACES])),
            "edregtime": moments(adm.edreg, adm.edreg == 0),
            "edouttime": moments(adm.edout, adm.edreg == 0),
            "hospital_expire_flag": whole(adm.died),
        },
    )


def icustays(block: Block) -> pa.Table:
    """icustays: one row per ICU stay."""
    icu = block.icu
    # los is the quotient of two times: `noise_ops.faults`, 46, where they are wrong.
    days = (icu.outtime_shown - icu.intime) / 86_400
    return table(
        "icustays",
        {
            "subject_id": whole(block.subject(icu.admission)),
            "hadm_id": whole(block.adm.hadm_id[icu.admission]),
            "stay_id": whole(icu.stay_id),
            "first_careunit": pick(icu.first_unit, words(UNITS)),
            "last_careunit": pick(icu.last_unit, words(UNITS)),
            "intime": moments(icu.intime),
            "outtime": moments(icu.outtime_shown),
            "los": real(days),
        },
    )


def services(block: Block) -> pa.Table:
    """services: which service is in charge; another one may take over."""
    rng = block.draws("services")
    adm = block.adm
    n = len(adm.patient)
    first = np.array([_SERVICES.index(name) for name in service_words()[0]])[adm.reason]
    following = np.array([_SERVICES.index(_NEXT_SERVICE.get(name, "MED")) for name in _SERVICES])
    changed = np.flatnonzero(rng.chance(n, 0.085) & (following[first] != first) & (adm.hours > 30))
    start = adm.admit + 15 + rng.below(n, 240)
    later = adm.admit[changed] + np.floor((adm.discharge - adm.admit)[changed] * rng.between(len(changed), 0.1, 0.8))
    row = np.concatenate([np.arange(n), changed])
    time = np.concatenate([start, later.astype(np.int64)])
    current = np.concatenate([first, following[first[changed]]])
    previous = np.concatenate([np.full(n, -1), first[changed]])
    order = np.lexsort((time, row))
    row = row[order]
    return table(
        "services",
        {
            "subject_id": whole(block.subject(row)),
            "hadm_id": whole(adm.hadm_id[row]),
            "transfertime": moments(time[order]),
            "prev_service": pick(previous[order], words(_SERVICES)),
            "curr_service": pick(current[order], words(_SERVICES)),
        },
    )


def transfers(block: Block) -> pa.Table:
    """transfers: every place a patient lay in, one after the other without a gap."""
    rng = block.draws("transfers")
    adm, icu, visits = block.adm, block.icu, block.visits
    n = len(adm.patient)
    ward = np.array([_WARD[name] for name in service_words()[1]])[adm.reason]
    observed = (adm.plan == OBSERVATION) & rng.chance(n, 0.6)
    ward = np.where(observed, _WARD["Emergency Department Observation"], ward)
    ward = np.where(rng.chance(n, 0.004), _WARD["UNKNOWN"], ward)
    begin = np.maximum(adm.edout, adm.admit)
    in_unit = np.zeros(n, bool)
    in_unit[icu.admission] = True
    # Where a ward begins: on admission, after an ICU stay, and on a change of ward.
    row: list[AnyArray] = [np.arange(n), icu.admission]
    time: list[AnyArray] = [begin, icu.intime]
    place: list[AnyArray] = [ward, icu.first_unit + len(_WARDS)]
    stays_on = np.flatnonzero(icu.outtime < adm.discharge[icu.admission])
    row.append(icu.admission[stays_on])
    time.append(icu.outtime[stays_on])
    place.append(ward[icu.admission[stays_on]])
    moved = np.flatnonzero((icu.last_unit != icu.first_unit) & (icu.outtime - icu.intime > 8 * HOUR))
    row.append(icu.admission[moved])
    time.append(icu.intime[moved] + (icu.outtime - icu.intime)[moved] // 2)
    place.append(icu.last_unit[moved] + len(_WARDS))
    recovery = np.flatnonzero((adm.plan == SURGERY) & rng.chance(n, 0.5))
    row.append(recovery)
    time.append(adm.admit[recovery] + HOUR)
    place.append(np.full(len(recovery), _WARD["PACU"]))
    row.append(recovery)
    time.append(adm.admit[recovery] + 4 * HOUR)
    place.append(ward[recovery])
    again = np.flatnonzero(rng.chance(n, 0.32) & (adm.hours > 40))
    row.append(again)
    time.append(adm.admit[again] + np.floor((adm.discharge - adm.admit)[again] * rng.between(len(again), 0.15, 0.8)))
    place.append(np.where(rng.chance(len(again), 0.5), ward[again], rng.below(len(again), 9)))
    # An ICU ward without an ICU stay.
    passing = np.flatnonzero(rng.chance(n, faults.ICU_STAY_MISSING) & (adm.hours > 30) & ~in_unit)
    row.append(passing)
    time.append(adm.admit[passing] + 10 * HOUR)
    place.append(len(_WARDS) + rng.below(len(passing), len(UNITS)))
    row.append(passing)
    time.append(adm.admit[passing] + 21 * HOUR)
    place.append(ward[passing])
    lounge = np.flatnonzero(rng.chance(n, 0.1) & ~adm.died & (adm.hours > 20))
    row.append(lounge)
    time.append(adm.left[lounge] - 2 * HOUR)
    place.append(np.full(len(lounge), _WARD["Discharge Lounge"]))
    where, when, what = np.concatenate(row), np.concatenate(time).astype(np.int64), np.concatenate(place)
    starts = np.concatenate([np.arange(len(part)) * 0 + k for k, part in enumerate(row)])
    # Nothing but the ICU's own rows may cut an ICU stay, and nothing lies outside the admission.
    slot = np.searchsorted((icu.admission << 35) + icu.intime, (where << 35) + when, side="right") - 1
    safe = np.maximum(slot, 0)
    if len(icu.admission):
        inside = (slot >= 0) & (icu.admission[safe] == where) & (when < icu.outtime[safe])
        ends_all = (slot >= 0) & (icu.admission[safe] == where) & (icu.outtime[safe] == adm.discharge[where])
    else:
        inside = ends_all = np.zeros(len(where), bool)
    icu_row = (starts == 1) | (starts == 3)
    keep = icu_row | (~inside & ~(ends_all & (when >= icu.outtime[safe] if len(icu.admission) else inside)))
    keep &= (when >= begin[where]) & (when < adm.discharge[where])
    where, when, what = where[keep], when[keep], what[keep]
    order = np.lexsort((what, when, where))
    where, when, what = where[order], when[order], what[order]
    same_time = np.concatenate([[False], (where[1:] == where[:-1]) & (when[1:] == when[:-1])])
    where, when, what = where[~same_time], when[~same_time], what[~same_time]
    first = np.concatenate([[True], where[1:] != where[:-1]]) if len(where) else np.zeros(0, bool)
    last = np.concatenate([first[1:], [True]]) if len(where) else first
    until = np.where(last, adm.left[where], np.roll(when, -1))

    ed = np.flatnonzero(adm.edreg > 0)
    home = np.flatnonzero(visits.emergency)
    patient = np.concatenate([adm.patient[where], adm.patient, adm.patient[ed], visits.patient[home]])
    hadm = np.concatenate([adm.hadm_id[where], adm.hadm_id, adm.hadm_id[ed], np.zeros(len(home), np.int64)])
    intime = np.concatenate([when, adm.left, adm.edreg[ed], visits.time[home]])
    outtime = np.concatenate([until, np.zeros(n, np.int64), adm.edout[ed], visits.leave[home]])
    kind = np.concatenate([np.where(first, 0, 1), np.full(n, 2), np.full(len(ed), 3), np.full(len(home), 3)])
    emergency = _WARD["Emergency Department"]
    unit = np.concatenate([what, np.full(n, -1), np.full(len(ed) + len(home), emergency)])
    order = np.lexsort((kind == 2, intime, patient))
    return table(
        "transfers",
        {
            "subject_id": whole(block.who.subject_id[patient][order]),
            "hadm_id": whole(hadm[order], hadm[order] == 0),
            "transfer_id": whole(transfer_ids(block.block, np.arange(len(order)), block.seed)),
            "eventtype": pick(kind[order], words(["admit", "transfer", "discharge", "ED"])),
            "careunit": pick(unit[order], _CAREUNITS),
            "intime": moments(intime[order]),
            "outtime": moments(outtime[order], outtime[order] == 0),
        },
    )
