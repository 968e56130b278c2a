"""Rows of the dictionaries: what a record's code, item or id is called. No patient, no time."""

from __future__ import annotations

from schemas.questions import Role, Selection


def _dictionary(table: str, label: str, column: str, *names: str) -> Selection:
    return Selection(
        name="",
        role=Role.LABEL,
        table=table,
        support=f"{column} IS NOT NULL",
        label=label,
        names=(column, *names),
    )


DIAGNOSES = _dictionary("d_icd_diagnoses", "title of a diagnosis code", "long_title")
PROCEDURES = _dictionary("d_icd_procedures", "title of a procedure code", "long_title")
BILLED = _dictionary("d_hcpcs", "description of an HCPCS code", "short_description", "category")
TESTS = _dictionary("d_labitems", "name of a laboratory item", "label", "fluid", "category")
ITEMS = _dictionary("d_items", "name of an ICU item", "label", "category")
PROVIDERS = _dictionary("provider", "provider", "provider_id")
CAREGIVERS = _dictionary("caregiver", "caregiver", "caregiver_id")

SAME_CODE = "l.icd_version = x.icd_version AND l.icd_code = x.icd_code"
"""A code means something only with its version."""
SAME_ITEM = "l.itemid = x.itemid"
