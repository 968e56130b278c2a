"""Selector: percentage of its sort among all records."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.PERCENT,
    family="closed",
    needs="hit",
    asks="what percentage of {whole} {when} were {part}",
    measure="percentage of {part} among {whole}",
    closed=True,
    note="if there are no {whole} at all, there is no answer, not even {zero}",
)
def share_of(of: Series) -> Steps:
    """Its share among all records of its sort."""
    return {
        "measure": f"SELECT {of.keys}, 100.0 * count(*) FILTER (WHERE hit) / count(*) AS m FROM seen GROUP BY {of.keys}"
    }
