"""Selector: number of different names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.COUNT,
    family="listing",
    needs="name",
    asks="how many different {listed} {when}",
    measure="number of different {entries}",
)
def number_of_names(of: Series) -> Steps:
    """How many different names. Of what was recorded: at least one."""
    return {
        "measure": f"SELECT {of.keys}, count(DISTINCT name) AS m FROM seen GROUP BY {of.keys} HAVING count(name) > 0"
    }
