"""Ten-year age bands apart. Ages above 89 are masked, so the last band is open."""

from __future__ import annotations

from assets.questions.aggregating import per_group
from assets.questions.grammar import Group, Unit
from schemas.questions import Role, Selection


def _group(unit: Unit) -> Group:
    records = Selection(
        name="grouping",
        role=Role.GROUP,
        table="patients",
        support="anchor_age IS NOT NULL AND anchor_year IS NOT NULL",
        label="age",
        value=("anchor_age",),
    )
    age = "g.anchor_age + date_part('year', {start}) - g.anchor_year"
    low = f"CAST(10 * floor(({age}) / 10) AS INTEGER)"
    key = (
        f"CASE WHEN g.anchor_age > 89 OR {age} >= 90 THEN '90+' "
        f"ELSE CAST({low} AS VARCHAR) || '-' || CAST({low} + 9 AS VARCHAR) END"
    )
    return Group(records, link="subject_id", key=key, column="age_band")


AGGREGATOR = per_group(
    "by_age_band",
    _group,
    "separately for each ten-year age band (age when the {unit_short} began: 60-69 and so on, 90+ last)",
    frozenset({"admission", "stay"}),
)
