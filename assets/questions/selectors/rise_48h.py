"""Selector: largest rise in value within any 48 hours."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="course",
    needs="t v",
    asks="what was the largest rise in {value} from one measurement to another at most 48 hours later {when}",
    measure="largest rise in {value} from one measurement to another at most 48 hours later",
    note="it is negative if every later value is lower; two times of measurement are needed",
    longer_than=2.0,
    course=True,
)
def rise_48h(of: Series) -> Steps:
    """The largest rise between two values at most 48 hours apart: of creatinine, KDIGO's sign of kidney injury."""
    return {
        "measure": f"SELECT {of.keys}, max(later.v - earlier.v) AS m FROM seen AS earlier JOIN seen AS later "
        f"USING ({of.keys}) WHERE later.t > earlier.t AND later.t <= earlier.t + INTERVAL 48 HOUR GROUP BY {of.keys}"
    }
