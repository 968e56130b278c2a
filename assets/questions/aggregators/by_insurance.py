"""Payers apart."""

from __future__ import annotations

from assets.questions.aggregating import per_group
from assets.questions.grammar import Group, Unit
from assets.questions.records import known
from schemas.questions import Role, Selection


def _group(unit: Unit) -> Group:
    records = Selection(
        name="grouping",
        role=Role.GROUP,
        table="admissions",
        support=known("admissions", "insurance"),
        names=("insurance",),
        label="insurance",
    )
    return Group(records, link="hadm_id", key="g.insurance", column="insurance")


AGGREGATOR = per_group("by_insurance", _group, "separately for each insurance", frozenset({"admission", "stay"}))
