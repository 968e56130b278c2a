"""Units admitted as one type of admission."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from assets.questions.sql import listed
from schemas.concepts import Pool, Term
from schemas.questions import Role, Selection


def _member(term: Term) -> Membership:
    admitted = Selection(
        name="",
        role=Role.COHORT,
        table="admissions",
        concept=f"admission_type IN {listed(term.values)}",
        label="admission type",
        names=("admission_type",),
    )
    return Membership(admitted, link="hadm_id")


COHORT = Cohort(
    name="admission_type",
    pool=Pool.ADMISSION_TYPE,
    member=_member,
    words="{units} registered as {cohort}",
    units=frozenset({"admission", "stay"}),
)
