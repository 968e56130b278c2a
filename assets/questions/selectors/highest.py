"""Selector: highest value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="level",
    needs="v",
    asks="what was the highest {value} {when}",
    measure="highest {value}",
)
def highest(of: Series) -> Steps:
    """The highest usable value."""
    return {"measure": f"SELECT {of.keys}, max(v) AS m FROM seen GROUP BY {of.keys}"}
