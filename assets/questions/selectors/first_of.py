"""Selector: first time with records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.TIME,
    family="closed",
    needs="t hit",
    asks="when {happened} for the first time {when}",
    measure="time at which {events} were first recorded",
)
def first_of(of: Series) -> Steps:
    """When it first happened."""
    return {"measure": f"SELECT {of.keys}, min(t) FILTER (WHERE hit) AS m FROM seen GROUP BY {of.keys}"}
