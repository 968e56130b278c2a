"""Selector: longest run of consecutive value measurements beyond a threshold."""

from __future__ import annotations

from assets.questions.grammar import Series, Shape, Steps
from assets.questions.selecting import points, selector


@selector(
    Shape.COUNT,
    family="burden",
    needs="t v",
    asks="what was the longest run of consecutive {value} measurements {beyond} {when}",
    measure="longest run of consecutive {value} measurements {beyond}",
    unit="measurements",
    note="several values of one time count as one measurement, the {extreme}",
    uses="threshold",
    longer_than=1.0,
    course=True,
)
def longest_run(of: Series) -> Steps:
    """The longest run of consecutive measurements beyond a threshold: sustained, not a spike."""
    return {
        **points(of),
        "flags": f"SELECT {of.keys}, t, {of.beyond} AS hit FROM points",
        "islands": f"SELECT {of.keys}, hit, row_number() OVER (PARTITION BY {of.keys} ORDER BY t NULLS LAST) "
        f"- row_number() OVER (PARTITION BY {of.keys}, hit ORDER BY t NULLS LAST) AS k FROM flags",
        "lengths": f"SELECT {of.keys}, hit, k, count(*) AS n FROM islands GROUP BY {of.keys}, hit, k",
        "measure": f"SELECT {of.keys}, max(CASE WHEN hit THEN n ELSE 0 END) AS m FROM lengths GROUP BY {of.keys}",
    }
