"""Selector: number of separate stretches of a state."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector, stretches


@selector(
    Shape.COUNT,
    family="stretch",
    needs="t t2 lo hi",
    asks="how many separate stretches of {running} were there {when}",
    measure="number of separate stretches of {running}",
    unit="stretches",
    note="records that touch or overlap form one stretch; without a record there is no answer, not even 0",
    overlapping=True,
    longer_than=0.9,
)
def episodes(of: Series) -> Steps:
    """The number of separate stretches: weaning failures, bounce-backs."""
    return {
        **stretches(of),
        "measure": f"SELECT {of.keys}, count(*) AS m FROM spans GROUP BY {of.keys}",
    }
