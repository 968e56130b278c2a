"""Those who died in hospital and those who did not apart."""

from __future__ import annotations

from assets.questions.aggregating import per_group
from assets.questions.grammar import Group, Unit
from schemas.questions import Role, Selection


def _group(unit: Unit) -> Group:
    records = Selection(
        name="grouping", role=Role.GROUP, table="admissions", value=("hospital_expire_flag",), label="death in hospital"
    )
    return Group(
        records,
        link="hadm_id",
        key="CASE g.hospital_expire_flag WHEN 1 THEN 'died' WHEN 0 THEN 'survived' END",
        column="outcome",
    )


AGGREGATOR = per_group(
    "by_death",
    _group,
    "separately for those who died in hospital ('died') and those who did not ('survived')",
    frozenset({"admission", "stay"}),
)
