"""Selector: longest pause between two stretches of a state."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, stretches
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="stretch",
    needs="t t2 lo hi",
    asks="what was the longest pause between two stretches of {running} {when}",
    measure="longest pause between two stretches of {running}",
    note="records that touch or overlap form one stretch, and two stretches are needed",
    overlapping=True,
    longer_than=0.9,
)
def longest_pause(of: Series) -> Steps:
    """The longest pause between two stretches."""
    return {
        **stretches(of),
        "pauses": f"SELECT {of.keys}, t2, lead(t) OVER (PARTITION BY {of.keys} ORDER BY t NULLS LAST) AS t_next "
        "FROM spans",
        "measure": f"SELECT {of.keys}, max({hours('t2', 't_next')}) AS m FROM pauses WHERE t_next IS NOT NULL "
        f"GROUP BY {of.keys}",
    }
