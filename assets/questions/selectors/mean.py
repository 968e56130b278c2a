"""Selector: mean value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="level",
    needs="v",
    asks="what was the mean {value} {when}",
    measure="mean {value}",
)
def mean(of: Series) -> Steps:
    """The mean of all usable values."""
    return {"measure": f"SELECT {of.keys}, avg(v) AS m FROM seen GROUP BY {of.keys}"}
