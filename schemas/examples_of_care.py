"""More questions over the hand-made hospital of `schemas.examples`: doses, oxygen, an ICU stay, a title.

>>> [example().template for example in CARE]
['insulin_doses', 'highest_oxygen', 'first_icu_hours', 'principal_title']
"""

from __future__ import annotations

from collections.abc import Callable

from schemas.answers import AnswerKind, AnswerType
from schemas.examples import ADMISSION, PATIENT, STAY, UNUSED, admission_record, record, reference
from schemas.questions import Intent, Question, Record, Role, Scope, Selection, Surroundings


def insulin_doses() -> Question:
    """How many doses of insulin were given in an admission, among the doses of every drug: a declared coverage."""
    admission = _admission()
    doses = Selection(
        "doses",
        Role.TARGET,
        "emar",
        support="medication IS NOT NULL AND event_txt IN ('Administered', 'Delayed Administered') "
        "AND charttime IS NOT NULL",
        where="x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="administration of any drug",
        time=("charttime",),
        names=("medication", "event_txt"),
    )
    given = (
        ("Metoprolol Tartrate", "2150-03-01 08:00:00"),
        ("Insulin", "2150-03-01 12:00:00"),
        ("Metoprolol Tartrate", "2150-03-02 08:00:00"),
        ("Insulin", "2150-03-02 18:00:00"),
    )
    return Question(
        template="insulin_doses",
        intent=Intent.MEDICATIONS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "insulin"},
        text=f"How many doses of insulin were given in admission {ADMISSION}? Answer with a whole number.",
        answer=AnswerType(kind=AnswerKind.COUNT),
        selections=(admission, doses),
        reference_sql=reference(
            admission,
            doses,
            select="SELECT count(DISTINCT charttime) FILTER (WHERE lower(trim(medication)) = 'insulin') FROM doses "
            "HAVING count(*) > 0",
        ),
        subject_ids=(PATIENT,),
        gold=2,
        records=(admission_record("admission"), *(_dose(i, drug, time) for i, (drug, time) in enumerate(given))),
        around=Surroundings(unused=UNUSED),
    )


def highest_oxygen() -> Question:
    """The highest inspired oxygen noted on a blood gas of an admission: a percentage that is never below 21."""
    admission = _admission()
    oxygen = Selection(
        "oxygen",
        Role.TARGET,
        "labevents",
        concept="itemid = 50816",  # Oxygen, blood gas
        support="valuenum BETWEEN 21 AND 100 AND valueuom IN ('%') AND charttime IS NOT NULL",
        where="x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="inspired oxygen",
        value=("valuenum", "value"),
        unit=("valueuom",),
        time=("charttime",),
        low=21.0,
        high=100.0,
    )
    gases = [
        record(
            "oxygen",
            "labevents",
            70 + i,
            labevent_id=71 + i,
            hadm_id=ADMISSION,
            specimen_id=570 + i,
            itemid=50816,
            charttime=f"2150-03-01 {9 + i:02}:00:00",
            storetime=f"2150-03-01 {9 + i:02}:05:00",
            value=f"{value:g}",
            valuenum=value,
            valueuom="%",
        )
        for i, value in enumerate((50.0, 80.0, 40.0))
    ]
    return Question(
        template="highest_oxygen",
        intent=Intent.VITALS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "fio2_blood_gas"},
        text=f"What was the highest inspired oxygen on a blood gas of admission {ADMISSION}? Answer in %.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="%"),
        selections=(admission, oxygen),
        reference_sql=reference(admission, oxygen, select="SELECT round(max(valuenum)) FROM oxygen"),
        subject_ids=(PATIENT,),
        gold=80.0,
        records=(admission_record("admission"), *gases),
        around=Surroundings(unused=UNUSED),
    )


def first_icu_hours() -> Question:
    """How long a patient's first ICU stay lasted: from its times, as `los` is derived from them."""
    stays = Selection(
        "stays",
        Role.TARGET,
        "icustays",
        support="intime < outtime",
        where=f"x.subject_id = {PATIENT}",
        label="ICU stay",
        time=("intime", "outtime"),
    )
    stay = record(
        "stays",
        "icustays",
        2,
        hadm_id=ADMISSION,
        stay_id=STAY,
        first_careunit="Medical Intensive Care Unit (MICU)",
        last_careunit="Medical Intensive Care Unit (MICU)",
        intime="2150-03-01 07:00:00",
        outtime="2150-03-03 19:00:00",
        los=2.5,
    )
    return Question(
        template="first_icu_hours",
        intent=Intent.COST,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT},
        text=f"How long did the first ICU stay of patient {PATIENT} last? Answer in hours, to 1 decimal.",
        answer=AnswerType(kind=AnswerKind.DURATION, unit="hours", decimals=1),
        selections=(stays,),
        reference_sql=reference(
            stays,
            select="""SELECT CASE WHEN count(DISTINCT outtime) = 1
            THEN round(epoch(min(outtime) - min(intime)) / 3600, 1) END
            FROM stays WHERE intime = (SELECT min(intime) FROM stays)""",
        ),
        subject_ids=(PATIENT,),
        gold=60.0,
        records=(stay,),
        around=Surroundings(unused=UNUSED),
    )


def principal_title() -> Question:
    """The principal diagnosis of an admission by its title, which stands in a dictionary."""
    codes = Selection(
        "codes",
        Role.TARGET,
        "diagnoses_icd",
        concept="seq_num = 1",
        where=f"x.hadm_id = {ADMISSION}",
        label="principal diagnosis code",
        names=("icd_code", "icd_version"),
    )
    titles = Selection(
        "titles",
        Role.LABEL,
        "d_icd_diagnoses",
        support="long_title IS NOT NULL",
        where="EXISTS (SELECT 1 FROM codes AS y WHERE x.icd_version = y.icd_version AND x.icd_code = y.icd_code)",
        label="title of a diagnosis code",
        names=("long_title",),
    )
    code = record("codes", "diagnoses_icd", 3, hadm_id=ADMISSION, seq_num=1, icd_code="I5023", icd_version=10)
    title = Record(
        selection="titles",
        table="d_icd_diagnoses",
        row=9,
        subject_id=None,
        values={
            "icd_code": "I5023",
            "icd_version": 10,
            "long_title": "Acute on chronic systolic (congestive) heart failure",
        },
    )
    return Question(
        template="principal_title",
        intent=Intent.DIAGNOSES,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION},
        text=f"What was the title of the principal diagnosis of admission {ADMISSION}?",
        answer=AnswerType(kind=AnswerKind.CATEGORY),
        selections=(codes, titles),
        reference_sql=reference(
            codes,
            titles,
            select="""SELECT CASE WHEN count(DISTINCT l.long_title) = 1 THEN min(l.long_title) END
            FROM codes AS x JOIN titles AS l ON l.icd_version = x.icd_version AND l.icd_code = x.icd_code""",
        ),
        subject_ids=(PATIENT,),
        gold="Acute on chronic systolic (congestive) heart failure",
        records=(code, title),
        around=Surroundings(unused=UNUSED),
    )


CARE: tuple[Callable[[], Question], ...] = (insulin_doses, highest_oxygen, first_icu_hours, principal_title)
"""Every example of this module."""


def _admission() -> Selection:
    return Selection(
        "admission",
        Role.UNIT,
        "admissions",
        where=f"x.hadm_id = {ADMISSION}",
        label="admission",
        time=("admittime", "dischtime"),
    )


def _dose(place: int, drug: str, time: str) -> Record:
    number = 101 + place
    return record(
        "doses",
        "emar",
        80 + place,
        hadm_id=ADMISSION,
        emar_id=f"{PATIENT}-{number}",
        emar_seq=number,
        poe_id=f"{PATIENT}-{number + 300}",
        pharmacy_id=7100 + place % 2,
        charttime=time,
        scheduletime=time,
        storetime=time.replace(":00:00", ":02:00"),
        medication=drug,
        event_txt="Administered",
    )
