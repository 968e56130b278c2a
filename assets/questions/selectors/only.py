"""Selector: value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import single


@selector(
    Shape.VALUE,
    family="once",
    needs="v",
    asks="what was the {value} {when}",
    measure="{value}",
    note="if the record holds several different values, there is no answer",
)
def only(of: Series) -> Steps:
    """The one value an admission has: age, billing level, length. Two that differ give none."""
    return {"measure": f"SELECT {of.keys}, {single('v')} AS m FROM seen GROUP BY {of.keys}"}
