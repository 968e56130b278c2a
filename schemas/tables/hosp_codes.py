"""Tables of `hosp` that hold codes: diagnoses, procedures, billing groups, and their dictionaries.

An ICD code means nothing without its version: the two travel together. Codes are text: `0090` is not 90, and the
dictionary of HCPCS pads some of its codes with blanks.
"""

from __future__ import annotations

from schemas.tables.identifiers import (
    DATE,
    DOCS,
    HADM_ID,
    INTEGER,
    SUBJECT_ID,
    TEXT,
    TO_ADMISSION,
    TO_PATIENT,
)
from schemas.tables.model import Column, ForeignKey, Table

_CODE = Column("icd_code", TEXT, "ICD code without its dot, leading zeros kept", required=True)
_VERSION = Column("icd_version", INTEGER, "9 for ICD-9, 10 for ICD-10", required=True)

D_HCPCS = Table(
    name="d_hcpcs",
    module="hosp",
    meaning="One HCPCS or CPT code and what it stands for",
    source=f"{DOCS}/hosp/d_hcpcs/",
    key=("code",),
    sort=("code",),
    columns=(
        Column("code", TEXT, "Five characters, blanks at the end included", required=True),
        Column("category", INTEGER, "Broad class of CPT codes; NULL for HCPCS"),
        Column("long_description", TEXT, "Full description"),
        Column("short_description", TEXT, "Short description, or the heading a CPT code falls under"),
    ),
)

D_ICD_DIAGNOSES = Table(
    name="d_icd_diagnoses",
    module="hosp",
    meaning="One ICD diagnosis code and its title",
    source=f"{DOCS}/hosp/d_icd_diagnoses/",
    key=("icd_code", "icd_version"),
    sort=("icd_code", "icd_version"),
    columns=(_CODE, _VERSION, Column("long_title", TEXT, "Title of the diagnosis")),
)

D_ICD_PROCEDURES = Table(
    name="d_icd_procedures",
    module="hosp",
    meaning="One ICD procedure code and its title",
    source=f"{DOCS}/hosp/d_icd_procedures/",
    key=("icd_code", "icd_version"),
    sort=("icd_code", "icd_version"),
    columns=(_CODE, _VERSION, Column("long_title", TEXT, "Title of the procedure")),
)

DICTIONARIES = (D_HCPCS, D_ICD_DIAGNOSES, D_ICD_PROCEDURES)

DIAGNOSES_ICD = Table(
    name="diagnoses_icd",
    module="hosp",
    meaning="One diagnosis billed for an admission",
    source=f"{DOCS}/hosp/diagnoses_icd/",
    key=("hadm_id", "seq_num", "icd_code", "icd_version"),
    sort=("subject_id", "hadm_id", "seq_num"),
    foreign_keys=(
        TO_PATIENT,
        TO_ADMISSION,
        ForeignKey(("icd_code", "icd_version"), "d_icd_diagnoses", ("icd_code", "icd_version")),
    ),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("seq_num", INTEGER, "Rank among the admission's diagnoses; 1 is the principal one", required=True),
        Column("icd_code", TEXT, "ICD code without its dot, leading zeros kept"),
        Column("icd_version", INTEGER, "9 for ICD-9, 10 for ICD-10"),
    ),
)

PROCEDURES_ICD = Table(
    name="procedures_icd",
    module="hosp",
    meaning="One procedure billed for an admission",
    source=f"{DOCS}/hosp/procedures_icd/",
    key=("hadm_id", "seq_num", "icd_code", "icd_version"),
    sort=("subject_id", "hadm_id", "seq_num"),
    foreign_keys=(
        TO_PATIENT,
        TO_ADMISSION,
        ForeignKey(("icd_code", "icd_version"), "d_icd_procedures", ("icd_code", "icd_version")),
    ),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("seq_num", INTEGER, "Rank among the admission's procedures", required=True),
        Column("chartdate", DATE, "Day of the procedure", required=True),
        Column("icd_code", TEXT, "ICD code without its dot, leading zeros kept"),
        Column("icd_version", INTEGER, "9 for ICD-9, 10 for ICD-10"),
    ),
)

DRGCODES = Table(
    name="drgcodes",
    module="hosp",
    meaning="One diagnosis-related group an admission was billed under",
    source=f"{DOCS}/hosp/drgcodes/",
    key=("hadm_id", "drg_type", "drg_code"),
    sort=("subject_id", "hadm_id", "drg_type"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("drg_type", TEXT, "Grouper: `HCFA` or `APR`; a code means nothing without it"),
        Column("drg_code", TEXT, "Code within its grouper", required=True),
        Column("description", TEXT, "What the group stands for"),
        Column("drg_severity", INTEGER, "APR severity of illness, 1 to 4; NULL for HCFA"),
        Column("drg_mortality", INTEGER, "APR risk of mortality, 1 to 4; NULL for HCFA"),
    ),
)

HCPCSEVENTS = Table(
    name="hcpcsevents",
    module="hosp",
    meaning="One service billed by HCPCS or CPT code",
    source=f"{DOCS}/hosp/hcpcsevents/",
    key=("hadm_id", "hcpcs_cd", "seq_num"),
    sort=("subject_id", "chartdate"),
    foreign_keys=(TO_PATIENT, TO_ADMISSION, ForeignKey(("hcpcs_cd",), "d_hcpcs", ("code",))),
    columns=(
        SUBJECT_ID,
        HADM_ID,
        Column("chartdate", DATE, "Day of the service", required=True),
        Column("hcpcs_cd", TEXT, "HCPCS or CPT code", required=True),
        Column("seq_num", INTEGER, "Rank among the admission's services", required=True),
        Column("short_description", TEXT, "Short description, or the heading a CPT code falls under"),
    ),
)
