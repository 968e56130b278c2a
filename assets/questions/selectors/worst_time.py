"""Selector: time of the worst value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import single


@selector(
    Shape.TIME,
    family="course",
    needs="t v",
    asks="{asked_when} was the {extreme} {value} recorded {when}",
    measure="{moment} of the {extreme} {value}",
    note="if it was reached at several times, there is no answer",
    course=True,
)
def worst_time(of: Series) -> Steps:
    """When the most worrying value was measured: what else happened then?"""
    return {
        "peak": f"SELECT {of.keys}, {of.worst}(v) AS v FROM seen GROUP BY {of.keys}",
        "measure": f"SELECT {of.keys}, {single('t')} AS m FROM seen JOIN peak USING ({of.keys}, v) GROUP BY {of.keys}",
    }
