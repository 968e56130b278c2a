"""Selector: total value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.VALUE,
    family="sum",
    needs="v",
    asks="what was the total {value} {when}",
    measure="total {value}",
)
def total(of: Series) -> Steps:
    """The sum of all usable values: volumes, doses, lengths."""
    return {"measure": f"SELECT {of.keys}, sum(v) AS m FROM seen GROUP BY {of.keys}"}
