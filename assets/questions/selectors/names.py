"""Selector: names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.NAMES,
    family="listing",
    needs="name",
    asks="which {listed} {when}",
    measure="{entries}",
)
def names(of: Series) -> Steps:
    """Every distinct name."""
    return {"measure": f"SELECT DISTINCT {of.keys}, name AS m FROM seen WHERE name IS NOT NULL"}
