"""Selector: nth value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import TIE, selector, turns
from assets.questions.sql import single


@selector(
    Shape.VALUE,
    family="level",
    needs="t v",
    asks="what was the {nth} {value} {when}",
    measure="{nth} {value}",
    note="values of one time count as one in the order, and " + TIE,
    uses="nth",
    course=True,
)
def nth(of: Series) -> Steps:
    """The second, third … value in order of time: does it confirm the first?"""
    return {
        **turns(of),
        "measure": f"SELECT {of.keys}, {single('v')} AS m FROM turns WHERE k = {of.nth} GROUP BY {of.keys}",
    }
