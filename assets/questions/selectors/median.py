"""Selector: median value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="level",
    needs="v",
    asks="what was the median {value} {when}",
    measure="median {value}",
)
def median(of: Series) -> Steps:
    """The median of all usable values: less moved by one outlier than the mean."""
    return {"measure": f"SELECT {of.keys}, median(v) AS m FROM seen GROUP BY {of.keys}"}
