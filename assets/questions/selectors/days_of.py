"""Selector: number of different calendar days with records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.COUNT,
    family="closed",
    needs="t hit",
    asks="on how many different calendar days {happened} {when}",
    measure="number of different calendar days with {events}",
    unit="days",
    closed=True,
    note="if there are no {whole} at all, there is no answer, not even {zero}",
    longer_than=1.0,
)
def days_of(of: Series) -> Steps:
    """On how many calendar days did it happen?"""
    return {
        "measure": f"SELECT {of.keys}, count(DISTINCT CAST(t AS DATE)) FILTER (WHERE hit) AS m FROM seen "
        f"GROUP BY {of.keys}"
    }
