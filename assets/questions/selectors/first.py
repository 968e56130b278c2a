"""Selector: first value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import TIE, edge, selector
from assets.questions.sql import single


@selector(
    Shape.VALUE,
    family="level",
    needs="t v",
    asks="what was the first {value} {when}",
    measure="first {value}",
    note=TIE,
)
def first(of: Series) -> Steps:
    """The first usable value: severity on arrival, baseline before treatment."""
    return {
        **edge(of, "min"),
        "measure": f"SELECT {of.keys}, {single('v')} AS m FROM seen JOIN edge USING ({of.keys}, t) GROUP BY {of.keys}",
    }
