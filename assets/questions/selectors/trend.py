"""Selector: trend of the value per day."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector

ORIGIN = "TIMESTAMP '2150-01-01 00:00:00'"
"""Days count from here, amid the years of MIMIC-IV: any slope is the same, and a whole record has no beginning."""


@selector(
    Shape.VALUE,
    family="course",
    needs="t v",
    asks="what was the trend per day of the {value} {when}",
    measure="trend of the {value} per day",
    unit="{unit} per day",
    finer=3,
    note="the least-squares slope over time, with at least three times of measurement",
    longer_than=2.0,
    course=True,
)
def trend(of: Series) -> Steps:
    """Least-squares slope per day, over at least three times of measurement: slow decline or recovery."""
    return {
        "measure": f"SELECT {of.keys}, regr_slope(v, date_diff('second', {ORIGIN}, t) / 86400.0) AS m FROM seen "
        f"GROUP BY {of.keys} HAVING count(DISTINCT t) >= 3"
    }
