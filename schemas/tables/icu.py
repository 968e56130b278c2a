"""The 9 tables of MIMIC-IV's `icu` module: what the ICU's own system (MetaVision) recorded."""

from __future__ import annotations

from schemas.tables.identifiers import (
    CAREGIVER_ID,
    DOCS,
    DOUBLE,
    HADM_ID,
    INTEGER,
    ITEMID,
    STAY_ID,
    SUBJECT_ID,
    TEXT,
    TIMESTAMP,
    TO_ADMISSION,
    TO_CAREGIVER,
    TO_ITEM,
    TO_PATIENT,
    TO_STAY,
)
from schemas.tables.model import Column, Table

_EVENT = (SUBJECT_ID, HADM_ID, STAY_ID, CAREGIVER_ID)
_EVENT_OUTSIDE = (SUBJECT_ID, HADM_ID, Column("stay_id", INTEGER, "The ICU stay"), CAREGIVER_ID)
_TO_CONTEXT = (TO_PATIENT, TO_ADMISSION, TO_STAY, TO_ITEM, TO_CAREGIVER)
_CHARTTIME = Column("charttime", TIMESTAMP, "The time it is about", required=True)
_STARTTIME = Column("starttime", TIMESTAMP, "It started", required=True)
_ENDTIME = Column("endtime", TIMESTAMP, "It ended", required=True)
_STORETIME = Column("storetime", TIMESTAMP, "It was entered, or validated by staff")
_WARNING = Column("warning", INTEGER, "1 if the system warned about the value, else 0")
_ORDERID = Column("orderid", INTEGER, "The order; parts of one mixture share it", required=True)
_LINKORDERID = Column("linkorderid", INTEGER, "The first order of a chain of changes of rate")
_PATIENTWEIGHT = Column("patientweight", DOUBLE, "Weight the order reckons with; not always measured", "kg")
_ISOPENBAG = Column("isopenbag", INTEGER, "1 if it came from an open bag")
_CONTINUEINNEXTDEPT = Column("continueinnextdept", INTEGER, "1 if it went on after the transfer")
_STATUSDESCRIPTION = Column(
    "statusdescription", TEXT, "How the order ended: FinishedRunning, Changed, Paused, Stopped, Rewritten"
)

CAREGIVER = Table(
    name="caregiver",
    module="icu",
    meaning="One de-identified member of staff who documents in the ICU",
    source=f"{DOCS}/icu/caregiver/",
    key=("caregiver_id",),
    sort=("caregiver_id",),
    columns=(Column("caregiver_id", INTEGER, "De-identified id", required=True),),
)

D_ITEMS = Table(
    name="d_items",
    module="icu",
    meaning="One thing that the ICU's event tables can hold",
    source=f"{DOCS}/icu/d_items/",
    key=("itemid",),
    sort=("itemid",),
    columns=(
        Column("itemid", INTEGER, "The item", required=True),
        Column("label", TEXT, "Its name", required=True),
        Column("abbreviation", TEXT, "Its short name", required=True),
        Column("linksto", TEXT, "The table its records are in", required=True),
        Column("category", TEXT, "Where it stands on the chart: Routine Vital Signs, Labs, …", required=True),
        Column("unitname", TEXT, "Unit of its values, where it has one"),
        Column("param_type", TEXT, "Kind of value: Numeric, Text, Solution, Date and time, …", required=True),
        Column("lownormalvalue", DOUBLE, "Lower end of its reference range"),
        Column("highnormalvalue", DOUBLE, "Upper end of its reference range"),
    ),
)

ICUSTAYS = Table(
    name="icustays",
    module="icu",
    meaning="One ICU stay: neighbouring transfers between ICUs joined into one",
    source=f"{DOCS}/icu/icustays/",
    key=("stay_id",),
    unique=True,
    sort=("subject_id", "intime"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        STAY_ID,
        Column("first_careunit", TEXT, "First ICU of the stay"),
        Column("last_careunit", TEXT, "Last ICU of the stay"),
        Column("intime", TIMESTAMP, "Came to the ICU"),
        Column("outtime", TIMESTAMP, "Left the ICU"),
        Column("los", DOUBLE, "Length of the stay", "days"),
    ),
)

CHARTEVENTS = Table(
    name="chartevents",
    module="icu",
    meaning="One entry of the ICU chart: a vital sign, a setting, an assessment, a copied laboratory result",
    source=f"{DOCS}/icu/chartevents/",
    key=("stay_id", "itemid", "charttime"),
    sort=("subject_id", "charttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT,
        _CHARTTIME,
        _STORETIME,
        ITEMID,
        Column("value", TEXT, "The entry as it was written"),
        Column("valuenum", DOUBLE, "The entry as a number, in `valueuom`; NULL where it is none"),
        Column("valueuom", TEXT, "Unit of `valuenum`"),
        _WARNING,
    ),
)

DATETIMEEVENTS = Table(
    name="datetimeevents",
    module="icu",
    meaning="One entry of the ICU chart whose value is a time: last dialysis, insertion of a line, …",
    source=f"{DOCS}/icu/datetimeevents/",
    key=("stay_id", "itemid", "charttime"),
    sort=("subject_id", "charttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT,
        _CHARTTIME,
        _STORETIME,
        ITEMID,
        Column("value", TIMESTAMP, "The time that was entered", required=True),
        Column("valueuom", TEXT, "`Date`, `Date and Time` or `Time`"),
        _WARNING,
    ),
)

INGREDIENTEVENTS = Table(
    name="ingredientevents",
    module="icu",
    meaning="One ingredient of an infusion or feed, water and calories included",
    source=f"{DOCS}/icu/ingredientevents/",
    key=("orderid", "itemid"),
    sort=("subject_id", "starttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT_OUTSIDE,
        _STARTTIME,
        _ENDTIME,
        _STORETIME,
        ITEMID,
        Column("amount", DOUBLE, "Amount given between the two times, in `amountuom`"),
        Column("amountuom", TEXT, "Unit of `amount`"),
        Column("rate", DOUBLE, "Rate, in `rateuom`; NULL for a bolus"),
        Column("rateuom", TEXT, "Unit of `rate`"),
        _ORDERID,
        _LINKORDERID,
        _STATUSDESCRIPTION,
        Column("originalamount", DOUBLE, "Amount in the bag at `starttime`"),
        Column("originalrate", DOUBLE, "Rate that was planned"),
    ),
)

INPUTEVENTS = Table(
    name="inputevents",
    module="icu",
    meaning="One infusion, bolus or feed over a stretch of constant rate",
    source=f"{DOCS}/icu/inputevents/",
    key=("orderid", "itemid"),
    sort=("subject_id", "starttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT_OUTSIDE,
        _STARTTIME,
        _ENDTIME,
        _STORETIME,
        ITEMID,
        Column("amount", DOUBLE, "Amount given between the two times, in `amountuom`"),
        Column("amountuom", TEXT, "Unit of `amount`"),
        Column("rate", DOUBLE, "Rate, in `rateuom`; NULL for a bolus"),
        Column("rateuom", TEXT, "Unit of `rate`: mL/hour, mcg/kg/min, …"),
        _ORDERID,
        _LINKORDERID,
        Column("ordercategoryname", TEXT, "Class of the order: `01-Drips`, `08-Antibiotics (IV)`, …"),
        Column("secondaryordercategoryname", TEXT, "Class of what it is mixed with"),
        Column("ordercomponenttypedescription", TEXT, "Part of the mixture: main order, additive, base"),
        Column("ordercategorydescription", TEXT, "`Continuous Med`, `Drug Push`, `Bolus`, …"),
        _PATIENTWEIGHT,
        Column("totalamount", DOUBLE, "Volume of the bag, in `totalamountuom`"),
        Column("totalamountuom", TEXT, "Unit of `totalamount`"),
        _ISOPENBAG,
        _CONTINUEINNEXTDEPT,
        _STATUSDESCRIPTION,
        Column("originalamount", DOUBLE, "Amount in the bag at `starttime`"),
        Column("originalrate", DOUBLE, "Rate that was planned"),
    ),
)

OUTPUTEVENTS = Table(
    name="outputevents",
    module="icu",
    meaning="One amount of fluid that left the patient: urine, drains, …",
    source=f"{DOCS}/icu/outputevents/",
    key=("stay_id", "charttime", "itemid"),
    sort=("subject_id", "charttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT,
        _CHARTTIME,
        _STORETIME,
        ITEMID,
        Column("value", DOUBLE, "Amount since the entry before, in `valueuom`", required=True),
        Column("valueuom", TEXT, "Unit of `value`: mL"),
    ),
)

PROCEDUREEVENTS = Table(
    name="procedureevents",
    module="icu",
    meaning="One procedure or device of the ICU: ventilation, lines, dialysis, imaging",
    source=f"{DOCS}/icu/procedureevents/",
    key=("orderid",),
    sort=("subject_id", "starttime"),
    foreign_keys=_TO_CONTEXT,
    columns=(
        *_EVENT,
        _STARTTIME,
        _ENDTIME,
        _STORETIME,
        ITEMID,
        Column("value", DOUBLE, "How long it took, in `valueuom`"),
        Column("valueuom", TEXT, "Unit of `value`: min, hour, day; `None` for what has no duration"),
        Column("location", TEXT, "Where on the body, for lines"),
        Column("locationcategory", TEXT, "Class of the location"),
        _ORDERID,
        _LINKORDERID,
        Column("ordercategoryname", TEXT, "Class of the order: Ventilation, Invasive Lines, …"),
        Column("ordercategorydescription", TEXT, "`ContinuousProcess`, `Task` or `Electrolytes`"),
        _PATIENTWEIGHT,
        _ISOPENBAG,
        _CONTINUEINNEXTDEPT,
        _STATUSDESCRIPTION,
        # In upper case in MIMIC-IV's own file, and only there.
        Column("ORIGINALAMOUNT", DOUBLE, "Duration that was planned, in `valueuom`"),
        Column("ORIGINALRATE", DOUBLE, "Rate that was planned; 0 or 1"),
    ),
)

# What others refer to comes first, so that orphans can be counted in one pass over the tables.
ICU: tuple[Table, ...] = (
    CAREGIVER,
    D_ITEMS,
    ICUSTAYS,
    CHARTEVENTS,
    DATETIMEEVENTS,
    INGREDIENTEVENTS,
    INPUTEVENTS,
    OUTPUTEVENTS,
    PROCEDUREEVENTS,
)
"""The tables of `icu`, each after those it refers to."""
