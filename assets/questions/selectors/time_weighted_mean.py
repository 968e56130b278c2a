"""Selector: time-weighted mean value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import HELD_HOURS, points, selector


@selector(
    Shape.VALUE,
    family="course",
    needs="t v",
    asks="what was the time-weighted mean {value} {when}",
    measure="time-weighted mean {value}",
    note="each value holds until the next measurement, the last for no time; measurements at two times or more are "
    "needed",
    longer_than=0.2,
    course=True,
)
def time_weighted_mean(of: Series) -> Steps:
    """The mean with each value holding until the next: what the body was exposed to."""
    return {
        **points(of),
        "measure": f"SELECT {of.keys}, sum(v * {HELD_HOURS}) / nullif(sum({HELD_HOURS}), 0) AS m FROM held "
        f"WHERE t_next IS NOT NULL GROUP BY {of.keys}",
    }
