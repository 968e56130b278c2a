"""Selector: number of different calendar days with record."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.COUNT,
    family="pace",
    needs="t",
    asks="on how many different calendar days was there {an_event} {when}",
    measure="number of different calendar days with {an_event}",
    unit="days",
    longer_than=1.0,
)
def days_with(of: Series) -> Steps:
    """On how many calendar days was it measured? Only of what was measured: at least one."""
    return {"measure": f"SELECT {of.keys}, count(DISTINCT CAST(t AS DATE)) AS m FROM seen GROUP BY {of.keys}"}
