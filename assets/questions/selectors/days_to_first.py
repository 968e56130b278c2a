"""Selector: number of calendar days from the start to the first record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.DAYS,
    family="wait",
    needs="t lo",
    asks="how many calendar days after {start} was the first {event} {when}",
    measure="number of calendar days from {start} to the first {event}",
    note="the same calendar day is 0",
    from_start=True,
)
def days_to_first(of: Series) -> Steps:
    """Calendar days from the start of the window to the first record: for dates without a time."""
    return {
        "measure": f"SELECT {of.keys}, min(date_diff('day', CAST(lo AS DATE), CAST(t AS DATE))) AS m FROM seen "
        f"GROUP BY {of.keys}"
    }
