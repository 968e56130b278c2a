"""Selector: time of the first record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.TIME,
    family="moment",
    needs="t",
    asks="when was the first {event} {when}",
    measure="time of the first {event}",
)
def first_time(of: Series) -> Steps:
    """When it first happened."""
    return {"measure": f"SELECT {of.keys}, min(t) AS m FROM seen GROUP BY {of.keys}"}
