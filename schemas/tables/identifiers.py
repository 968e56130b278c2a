"""Columns and foreign keys that many tables share, so that one meaning is said once."""

from __future__ import annotations

from schemas.tables.model import Column, ColumnType, ForeignKey

INTEGER, DOUBLE, TEXT = ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.TEXT
TIMESTAMP, DATE = ColumnType.TIMESTAMP, ColumnType.DATE

DOCS = "https://mimic.mit.edu/docs/iv/modules"
"""Root of MIMIC-IV's table documentation: `<DOCS>/hosp/labevents/`."""

SUBJECT_ID = Column("subject_id", INTEGER, "The patient", required=True)
HADM_ID = Column("hadm_id", INTEGER, "The hospital admission", required=True)
HADM_ID_OR_NONE = Column("hadm_id", INTEGER, "The hospital admission; NULL outside one, or when it was not linked")
STAY_ID = Column("stay_id", INTEGER, "The ICU stay", required=True)
ITEMID = Column("itemid", INTEGER, "What was recorded: an entry of `d_items`", required=True)
CAREGIVER_ID = Column("caregiver_id", INTEGER, "Who documented it, de-identified: an entry of `caregiver`")
ORDER_PROVIDER_ID = Column("order_provider_id", TEXT, "Who ordered it, de-identified: an entry of `provider`")
POE_ID = Column("poe_id", TEXT, "The order in `poe`, written `<subject_id>-<poe_seq>`")

TO_PATIENT = ForeignKey(("subject_id",), "patients", ("subject_id",))
TO_ADMISSION = ForeignKey(("hadm_id",), "admissions", ("hadm_id",))
TO_STAY = ForeignKey(("stay_id",), "icustays", ("stay_id",))
TO_ITEM = ForeignKey(("itemid",), "d_items", ("itemid",))
TO_CAREGIVER = ForeignKey(("caregiver_id",), "caregiver", ("caregiver_id",))
TO_ORDERING_PROVIDER = ForeignKey(("order_provider_id",), "provider", ("provider_id",))
TO_ORDER = ForeignKey(("poe_id",), "poe", ("poe_id",))
TO_PHARMACY = ForeignKey(("pharmacy_id",), "pharmacy", ("pharmacy_id",))
