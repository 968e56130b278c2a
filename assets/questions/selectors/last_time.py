"""Selector: time of the last record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.TIME,
    family="moment",
    needs="t",
    asks="{asked_when} was the last {event} {when}",
    measure="{moment} of the last {event}",
)
def last_time(of: Series) -> Steps:
    """When it last happened."""
    return {"measure": f"SELECT {of.keys}, max(t) AS m FROM seen GROUP BY {of.keys}"}
