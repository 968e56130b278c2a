"""Selector: number of hours from the worst value until it was no longer beyond a threshold."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import hours


@selector(
    Shape.HOURS,
    family="burden",
    needs="t v",
    asks="how many hours passed from the {extreme} {value} until it was no longer {beyond} {when}",
    measure="number of hours from the {extreme} {value} until it was no longer {beyond}",
    note="the latest, if the {extreme} value occurred several times",
    uses="threshold",
    longer_than=1.0,
    course=True,
)
def recovery(of: Series) -> Steps:
    """Hours from the most worrying value until it was no longer beyond the threshold: speed of rescue."""
    return {
        "peak": f"SELECT {of.keys}, {of.worst}(v) AS v FROM seen GROUP BY {of.keys}",
        "turning": f"SELECT {of.keys}, max(t) AS t0 FROM seen JOIN peak USING ({of.keys}, v) WHERE {of.beyond} "
        f"GROUP BY {of.keys}",
        "measure": f"SELECT {of.keys}, min({hours('t0', 't')}) AS m FROM seen JOIN turning USING ({of.keys}) "
        f"WHERE t > t0 AND NOT ({of.beyond}) GROUP BY {of.keys}",
    }
