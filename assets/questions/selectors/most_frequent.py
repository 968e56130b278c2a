"""Selector: most frequent names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.NAMES,
    family="listing",
    needs="name",
    asks="which {listed} most often {when}",
    measure="{entries} recorded most often",
    note="all of them, if tied",
)
def most_frequent(of: Series) -> Steps:
    """The name recorded most often; all of them if tied."""
    return {
        "counts": f"SELECT {of.keys}, name, "
        f"rank() OVER (PARTITION BY {of.keys} ORDER BY count(*) DESC NULLS LAST) AS k "
        f"FROM seen WHERE name IS NOT NULL GROUP BY {of.keys}, name",
        "measure": f"SELECT {of.keys}, name AS m FROM counts WHERE k = 1",
    }
