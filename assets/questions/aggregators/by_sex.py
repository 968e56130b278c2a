"""Women and men apart."""

from __future__ import annotations

from assets.questions.aggregating import per_group
from assets.questions.grammar import Group, Unit
from assets.questions.records import known
from schemas.questions import Role, Selection


def _group(unit: Unit) -> Group:
    records = Selection(
        name="grouping",
        role=Role.GROUP,
        table="patients",
        support=known("patients", "gender"),
        names=("gender",),
        label="sex",
    )
    return Group(records, link="subject_id", key="g.gender", column="sex")


AGGREGATOR = per_group(
    "by_sex", _group, "separately for women (F) and men (M)", frozenset({"admission", "stay", "patient"})
)
