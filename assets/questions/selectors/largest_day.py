"""Selector: calendar day with the largest total value."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import selector
from assets.questions.sql import rounded, single


@selector(
    Shape.DAY,
    family="sum",
    needs="t v",
    asks="on which calendar day was the total {value} largest {when}",
    measure="calendar day with the largest total {value}",
    note="if several days share the largest total, there is no answer",
    longer_than=1.0,
)
def largest_day(of: Series) -> Steps:
    """The calendar day with the largest total: bleeding, leak, peak of treatment."""
    return {
        "days": f"SELECT {of.keys}, CAST(t AS DATE) AS day, {rounded('sum(v)', 3)} AS total FROM seen "
        f"GROUP BY {of.keys}, CAST(t AS DATE)",
        "best": f"SELECT {of.keys}, max(total) AS total FROM days GROUP BY {of.keys}",
        "measure": f"SELECT {of.keys}, {single('day')} AS m FROM days JOIN best USING ({of.keys}, total) "
        f"GROUP BY {of.keys}",
    }
