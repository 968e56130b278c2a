"""Selector: worst value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="level",
    needs="v",
    asks="what was the {extreme} {value} {when}",
    measure="{extreme} {value}",
)
def worst(of: Series) -> Steps:
    """The most worrying value: the highest where high values worry, else the lowest."""
    return {"measure": f"SELECT {of.keys}, {of.worst}(v) AS m FROM seen GROUP BY {of.keys}"}
