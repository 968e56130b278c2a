"""Selector: nth names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, turns


@selector(
    Shape.NAMES,
    family="listing",
    needs="t name",
    asks="which {listed} at the {nth} recorded time {when}",
    measure="{entries} at the {nth} recorded time",
    note="records of one time count as one in the order, and all its names belong to the answer",
    uses="nth",
)
def nth_names(of: Series) -> Steps:
    """The name at the second, third … time; all of them if several share it."""
    return {
        **turns(of),
        "measure": f"SELECT DISTINCT {of.keys}, name AS m FROM turns WHERE k = {of.nth} AND name IS NOT NULL",
    }
