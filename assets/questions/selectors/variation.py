"""Selector: coefficient of variation of the value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.PERCENT,
    family="spread",
    needs="t v",
    asks="what was the coefficient of variation of the {value} {when}",
    measure="coefficient of variation of the {value}",
    note="sample standard deviation over mean, with at least three times of measurement",
    longer_than=1.0,
    course=True,
)
def variation(of: Series) -> Steps:
    """Coefficient of variation of at least three times of measurement: how stable is it?"""
    return {
        "measure": f"SELECT {of.keys}, 100.0 * stddev_samp(v) / nullif(avg(v), 0) AS m FROM seen "
        f"GROUP BY {of.keys} HAVING count(DISTINCT t) >= 3"
    }
