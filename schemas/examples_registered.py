"""A few questions about what is registered, coded and billed, over the hospital of `schemas.examples`.

>>> [example().template for example in REGISTERED]
['age_on_admission', 'agreed_race', 'first_culture', 'heparin_packages', 'sepsis_admission', 'severity_level']
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.answers import AnswerKind, AnswerType
from schemas.examples import ADMISSION, PATIENT, UNUSED, admission_record, record, reference
from schemas.questions import Intent, Question, Role, Scope, Selection, Surroundings

AROUND = Surroundings(unused=UNUSED)

THE_ADMISSION = Selection(
    "admission",
    Role.UNIT,
    "admissions",
    where=f"x.hadm_id = {ADMISSION}",
    label="admission",
    time=("admittime", "dischtime"),
)
"""The admission most of these questions name."""


def age_on_admission(age: int = 83) -> Question:
    """How old a patient was on admission. An age above 89 is written as 91, and is no exact age."""
    patients = Selection(
        "patient_row",
        Role.TARGET,
        "patients",
        support="anchor_age <= 89 AND anchor_year IS NOT NULL",
        where="x.subject_id IN (SELECT subject_id FROM admission)",
        label="age",
        value=("anchor_age",),
        time=("anchor_year",),
        low=0.0,
        high=89.0,
    )
    patient = record("patient_row", "patients", 1, gender="F", anchor_age=age, anchor_year=2150)
    return Question(
        template="age_on_admission",
        intent=Intent.DEMOGRAPHICS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION},
        text=f"How old was the patient at admission {ADMISSION}? Answer in whole years.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="years"),
        selections=(THE_ADMISSION, patients),
        reference_sql=reference(
            THE_ADMISSION,
            patients,
            select="""SELECT CASE WHEN count(DISTINCT age) = 1 THEN min(age) END FROM (
                SELECT anchor_age + date_part('year', admittime) - anchor_year AS age
                FROM admission JOIN patient_row USING (subject_id))""",
        ),
        subject_ids=(PATIENT,),
        gold=age,
        records=(admission_record("admission"), patient),
        around=AROUND,
    )


def agreed_race() -> Question:
    """The race that all admissions of a patient agree on: no single admission is asked about."""
    admissions = Selection(
        "admissions_all",
        Role.TARGET,
        "admissions",
        support="admittime < dischtime AND race IS NOT NULL AND race NOT IN ('___', 'UNKNOWN', 'UNABLE TO OBTAIN')",
        where=f"x.subject_id = {PATIENT}",
        label="admission",
        time=("admittime", "dischtime"),
        names=("race",),
    )
    records = [
        admission_record(
            "admissions_all",
            row,
            hadm_id=ADMISSION + row - 1,
            admittime=f"215{row}-03-01 05:00:00",
            dischtime=f"215{row}-03-06 14:00:00",
            race="WHITE",
        )
        for row in (1, 2, 3)
    ]
    return Question(
        template="agreed_race",
        intent=Intent.DEMOGRAPHICS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT},
        text=f"What is the race of patient {PATIENT}, on which all admissions that state one agree?",
        answer=AnswerType(kind=AnswerKind.CATEGORY),
        selections=(admissions,),
        reference_sql=reference(
            admissions, select="SELECT CASE WHEN count(DISTINCT race) = 1 THEN min(race) END FROM admissions_all"
        ),
        subject_ids=(PATIENT,),
        gold="WHITE",
        records=tuple(records),
        around=AROUND,
    )


def first_culture() -> Question:
    """Hours from admission to the first culture: a table that keeps the day beside the time."""
    cultures = Selection(
        "cultures",
        Role.TARGET,
        "microbiologyevents",
        support="charttime IS NOT NULL",
        where="EXISTS (SELECT 1 FROM admission AS a WHERE a.subject_id = x.subject_id "
        "AND x.charttime >= a.admittime AND x.charttime < a.dischtime)",
        label="culture",
        time=("charttime",),
    )
    culture = record(
        "cultures",
        "microbiologyevents",
        4,
        microevent_id=44,
        hadm_id=ADMISSION,
        micro_specimen_id=440,
        chartdate="2150-03-02 00:00:00",
        charttime="2150-03-02 11:00:00",
        spec_type_desc="BLOOD CULTURE",
        storedate="2150-03-04 00:00:00",
        storetime="2150-03-04 09:12:00",
    )
    return Question(
        template="first_culture",
        intent=Intent.LABS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION},
        text=f"How many hours after admission {ADMISSION} began was the first culture taken? Answer to 1 decimal.",
        answer=AnswerType(kind=AnswerKind.DURATION, unit="hours", decimals=1),
        selections=(THE_ADMISSION, cultures),
        reference_sql=reference(
            THE_ADMISSION,
            cultures,
            select="""SELECT round((epoch(min(charttime)) - epoch(min(admittime))) / 3600, 1)
            FROM admission JOIN cultures USING (subject_id)""",
        ),
        subject_ids=(PATIENT,),
        gold=30.0,
        records=(admission_record("admission"), culture),
        around=AROUND,
    )


def heparin_packages() -> Question:
    """Which packages of heparin were ordered, by National Drug Code."""
    orders = Selection(
        "orders",
        Role.TARGET,
        "prescriptions",
        concept="lower(trim(drug)) = 'heparin'",
        support="ndc IS NOT NULL AND ndc NOT IN ('___', '0') AND starttime IS NOT NULL",
        where="x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="order of heparin",
        time=("starttime",),
        names=("ndc", "drug"),
    )
    records = [
        record(
            "orders",
            "prescriptions",
            20 + i,
            hadm_id=ADMISSION,
            pharmacy_id=7020 + i,
            poe_id=f"{PATIENT}-{40 + i}",
            drug_type="MAIN",
            drug="Heparin",
            ndc=f"0000000020{i}",
            gsn="000202",
            starttime=f"2150-03-0{1 + i} 10:00:00",
            stoptime=f"2150-03-0{2 + i} 10:00:00",
        )
        for i in (1, 2)
    ]
    return Question(
        template="heparin_packages",
        intent=Intent.MEDICATIONS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "heparin"},
        text=f"Under which package codes (NDC) was heparin ordered in admission {ADMISSION}?",
        answer=AnswerType(kind=AnswerKind.SET),
        selections=(THE_ADMISSION, orders),
        reference_sql=reference(
            THE_ADMISSION, orders, select="SELECT string_agg(DISTINCT ndc, ' ' ORDER BY ndc) FROM orders"
        ),
        subject_ids=(PATIENT,),
        gold="00000000201 00000000202",
        records=(admission_record("admission"), *records),
        around=AROUND,
    )


def sepsis_admission() -> Question:
    """When the first admission coded with sepsis began; ICD-9 codes that begin with 0."""
    codes = Selection(
        "codes",
        Role.TARGET,
        "diagnoses_icd",
        concept="(icd_version = 9 AND starts_with(icd_code, '038'))",
        where=f"x.subject_id = {PATIENT}",
        label="diagnosis code for sepsis",
        names=("icd_code", "icd_version"),
    )
    code = record("codes", "diagnoses_icd", 9, hadm_id=ADMISSION, seq_num=1, icd_code="03842", icd_version=9)
    admissions = Selection(
        "coded",
        Role.TARGET,
        "admissions",
        support="admittime < dischtime",
        where="x.hadm_id IN (SELECT hadm_id FROM codes)",
        label="admission",
        time=("admittime", "dischtime"),
    )
    return Question(
        template="sepsis_admission",
        intent=Intent.DIAGNOSES,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "concept": "sepsis"},
        text=f"When did the first admission of patient {PATIENT} that was coded with sepsis begin?",
        answer=AnswerType(kind=AnswerKind.TIME),
        selections=(codes, admissions),
        reference_sql=reference(codes, admissions, select="SELECT CAST(min(admittime) AS VARCHAR) FROM coded"),
        subject_ids=(PATIENT,),
        gold="2150-03-01 05:00:00",
        records=(code, admission_record("coded")),
        around=AROUND,
    )


def severity_level() -> Question:
    """The severity level an admission was billed with: APR-DRG has one, HCFA-DRG has none."""
    groups = Selection(
        "groups",
        Role.TARGET,
        "drgcodes",
        concept="drg_type = 'APR'",
        support="drg_severity BETWEEN 1 AND 4",
        where="x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="APR-DRG severity level",
        value=("drg_severity",),
        names=("drg_type", "drg_code", "description"),
        low=1.0,
        high=4.0,
    )
    group = record(
        "groups",
        "drgcodes",
        2,
        hadm_id=ADMISSION,
        drg_type="APR",
        drg_code="194",
        description="HEART FAILURE",
        drg_severity=3,
        drg_mortality=2,
    )
    return Question(
        template="severity_level",
        intent=Intent.COST,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "severity"},
        text=f"What APR-DRG severity level was billed for admission {ADMISSION}? Answer with a whole number.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="level"),
        selections=(THE_ADMISSION, groups),
        reference_sql=reference(
            THE_ADMISSION,
            groups,
            select="SELECT CASE WHEN count(DISTINCT drg_severity) = 1 THEN min(drg_severity) END FROM groups",
        ),
        subject_ids=(PATIENT,),
        gold=3,
        records=(admission_record("admission"), group),
        around=AROUND,
    )


REGISTERED: tuple[Callable[[], Question], ...] = (
    age_on_admission,
    agreed_race,
    first_culture,
    heparin_packages,
    sepsis_admission,
    severity_level,
)
"""Every example of this module."""
