"""Selector: percentage of value measurements beyond a threshold."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector


@selector(
    Shape.PERCENT,
    family="burden",
    needs="v",
    asks="what percentage of the {value} measurements {when} were {beyond}",
    measure="percentage of {value} measurements {beyond}",
    uses="threshold",
    course=True,
)
def share_beyond(of: Series) -> Steps:
    """Share of the values beyond a threshold: control. A share of what was measured, so it needs a measurement."""
    return {
        "measure": f"SELECT {of.keys}, 100.0 * count(*) FILTER (WHERE {of.beyond}) / count(*) AS m FROM seen "
        f"GROUP BY {of.keys}"
    }
