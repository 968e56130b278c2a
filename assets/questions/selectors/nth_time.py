"""Selector: time of the nth record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, turns


@selector(
    Shape.TIME,
    family="moment",
    needs="t",
    asks="{asked_when} was the {nth} {event} {when}",
    measure="{moment} of the {nth} {event}",
    note="records of one time count as one in the order",
    uses="nth",
)
def nth_time(of: Series) -> Steps:
    """When it happened for the second, third … time."""
    return {
        **turns(of),
        "measure": f"SELECT {of.keys}, min(t) AS m FROM turns WHERE k = {of.nth} GROUP BY {of.keys}",
    }
