"""Selector: number of hours from the start to the first value beyond a threshold."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="burden",
    needs="t v lo",
    asks="how many hours after {start} was the {value} first {beyond} {when}",
    measure="number of hours from {start} to the first {value} {beyond}",
    uses="threshold",
    from_start=True,
    course=True,
)
def hours_to_beyond(of: Series) -> Steps:
    """Hours from the start of the window to the first value beyond a threshold: onset."""
    return {"measure": f"SELECT {of.keys}, min({hours('lo', 't')}) AS m FROM seen WHERE {of.beyond} GROUP BY {of.keys}"}
