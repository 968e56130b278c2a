"""Selector: number of hours with value beyond a threshold."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import HELD_HOURS, points, selector


@selector(
    Shape.HOURS,
    family="burden",
    needs="t v",
    asks="for how many hours was the {value} {beyond} {when}",
    measure="number of hours with {value} {beyond}",
    note="each value holds until the next measurement, the last for no time; measurements at two times or more are "
    "needed",
    uses="threshold",
    longer_than=0.2,
    course=True,
)
def hours_beyond(of: Series) -> Steps:
    """Hours beyond a threshold, each value holding until the next: burden, not a spike."""
    return {
        **points(of),
        "measure": f"SELECT {of.keys}, sum(CASE WHEN {of.beyond} THEN {HELD_HOURS} ELSE 0 END) AS m FROM held "
        f"WHERE t_next IS NOT NULL GROUP BY {of.keys}",
    }
