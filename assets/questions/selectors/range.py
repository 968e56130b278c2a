"""Selector: difference between highest and lowest value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="spread",
    needs="t v",
    asks="how far apart were the highest and the lowest {value} {when}",
    measure="range of the {value}",
    note="the range is the highest minus the lowest, and at least two times of measurement are needed",
    course=True,
)
def range(of: Series) -> Steps:
    """Highest minus lowest value, over at least two times of measurement: instability."""
    return {
        "measure": f"SELECT {of.keys}, max(v) - min(v) AS m FROM seen GROUP BY {of.keys} HAVING count(DISTINCT t) >= 2"
    }
