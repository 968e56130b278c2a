"""Selector: number of admissions with records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.COUNT,
    family="closed",
    needs="t hit",
    asks="in how many admissions {happened} {when}",
    measure="number of admissions with {events}",
    unit="admissions",
    closed=True,
    note="if there are no {whole} at all, there is no answer, not even {zero}",
    longer_than=100.0,
)
def times_of(of: Series) -> Steps:
    """In how many admissions (times) was it recorded?"""
    return {"measure": f"SELECT {of.keys}, count(DISTINCT t) FILTER (WHERE hit) AS m FROM seen GROUP BY {of.keys}"}
