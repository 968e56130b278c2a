"""Selector: number of calendar days from the start to the nth day with record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, turns


@selector(
    Shape.DAYS,
    family="wait",
    needs="t lo",
    asks="how many calendar days after {start} was the {nth} day with {an_event} {when}",
    measure="number of calendar days from {start} to the {nth} day with {an_event}",
    note="the same calendar day is 0",
    uses="nth",
    from_start=True,
)
def days_to_nth(of: Series) -> Steps:
    """Calendar days from the start of the window to the second, third … day with a record."""
    return {
        **turns(of),
        "measure": f"SELECT {of.keys}, min(date_diff('day', CAST(lo AS DATE), CAST(t AS DATE))) AS m FROM turns "
        f"WHERE k = {of.nth} GROUP BY {of.keys}",
    }
