"""Selector: last value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import TIE, edge, selector
from assets.questions.sql import single


@selector(
    Shape.VALUE,
    family="level",
    needs="t v",
    asks="what was the last {value} {when}",
    measure="last {value}",
    note=TIE,
)
def last(of: Series) -> Steps:
    """The last usable value: the state in which the window ends."""
    return {
        **edge(of, "max"),
        "measure": f"SELECT {of.keys}, {single('v')} AS m FROM seen JOIN edge USING ({of.keys}, t) GROUP BY {of.keys}",
    }
