"""Units billed under a group of MS-DRGs."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from assets.questions.sql import listed
from schemas.concepts import BillingGroup, Pool, load
from schemas.questions import Role, Selection


def _member(group: BillingGroup) -> Membership:
    rows = Selection(
        name="",
        role=Role.COHORT,
        table="drgcodes",
        concept=f"drg_type = 'HCFA' AND drg_code IN {listed(group.codes)}",
        label=f"MS-DRG for {group.lay_name}",
        names=("drg_code", "drg_type"),
    )
    return Membership(rows, link="hadm_id")


COHORT = Cohort(
    name="billed_drg",
    pool=Pool.DRG,
    member=_member,
    words="{units} billed under an MS-DRG for {cohort}",
    least=5,
    # What such an operation was follows from no code of the group: it says how the bill came about, not who was ill.
    only=frozenset(load().of(Pool.DRG)) - {"unrelated_surgery"},
    units=frozenset({"admission", "stay"}),
)
