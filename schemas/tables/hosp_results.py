"""Tables of `hosp` that hold what was measured: laboratory, microbiology and outpatient measurements."""

from __future__ import annotations

from schemas.tables.identifiers import (
    DATE,
    DOCS,
    DOUBLE,
    HADM_ID_OR_NONE,
    INTEGER,
    ORDER_PROVIDER_ID,
    SUBJECT_ID,
    TEXT,
    TIMESTAMP,
    TO_ADMISSION,
    TO_ORDERING_PROVIDER,
    TO_PATIENT,
)
from schemas.tables.model import Column, ForeignKey, Table

D_LABITEMS = Table(
    name="d_labitems",
    module="hosp",
    meaning="One laboratory measurement that `labevents` can hold",
    source=f"{DOCS}/hosp/d_labitems/",
    key=("itemid",),
    sort=("itemid",),
    columns=(
        Column("itemid", INTEGER, "The measurement", required=True),
        Column("label", TEXT, "Its name; some labels name several itemids"),
        Column("fluid", TEXT, "What was examined: Blood, Urine, …"),
        Column("category", TEXT, "Chemistry, Hematology or Blood Gas"),
    ),
)

LABEVENTS = Table(
    name="labevents",
    module="hosp",
    meaning="One laboratory result, in or out of hospital",
    source=f"{DOCS}/hosp/labevents/",
    key=("labevent_id",),
    sort=("subject_id", "charttime"),
    foreign_keys=(
        TO_PATIENT,
        TO_ADMISSION,
        ForeignKey(("itemid",), "d_labitems", ("itemid",)),
        TO_ORDERING_PROVIDER,
    ),
    columns=(
        Column("labevent_id", INTEGER, "The result", required=True),
        SUBJECT_ID,
        HADM_ID_OR_NONE,
        Column("specimen_id", INTEGER, "The specimen: results that share it were drawn together", required=True),
        Column("itemid", INTEGER, "What was measured: an entry of `d_labitems`", required=True),
        ORDER_PROVIDER_ID,
        Column("charttime", TIMESTAMP, "The specimen was drawn"),
        Column("storetime", TIMESTAMP, "The result became available"),
        Column("value", TEXT, "The result as the laboratory wrote it; `___` where de-identification masked it"),
        Column("valuenum", DOUBLE, "The result as a number, in `valueuom`; NULL where it is none, as `<0.01`"),
        Column("valueuom", TEXT, "Unit of `valuenum`"),
        Column("ref_range_lower", DOUBLE, "Lower end of the reference range, in `valueuom`"),
        Column("ref_range_upper", DOUBLE, "Upper end of the reference range, in `valueuom`"),
        Column("flag", TEXT, "`abnormal`, or NULL"),
        Column("priority", TEXT, "`ROUTINE` or `STAT`"),
        Column("comments", TEXT, "Free text beside the result, which may hold the result; de-identified as `___`"),
    ),
)

MICROBIOLOGYEVENTS = Table(
    name="microbiologyevents",
    module="hosp",
    meaning="One line of a culture: a test, an organism grown, or its response to one antibiotic",
    source=f"{DOCS}/hosp/microbiologyevents/",
    key=("microevent_id",),
    sort=("subject_id", "chartdate", "charttime"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION, TO_ORDERING_PROVIDER),
    columns=(
        Column("microevent_id", INTEGER, "The line", required=True),
        SUBJECT_ID,
        HADM_ID_OR_NONE,
        Column("micro_specimen_id", INTEGER, "The specimen: lines that share it are one culture", required=True),
        ORDER_PROVIDER_ID,
        Column("chartdate", TIMESTAMP, "Day the specimen was drawn, at midnight", required=True),
        Column("charttime", TIMESTAMP, "Time the specimen was drawn, where it is known"),
        Column("spec_itemid", INTEGER, "Kind of specimen", required=True),
        Column("spec_type_desc", TEXT, "Kind of specimen, in words"),
        Column("test_seq", INTEGER, "Tells several bottles of one specimen apart", required=True),
        Column("storedate", TIMESTAMP, "Day the result was stored, at midnight"),
        Column("storetime", TIMESTAMP, "Time the result was stored"),
        Column("test_itemid", INTEGER, "The test"),
        Column("test_name", TEXT, "The test, in words"),
        Column("org_itemid", INTEGER, "The organism; NULL if nothing grew"),
        Column("org_name", TEXT, "The organism, in words; `CANCELLED` for a test not done"),
        Column("isolate_num", INTEGER, "Colony of the organism, from 1"),
        Column("quantity", TEXT, "Amount of growth"),
        Column("ab_itemid", INTEGER, "The antibiotic tested"),
        Column("ab_name", TEXT, "The antibiotic, in words"),
        Column("dilution_text", TEXT, "Dilution tested, as `<=0.25`"),
        Column("dilution_comparison", TEXT, "Sign of the dilution: `<=`, `=` or `=>`"),
        Column("dilution_value", DOUBLE, "Number of the dilution"),
        Column("interpretation", TEXT, "`S` sensitive, `I` intermediate, `R` resistant, `P` pending"),
        Column("comments", TEXT, "Free text, which often holds the result; de-identified as `___`"),
    ),
)

OMR = Table(
    name="omr",
    module="hosp",
    meaning="One measurement of the online medical record, mostly of outpatients: weight, height, blood pressure, eGFR",
    source=f"{DOCS}/hosp/omr/",
    key=("subject_id", "chartdate", "seq_num", "result_name"),
    sort=("subject_id", "chartdate", "seq_num"),
    foreign_keys=(TO_PATIENT,),
    columns=(
        SUBJECT_ID,
        Column("chartdate", DATE, "Day of the measurement", required=True),
        Column("seq_num", INTEGER, "Tells measurements of one kind on one day apart", required=True),
        Column("result_name", TEXT, "What was measured, with its unit: `Weight (Lbs)`", required=True),
        Column("result_value", TEXT, "The result: a number, or two as `120/80`", required=True),
    ),
)
