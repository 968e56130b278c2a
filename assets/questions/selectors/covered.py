"""Selector: number of hours of a state."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import SPAN_HOURS, selector, stretches


@selector(
    Shape.HOURS,
    family="stretch",
    needs="t t2 lo hi",
    asks="how many hours of {running} were there {when}",
    measure="number of hours of {running}",
    note="overlaps count once and what lies outside the interval is cut off",
    overlapping=True,
)
def covered(of: Series) -> Steps:
    """Hours covered, overlaps counted once: days of antibiotics, of ventilation, of intensive care."""
    return {
        **stretches(of),
        "measure": f"SELECT {of.keys}, sum({SPAN_HOURS}) AS m FROM spans GROUP BY {of.keys}",
    }
