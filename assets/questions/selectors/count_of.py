"""Selector: number of records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.COUNT,
    family="closed",
    needs="hit",
    asks="how many {counted} {when}",
    measure="number of {events}",
    closed=True,
    note="if there are no {whole} at all, there is no answer, not even {zero}",
)
def count_of(of: Series) -> Steps:
    """How often did it happen? A 0 rests on the other records of its sort."""
    return {"measure": f"SELECT {of.keys}, count(*) FILTER (WHERE hit) AS m FROM seen GROUP BY {of.keys}"}
