"""First care units of the ICU stay apart."""

from __future__ import annotations

from assets.questions.aggregating import per_group
from assets.questions.grammar import Group, Unit
from assets.questions.records import known
from schemas.questions import Role, Selection


def _group(unit: Unit) -> Group:
    records = Selection(
        name="grouping",
        role=Role.GROUP,
        table="icustays",
        support=known("icustays", "first_careunit"),
        names=("first_careunit",),
        label="care unit",
    )
    return Group(records, link="stay_id", key="g.first_careunit", column="care_unit")


AGGREGATOR = per_group(
    "by_care_unit", _group, "separately for each care unit in which the stay began", frozenset({"stay"})
)
