"""Selector: longest unbroken stretch of a state."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import SPAN_HOURS, selector, stretches


@selector(
    Shape.HOURS,
    family="stretch",
    needs="t t2 lo hi",
    asks="what was the longest unbroken stretch of {running} {when}",
    measure="longest unbroken stretch of {running}",
    note="records that touch or overlap form one stretch, and what lies outside the interval is cut off",
    overlapping=True,
)
def longest_stretch(of: Series) -> Steps:
    """The longest unbroken stretch, in hours."""
    return {
        **stretches(of),
        "measure": f"SELECT {of.keys}, max({SPAN_HOURS}) AS m FROM spans GROUP BY {of.keys}",
    }
