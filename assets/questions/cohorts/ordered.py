"""Units with an order for a drug."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from assets.questions.sql import folded
from schemas.concepts import Drug, Pool
from schemas.questions import Role, Selection


def _member(drug: Drug) -> Membership:
    orders = Selection(
        name="",
        role=Role.COHORT,
        table="prescriptions",
        concept=folded("drug", drug.orders),
        label=f"order for {drug.lay_name}",
        names=("drug",),
    )
    return Membership(orders, link="hadm_id")


MARKS = frozenset(
    {
        "amiodarone",
        "amlodipine",
        "cefepime",
        "dobutamine",
        "enoxaparin",
        "epinephrine",
        "furosemide",
        "haloperidol",
        "hydrochlorothiazide",
        "insulin",
        "lactulose",
        "lisinopril",
        "meropenem",
        "methadone",
        "methylprednisolone",
        "metoprolol",
        "micafungin",
        "midodrine",
        "milrinone",
        "norepinephrine",
        "piperacillin + tazobactam",
        "prednisone",
        "quetiapine",
        "rifaximin",
        "rivaroxaban",
        "spironolactone",
        "torsemide",
        "vancomycin",
        "vasopressin",
        "warfarin",
    }
)
"""Drugs that mark a state or a risk; whoever was ordered acetaminophen makes no cohort."""

COHORT = Cohort(
    name="ordered", pool=Pool.ORDERED_DRUG, member=_member, words="{units} with an order for {cohort}", only=MARKS
)
