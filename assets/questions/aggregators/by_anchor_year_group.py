"""Eras apart: the only calendar that MIMIC-IV lets people compare across patients."""

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
        support=known("patients", "anchor_year_group"),
        names=("anchor_year_group",),
        label="era",
    )
    return Group(records, link="subject_id", key="g.anchor_year_group", column="anchor_year_group")


AGGREGATOR = per_group(
    "by_anchor_year_group", _group, "separately for each anchor_year_group", frozenset({"admission", "stay", "patient"})
)
