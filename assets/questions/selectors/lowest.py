"""Selector: lowest value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="level",
    needs="v",
    asks="what was the lowest {value} {when}",
    measure="lowest {value}",
)
def lowest(of: Series) -> Steps:
    """The lowest usable value."""
    return {"measure": f"SELECT {of.keys}, min(v) AS m FROM seen GROUP BY {of.keys}"}
