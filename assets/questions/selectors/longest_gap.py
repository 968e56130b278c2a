"""Selector: longest time between two consecutive records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="pace",
    needs="t",
    asks="what was the longest time between two consecutive {events} {when}",
    measure="longest time between two consecutive {events}",
    note="at least two different times are needed",
    longer_than=0.2,
)
def longest_gap(of: Series) -> Steps:
    """The longest time between two consecutive records: missed doses, missed charting."""
    return {
        "times": f"SELECT DISTINCT {of.keys}, t FROM seen",
        "pairs": f"SELECT {of.keys}, t, lag(t) OVER (PARTITION BY {of.keys} ORDER BY t NULLS LAST) AS t_before "
        "FROM times",
        "measure": f"SELECT {of.keys}, max({hours('t_before', 't')}) AS m FROM pairs WHERE t_before IS NOT NULL "
        f"GROUP BY {of.keys}",
    }
