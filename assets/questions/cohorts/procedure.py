"""Units with a coded procedure."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from assets.questions.sql import coded
from schemas.concepts import Pool, Procedure
from schemas.questions import Role, Selection


def _member(group: Procedure) -> Membership:
    codes = Selection(
        name="",
        role=Role.COHORT,
        table="procedures_icd",
        concept=coded(group),
        label=f"procedure code for {group.lay_name}",
        names=("icd_code", "icd_version"),
    )
    return Membership(codes, link="hadm_id")


COHORT = Cohort(
    name="procedure",
    pool=Pool.PROCEDURE,
    member=_member,
    words="{units} with a coded procedure for {cohort}",
    least=8,
)
