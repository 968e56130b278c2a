"""Did it happen at all? A "no" rests on the other records of its sort."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.YES_NO,
    family="closed",
    needs="hit",
    asks="{happened} {when}",
    measure="any {events}",
    closed=True,
    note="if there are no {whole} at all, there is no answer, not even {zero}",
)
def any_of(of: Series) -> Steps:
    """Did it happen at all? A "no" rests on the other records of its sort."""
    return {"measure": f"SELECT {of.keys}, bool_or(hit) AS m FROM seen GROUP BY {of.keys}"}
