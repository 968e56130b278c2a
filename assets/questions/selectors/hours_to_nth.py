"""Selector: number of hours from the start to the nth record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, turns
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="wait",
    needs="t lo",
    asks="how many hours after {start} was the {nth} {event} {when}",
    measure="number of hours from {start} to the {nth} {event}",
    note="records of one time count as one in the order",
    uses="nth",
    from_start=True,
)
def hours_to_nth(of: Series) -> Steps:
    """Hours from the start of the window to the second, third … record."""
    return {
        **turns(of),
        "measure": f"SELECT {of.keys}, min({hours('lo', 't')}) AS m FROM turns WHERE k = {of.nth} GROUP BY {of.keys}",
    }
