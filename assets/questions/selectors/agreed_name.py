"""Selector: the agreed name."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.NAMES,
    family="agreed",
    needs="name",
    asks="which {listed} every time {when}",
    measure="{entries} recorded every time",
    note="if they state different ones, there is no answer",
)
def agreed_name(of: Series) -> Steps:
    """The one name that all records state. Two that differ give none."""
    return {
        "measure": f"SELECT {of.keys}, min(name) AS m FROM seen WHERE name IS NOT NULL GROUP BY {of.keys} "
        "HAVING count(DISTINCT name) = 1"
    }
