"""Selector: change in value from first to last."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import TIE, selector


@selector(
    Shape.VALUE,
    family="spread",
    needs="t v",
    asks="by how much did the {value} change from first to last {when}",
    measure="change in {value} from first to last",
    note="the answer is the last minus the first, at two different times; " + TIE,
)
def change(of: Series) -> Steps:
    """Last minus first value: did it get better?"""
    return {
        "ends": f"SELECT {of.keys}, min(t) AS t0, max(t) AS t1 FROM seen GROUP BY {of.keys} HAVING min(t) < max(t)",
        "measure": f"SELECT {of.keys}, CASE WHEN count(DISTINCT v) FILTER (WHERE t = t0) = 1 "
        "AND count(DISTINCT v) FILTER (WHERE t = t1) = 1 "
        "THEN max(v) FILTER (WHERE t = t1) - max(v) FILTER (WHERE t = t0) END AS m "
        f"FROM seen JOIN ends USING ({of.keys}) GROUP BY {of.keys}",
    }
