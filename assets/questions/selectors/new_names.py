"""Selector: new names."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import edge, selector


@selector(
    Shape.NAMES,
    family="listing",
    needs="t name",
    asks="which {listed} at the last recorded time {when} that had not been recorded earlier in it",
    measure="{entries} that were new at the last recorded time",
    note="an earlier record is needed; if nothing is new, there is no answer",
    longer_than=100.0,
)
def new_names(of: Series) -> Steps:
    """Names at the latest time that no earlier time had: new problems. Needs an earlier time."""
    return {
        **edge(of, "max"),
        "old": f"SELECT DISTINCT {of.keys}, seen.name FROM seen JOIN edge USING ({of.keys}) WHERE seen.t < edge.t",
        "measure": f"SELECT DISTINCT {of.keys}, seen.name AS m FROM seen JOIN edge USING ({of.keys}, t) "
        f"WHERE ({of.keys}) IN (SELECT {of.keys} FROM old) "
        f"AND ({of.keys}, seen.name) NOT IN (SELECT {of.keys}, name FROM old)",
    }
