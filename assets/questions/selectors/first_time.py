"""Selector: time of the first record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.TIME,
    family="moment",
    needs="t",
    asks="{asked_when} was the first {event} {when}",
    measure="{moment} of the first {event}",
)
def first_time(of: Series) -> Steps:
    """When it first happened."""
    return {"measure": f"SELECT {of.keys}, min(t) AS m FROM seen GROUP BY {of.keys}"}
