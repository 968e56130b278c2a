"""Selector: average hourly value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import hours


@selector(
    Shape.VALUE,
    family="sum",
    needs="v lo hi",
    asks="what was the average hourly {value} {when}",
    measure="average hourly {value}",
    unit="{unit}/h",
    finer=1,
    note="the total divided by the hours of the interval",
)
def per_hour(of: Series) -> Steps:
    """The total divided by the hours of the window: urine per hour."""
    return {
        "measure": f"SELECT {of.keys}, sum(v) / nullif({hours('min(lo)', 'min(hi)')}, 0) AS m FROM seen "
        f"GROUP BY {of.keys}"
    }
