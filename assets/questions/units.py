"""The three units a question can be about."""

from __future__ import annotations

from assets.questions.grammar import Unit

ADMISSION = Unit(
    name="admission",
    noun="hospital admission",
    short="admission",
    plural="admissions",
    table="admissions",
    id="hadm_id",
    ids=("subject_id", "hadm_id"),
    support="admittime < dischtime",  # 142 admissions of MIMIC-IV end before they begin (mimic-code #1691)
    start="u.admittime",
    end="u.dischtime",
    contradiction="date_diff('second', u.admittime, u.dischtime) < 86400 AND "
    "date_diff('second', u.admittime, u.dischtime) > 864000",
    contradiction_words="admissions shorter than 24 hours that also lasted longer than 10 days",
    time=("admittime", "dischtime"),
)

STAY = Unit(
    name="stay",
    noun="ICU stay",
    short="ICU stay",
    plural="icu_stays",
    table="icustays",
    id="stay_id",
    ids=("subject_id", "stay_id"),
    support="intime < outtime",  # 65 stays of MIMIC-IV end before they begin (mimic-code #1288)
    start="u.intime",
    end="u.outtime",
    contradiction="date_diff('second', u.intime, u.outtime) < 86400 AND "
    "date_diff('second', u.intime, u.outtime) > 864000",
    contradiction_words="ICU stays shorter than 24 hours that also lasted longer than 10 days",
    time=("intime", "outtime"),
)

PATIENT = Unit(
    name="patient",
    noun="patient",
    short="patient",
    plural="patients",
    table="patients",
    id="subject_id",
    ids=("subject_id",),
    support="TRUE",
    start="",
    end="",
    contradiction="u.anchor_age < 18 AND u.anchor_age > 65",
    contradiction_words="patients under 18 who are also older than 65",
)

UNITS = {unit.name: unit for unit in (ADMISSION, STAY, PATIENT)}
