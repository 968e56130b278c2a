"""Selector: number of hours from the start to the first record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="wait",
    needs="t lo",
    asks="how many hours after {start} was the first {event} {when}",
    measure="number of hours from {start} to the first {event}",
    from_start=True,
)
def hours_to_first(of: Series) -> Steps:
    """Hours from the start of the window to the first record: delay to treatment."""
    return {"measure": f"SELECT {of.keys}, min({hours('lo', 't')}) AS m FROM seen GROUP BY {of.keys}"}
