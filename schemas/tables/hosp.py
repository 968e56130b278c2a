"""The 22 tables of MIMIC-IV's `hosp` module: the whole hospital's records.

This module declares who the patients are and where they were; `hosp_codes` what was billed and coded,
`hosp_results` what was measured, `hosp_drugs` what was ordered and given.

Types are those of mimic-code's `create.sql`, widened to ours: SMALLINT to INTEGER, REAL to DOUBLE, CHAR(n) to TEXT
without padding or trimming.
"""

from __future__ import annotations

from schemas.tables.hosp_codes import DIAGNOSES_ICD, DICTIONARIES, DRGCODES, HCPCSEVENTS, PROCEDURES_ICD
from schemas.tables.hosp_drugs import EMAR, EMAR_DETAIL, PHARMACY, POE, POE_DETAIL, PRESCRIPTIONS
from schemas.tables.hosp_results import D_LABITEMS, LABEVENTS, MICROBIOLOGYEVENTS, OMR
from schemas.tables.identifiers import (
    DATE,
    DOCS,
    HADM_ID,
    HADM_ID_OR_NONE,
    INTEGER,
    SUBJECT_ID,
    TEXT,
    TIMESTAMP,
    TO_ADMISSION,
    TO_PATIENT,
)
from schemas.tables.model import Column, ForeignKey, Table

PATIENTS = Table(
    name="patients",
    module="hosp",
    meaning="One patient: sex, age at the anchor year and date of death",
    source=f"{DOCS}/hosp/patients/",
    key=("subject_id",),
    unique=True,
    indispensable=True,
    sort=("subject_id",),
    columns=(
        SUBJECT_ID,
        Column("gender", TEXT, "Sex as registered: `F` or `M`", required=True),
        Column("anchor_age", INTEGER, "Age in `anchor_year`; 91 stands for everyone over 89", "years", required=True),
        Column("anchor_year", INTEGER, "A year of the patient's own shifted calendar", required=True),
        Column("anchor_year_group", TEXT, "The real years, three at a time, that `anchor_year` lies in", required=True),
        Column("dod", DATE, "Date of death, from the hospital or the state; NULL a year after the last discharge"),
    ),
)

ADMISSIONS = Table(
    name="admissions",
    module="hosp",
    meaning="One hospital admission: when, how and from where, and how it ended",
    source=f"{DOCS}/hosp/admissions/",
    key=("hadm_id",),
    unique=True,
    indispensable=True,
    sort=("subject_id", "admittime"),
    foreign_keys=(TO_PATIENT, ForeignKey(("admit_provider_id",), "provider", ("provider_id",))),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("admittime", TIMESTAMP, "Admitted to the hospital", required=True),
        Column("dischtime", TIMESTAMP, "Discharged; for the deceased usually the time of death"),
        Column("deathtime", TIMESTAMP, "Died in this admission; NULL for those who left alive"),
        Column("admission_type", TEXT, "Urgency of the admission: URGENT, EW EMER., ELECTIVE, …", required=True),
        Column("admit_provider_id", TEXT, "Who admitted the patient, de-identified: an entry of `provider`"),
        Column("admission_location", TEXT, "Where the patient was before"),
        Column("discharge_location", TEXT, "Where the patient went; NULL if unknown"),
        Column("insurance", TEXT, "Payer class: Medicare, Medicaid, …; its values differ between versions"),
        Column("language", TEXT, "Language spoken; `?` where the older versions say unknown"),
        Column("marital_status", TEXT, "Marital status"),
        Column("race", TEXT, "Race as registered for this admission; it may differ between admissions"),
        Column("edregtime", TIMESTAMP, "Registered in the emergency department; NULL if not seen there"),
        Column("edouttime", TIMESTAMP, "Left the emergency department"),
        Column("hospital_expire_flag", INTEGER, "1 if the patient died in this admission, else 0"),
    ),
)

TRANSFERS = Table(
    name="transfers",
    module="hosp",
    meaning="One stretch of time in one care unit, from the bed tracking",
    source=f"{DOCS}/hosp/transfers/",
    key=("transfer_id",),
    sort=("subject_id", "intime"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION),
    columns=(
        SUBJECT_ID,
        HADM_ID_OR_NONE,
        Column("transfer_id", INTEGER, "The stretch; an ICU's is not the `stay_id` of `icustays`", required=True),
        Column("eventtype", TEXT, "`ED`, `admit`, `transfer` or `discharge`"),
        Column("careunit", TEXT, "The unit; NULL or UNKNOWN on discharge"),
        Column("intime", TIMESTAMP, "Came to the unit"),
        Column("outtime", TIMESTAMP, "Left the unit; NULL on discharge"),
    ),
)

SERVICES = Table(
    name="services",
    module="hosp",
    meaning="One change of the clinical service responsible for a patient",
    source=f"{DOCS}/hosp/services/",
    key=("hadm_id", "transfertime", "curr_service"),
    sort=("subject_id", "transfertime"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("transfertime", TIMESTAMP, "The new service took over", required=True),
        Column("prev_service", TEXT, "Service before; NULL for the first of an admission"),
        Column("curr_service", TEXT, "Service from now on: MED, SURG, CMED, …"),
    ),
)

PROVIDER = Table(
    name="provider",
    module="hosp",
    meaning="One de-identified member of staff who admits, orders or gives",
    source=f"{DOCS}/hosp/provider/",
    key=("provider_id",),
    sort=("provider_id",),
    columns=(Column("provider_id", TEXT, "De-identified id, `P` and five characters", required=True),),
)

# What others refer to comes first, so that orphans can be counted in one pass over the tables.
HOSP: tuple[Table, ...] = (
    PATIENTS,
    PROVIDER,
    ADMISSIONS,
    *DICTIONARIES,
    D_LABITEMS,
    DIAGNOSES_ICD,
    PROCEDURES_ICD,
    DRGCODES,
    HCPCSEVENTS,
    SERVICES,
    TRANSFERS,
    LABEVENTS,
    MICROBIOLOGYEVENTS,
    OMR,
    POE,
    POE_DETAIL,
    PHARMACY,
    PRESCRIPTIONS,
    EMAR,
    EMAR_DETAIL,
)
"""The tables of `hosp`, each after those it refers to."""
