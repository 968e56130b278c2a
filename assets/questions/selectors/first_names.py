"""Selector: first names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import edge, selector


@selector(
    Shape.NAMES,
    family="listing",
    needs="t name",
    asks="which {listed} at the first recorded time {when}",
    measure="{entries} at the first recorded time",
    note="all its names belong to the answer",
)
def first_names(of: Series) -> Steps:
    """The name at the first time; all of them if several share it."""
    return {
        **edge(of, "min"),
        "measure": f"SELECT DISTINCT {of.keys}, name AS m FROM seen JOIN edge USING ({of.keys}, t) "
        "WHERE name IS NOT NULL",
    }
