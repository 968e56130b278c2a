"""A few questions over a hand-made hospital of three patients, for examples and tests. Nothing in it is from MIMIC-IV.

>>> [example().template for example in EXAMPLES]
['first_lactate', 'inr_range', 'discharge_destination', 'heparin_hours', 'median_glucose']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from schemas.answers import AnswerKind, AnswerType
from schemas.overlays import Value
from schemas.questions import Intent, Question, Record, Role, Scope, Selection, Surroundings
from schemas.tables import TABLES

PATIENT, ADMISSION, STAY = 10000007, 20000007, 30000007
OTHER_PATIENT, OTHER_ADMISSION, OTHER_STAY = 10000011, 20000011, 30000011

UNUSED: Mapping[str, Sequence[int]] = {
    "subject_id": range(10000101, 10000121),
    "hadm_id": range(20000101, 20000121),
    "stay_id": range(30000101, 30000121),
    "labevent_id": range(90001, 90101),
    "microevent_id": range(80001, 80101),
    "pharmacy_id": range(70001, 70101),
    "transfer_id": range(60001, 60101),
    "orderid": range(50001, 50101),
}


def first_lactate(*values: float) -> Question:
    """The first lactate of an ICU stay; two records, 4.2 and 2.6 mmol/L, unless others are given, six hours apart."""
    stay = Selection(
        "stay", Role.UNIT, "icustays", where=f"x.stay_id = {STAY}", label="ICU stay", time=("intime", "outtime")
    )
    lactates = _lab(
        "lactates",
        "itemid = 50813",  # Lactate, blood gas
        "valuenum BETWEEN 0.1 AND 30 AND lower(valueuom) = 'mmol/l'",
        "EXISTS (SELECT 1 FROM stay AS s WHERE s.subject_id = x.subject_id AND x.charttime >= s.intime "
        "AND x.charttime < s.outtime)",
        label="lactate",
        unit=("valueuom",),
        alternatives=(("mg/dL", 9.008),),
        low=0.1,
        high=30.0,
    )
    records = [
        _lab_record("lactates", i, 50813, f"2150-03-01 {8 + 6 * i:02}:00:00", value, "mmol/L")
        for i, value in enumerate(values or (4.2, 2.6))
    ]
    troponin = _lab_record("lactates", 40, 51003, "2151-01-01 08:00:00", 0.3, "ng/mL", OTHER_PATIENT, OTHER_ADMISSION)
    return Question(
        template="first_lactate",
        intent=Intent.LABS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "stay_id": STAY, "concept": "lactate", "nth": 1},
        text=f"What was the first lactate of ICU stay {STAY}? Answer with a number in mmol/L, to 1 decimal.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1),
        selections=(stay, lactates),
        reference_sql=reference(
            stay,
            lactates,
            select="""SELECT CASE WHEN count(DISTINCT valuenum) = 1 THEN round(min(valuenum), 1) END
            FROM lactates WHERE charttime = (SELECT min(charttime) FROM lactates)""",
        ),
        subject_ids=(PATIENT,),
        gold=(values or (4.2,))[0],
        records=(_stay_record(), *records),
        around=Surroundings(
            others=({"subject_id": OTHER_PATIENT, "hadm_id": OTHER_ADMISSION, "stay_id": OTHER_STAY},),
            unrecorded=("troponin_t",),
            recorded=("glucose",),
            last={"from_day": 3},
            unused=UNUSED,
            peers={"concept:troponin_t": (troponin,)},
        ),
    )


def inr_range() -> Question:
    """Highest minus lowest INR of an admission. INR has no unit, and its records are found by `hadm_id`."""
    admission = Selection(
        "admission",
        Role.UNIT,
        "admissions",
        where=f"x.hadm_id = {ADMISSION}",
        label="admission",
        time=("admittime", "dischtime"),
    )
    inrs = _lab(
        "inrs",
        "itemid = 51237",  # INR(PT)
        "valuenum BETWEEN 0.5 AND 20",
        "x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="INR",
        low=0.5,
        high=20.0,
    )
    records = [
        _lab_record("inrs", 10 + i, 51237, f"2150-03-02 {6 + 4 * i:02}:00:00", value, None)
        for i, value in enumerate((1.1, 1.4, 2.4, 1.9))
    ]
    return Question(
        template="inr_range",
        intent=Intent.LABS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "inr"},
        text=f"How far apart are the highest and the lowest INR of admission {ADMISSION}? Answer to 1 decimal.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="ratio", decimals=1),
        selections=(admission, inrs),
        reference_sql=reference(
            admission, inrs, select="SELECT round(max(valuenum) - min(valuenum), 1) FROM inrs HAVING count(*) >= 2"
        ),
        subject_ids=(PATIENT,),
        gold=1.3,
        records=(admission_record("admission"), *records),
        around=Surroundings(unused=UNUSED),
    )


def discharge_destination() -> Question:
    """Where a patient went after the first admission coded with heart failure: a category, through an anchor event."""
    codes = Selection(
        "codes",
        Role.ANCHOR,
        "diagnoses_icd",
        concept="icd_version = 10 AND icd_code LIKE 'I50%'",
        where=f"x.subject_id = {PATIENT}",
        label="diagnosis of heart failure",
        names=("icd_code",),
    )
    admissions = Selection(
        "admissions_coded",
        Role.TARGET,
        "admissions",
        support="discharge_location IS NOT NULL AND discharge_location NOT IN ('___', 'UNKNOWN') "
        "AND admittime IS NOT NULL",
        where="x.hadm_id IN (SELECT hadm_id FROM codes)",
        label="admission coded with heart failure",
        value=("discharge_location",),
        time=("admittime", "dischtime"),
    )
    code = record("codes", "diagnoses_icd", 3, hadm_id=ADMISSION, seq_num=1, icd_code="I5023", icd_version=10)
    return Question(
        template="discharge_destination",
        intent=Intent.DEMOGRAPHICS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "anchor": "heart_failure"},
        text=f"Where was patient {PATIENT} discharged to after the first admission coded with heart failure?",
        answer=AnswerType(kind=AnswerKind.CATEGORY),
        selections=(codes, admissions),
        reference_sql=reference(
            codes,
            admissions,
            select="""SELECT CASE WHEN count(DISTINCT discharge_location) = 1 THEN min(discharge_location) END
            FROM admissions_coded WHERE admittime = (SELECT min(admittime) FROM admissions_coded)""",
        ),
        subject_ids=(PATIENT,),
        gold="HOME",
        records=(code, admission_record("admissions_coded")),
        around=Surroundings(unused=UNUSED),
    )


def heparin_hours() -> Question:
    """How long heparin was ordered in an admission: intervals with a start and a stop, a drug by its name."""
    admission = Selection(
        "admission",
        Role.UNIT,
        "admissions",
        where=f"x.hadm_id = {ADMISSION}",
        label="admission",
        time=("admittime", "dischtime"),
    )
    orders = Selection(
        "orders",
        Role.TARGET,
        "prescriptions",
        concept="lower(trim(drug)) = 'heparin'",
        support="stoptime > starttime",
        where="x.hadm_id IN (SELECT hadm_id FROM admission)",
        label="order of heparin",
        time=("starttime", "stoptime"),
        names=("drug",),
    )
    pharmacy = Selection(
        "pharmacy_orders",
        Role.ROUTE,
        "pharmacy",
        concept="lower(trim(medication)) = 'heparin'",
        where=f"x.hadm_id = {ADMISSION}",
        label="pharmacy's copy of the order",
        time=("starttime", "stoptime"),
        names=("medication",),
    )
    order = record(
        "orders",
        "prescriptions",
        5,
        hadm_id=ADMISSION,
        pharmacy_id=7007,
        drug_type="MAIN",
        drug="Heparin",
        starttime="2150-03-01 10:00:00",
        stoptime="2150-03-03 22:00:00",
        dose_val_rx="5000",
        dose_unit_rx="UNIT",
        poe_id=f"{PATIENT}-31",
        ndc="00000000101",
        gsn="000101",
    )
    copy = record(
        "pharmacy_orders",
        "pharmacy",
        6,
        hadm_id=ADMISSION,
        pharmacy_id=7007,
        medication="Heparin",
        starttime="2150-03-01 10:00:00",
        stoptime="2150-03-03 22:00:00",
        proc_type="Unit Dose",
        entertime="2150-03-01 09:55:00",
    )
    return Question(
        template="heparin_hours",
        intent=Intent.MEDICATIONS,
        scope=Scope.PATIENT,
        parameters={"subject_id": PATIENT, "hadm_id": ADMISSION, "concept": "heparin"},
        text=f"For how many hours was heparin ordered in admission {ADMISSION}? Answer in hours, to 1 decimal.",
        answer=AnswerType(kind=AnswerKind.DURATION, unit="hours", decimals=1),
        selections=(admission, orders, pharmacy),
        reference_sql=reference(
            admission,
            orders,
            select="""SELECT round(sum(epoch(stoptime) - epoch(starttime)) / 3600, 1)
            FROM (SELECT DISTINCT starttime, stoptime FROM orders)""",
        ),
        subject_ids=(PATIENT,),
        gold=60.0,
        records=(admission_record("admission"), order, copy),
        around=Surroundings(unused=UNUSED),
    )


def median_glucose() -> Question:
    """Median over the admissions coded with diabetes of the first glucose: a population, so no records are listed."""
    admissions = Selection(
        "admissions_all",
        Role.UNIT,
        "admissions",
        support="admittime < dischtime",
        label="admission",
        time=("admittime", "dischtime"),
    )
    codes = Selection(
        "codes",
        Role.COHORT,
        "diagnoses_icd",
        concept="icd_version = 10 AND icd_code LIKE 'E11%'",
        label="diagnosis of diabetes",
        names=("icd_code",),
    )
    glucoses = _lab(
        "glucoses",
        "itemid = 50931",  # Glucose, laboratory
        "valuenum BETWEEN 1 AND 2200 AND lower(valueuom) = 'mg/dl'",
        "TRUE",
        label="laboratory blood glucose",
        unit=("valueuom",),
        alternatives=(("mmol/L", 0.0555),),
        low=1.0,
        high=2200.0,
    )
    glucose = _lab_record("glucoses", 60, 50931, "2152-05-05 06:00:00", 140.0, "mg/dL", OTHER_PATIENT, OTHER_ADMISSION)
    return Question(
        template="median_glucose",
        intent=Intent.LABS,
        scope=Scope.POPULATION,
        parameters={"cohort": "diabetes", "concept": "glucose", "nth": 1},
        text="What is the median first laboratory glucose of the admissions coded with diabetes? Answer in mg/dL.",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL"),
        selections=(admissions, codes, glucoses),
        reference_sql=reference(
            admissions,
            codes,
            glucoses,
            select="""SELECT CASE WHEN count(*) >= 5 THEN round(median(first)) END FROM (
                SELECT a.hadm_id, CASE WHEN count(DISTINCT valuenum) = 1 THEN min(valuenum) END AS first
                FROM admissions_all AS a JOIN glucoses AS g USING (subject_id)
                WHERE a.hadm_id IN (SELECT hadm_id FROM codes) AND charttime = (
                    SELECT min(charttime) FROM glucoses AS f
                    WHERE f.subject_id = a.subject_id AND f.charttime BETWEEN a.admittime AND a.dischtime)
                GROUP BY a.hadm_id) WHERE first IS NOT NULL""",
        ),
        gold=153.0,
        around=Surroundings(
            unrecorded=("troponin_t",), last={"from_day": 9}, unused=UNUSED, peers={"target": (glucose,)}
        ),
    )


EXAMPLES: tuple[Callable[[], Question], ...] = (
    first_lactate,
    inr_range,
    discharge_destination,
    heparin_hours,
    median_glucose,
)
"""Every example, each of another shape."""


def _lab(
    name: str,
    concept: str,
    support: str,
    where: str,
    *,
    label: str,
    low: float,
    high: float,
    unit: tuple[str, ...] = (),
    alternatives: tuple[tuple[str, float], ...] = (),
) -> Selection:
    return Selection(
        name,
        Role.TARGET,
        "labevents",
        concept=concept,
        support=f"{support} AND charttime IS NOT NULL",
        where=where,
        label=label,
        value=("valuenum", "value"),
        unit=unit,
        time=("charttime",),
        alternatives=alternatives,
        low=low,
        high=high,
    )


def reference(*selections: Selection, select: str) -> str:
    """The selections as CTEs, in front of the statement that reads them."""
    return "WITH " + ", ".join(f"{s.name} AS ({s.sql})" for s in selections) + " " + " ".join(select.split())


def record(selection: str, table: str, row: int, subject_id: int = PATIENT, **cells: Value) -> Record:
    """A record with every column of its table; those not given are NULL."""
    values = dict.fromkeys(TABLES[table].names) | {"subject_id": subject_id} | cells
    return Record(selection=selection, table=table, row=row, subject_id=subject_id, values=values)


def _lab_record(
    selection: str,
    row: int,
    itemid: int,
    charttime: str,
    value: float,
    unit: str | None,
    subject_id: int = PATIENT,
    hadm_id: int = ADMISSION,
) -> Record:
    return record(
        selection,
        "labevents",
        row,
        subject_id=subject_id,
        labevent_id=row + 1,
        hadm_id=hadm_id,
        specimen_id=row + 500,
        itemid=itemid,
        charttime=charttime,
        storetime=charttime.replace(":00:00", ":40:00"),
        value=f"{value:g}",
        valuenum=value,
        valueuom=unit,
        flag="abnormal",
    )


def _stay_record() -> Record:
    return record(
        "stay",
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


def admission_record(selection: str, row: int = 1, **cells: Value) -> Record:
    """An admission, the patient's own unless cells say otherwise."""
    usual: dict[str, Value] = {
        "hadm_id": ADMISSION,
        "admittime": "2150-03-01 05:00:00",
        "dischtime": "2150-03-06 14:00:00",
        "admission_type": "EW EMER.",
        "discharge_location": "HOME",
        "insurance": "Medicare",
        "hospital_expire_flag": 0,
    }
    return record(selection, "admissions", row, PATIENT, **(usual | cells))
