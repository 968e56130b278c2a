"""The decorator that makes a function of `selectors/` a word of the grammar, and the steps that several share."""

from __future__ import annotations

from collections.abc import Callable

from assets.questions.grammar import Selector, Series, Shape, Steps
from assets.questions.sql import hours

TIE = "if different values share the deciding time, there is no answer"


def selector(
    shape: Shape,
    *,
    family: str,
    needs: str,
    asks: str,
    measure: str,
    unit: str = "{unit}",
    finer: int = 0,
    note: str = "",
    uses: str = "",
    closed: bool = False,
    longer_than: float = 0.0,
    from_start: bool = False,
    course: bool = False,
    overlapping: bool = False,
) -> Callable[[Callable[[Series], Steps]], Selector]:
    """Make a selector of a function that writes its steps. Its name is the function's; the rest is as in `Selector`.

    Args:
        shape: What it makes of the records of one unit.
        family: Selectors that go with the same kinds.
        needs: Columns of `seen` it reads, separated by blanks: t, t2, v, name, hit.
        asks: The question to a patient's record.
        measure: The measure as a noun without article.
        unit: Unit of a value, or what a count counts, from what the kind has.
        finer: Decimals beyond those of the kind.
        note: What the contract says about ties and minimum numbers.
        uses: Parameters it reads, separated by blanks: nth, threshold.
        closed: Whether what is not there counts as "no" or 0.
        longer_than: Least length of the window, in days.
        from_start: Whether it counts from the window's start.
        course: Whether it looks at the course of a value.
        overlapping: Whether records that began before the window count with what lies in it.
    """

    def make(steps: Callable[[Series], Steps]) -> Selector:
        return Selector(
            name=steps.__name__,
            family=family,
            shape=shape,
            needs=tuple(needs.split()),
            steps=steps,
            asks=asks,
            measure=measure,
            unit=unit,
            finer=finer,
            note=note,
            uses=frozenset(uses.split()),
            closed=closed,
            longer_than=longer_than,
            from_start=from_start,
            course=course,
            overlapping=overlapping,
        )

    return make


def points(of: Series) -> dict[str, str]:
    """One value per time, the more worrying where several share it, and when the next one follows."""
    return {
        "points": f"SELECT {of.keys}, t, {of.worst}(v) AS v FROM seen GROUP BY {of.keys}, t",
        "held": f"SELECT {of.keys}, t, v, lead(t) OVER (PARTITION BY {of.keys} ORDER BY t NULLS LAST) AS t_next "
        "FROM points",
    }


def stretches(of: Series) -> dict[str, str]:
    """Intervals cut to the window and joined where they touch or overlap: `spans` with t and t2."""
    order = f"PARTITION BY {of.keys} ORDER BY t NULLS LAST, t2 NULLS LAST"
    return {
        "cut": f"SELECT {of.keys}, CASE WHEN t < lo THEN lo ELSE t END AS t, "
        "CASE WHEN t2 > hi THEN hi ELSE t2 END AS t2 FROM seen",
        "marks": f"SELECT {of.keys}, t, t2, CASE WHEN t <= max(t2) OVER ({order} ROWS BETWEEN UNBOUNDED PRECEDING "
        "AND 1 PRECEDING) THEN 0 ELSE 1 END AS fresh FROM cut",
        "runs": f"SELECT {of.keys}, t, t2, sum(fresh) OVER ({order}) AS k FROM marks",
        "spans": f"SELECT {of.keys}, k, min(t) AS t, max(t2) AS t2 FROM runs GROUP BY {of.keys}, k",
    }


def edge(of: Series, end: str) -> dict[str, str]:
    """The earliest (`min`) or latest (`max`) time."""
    return {"edge": f"SELECT {of.keys}, {end}(t) AS t FROM seen GROUP BY {of.keys}"}


def turns(of: Series) -> dict[str, str]:
    """Every record with the ordinal of its time: records of one time share an ordinal."""
    return {"turns": f"SELECT *, dense_rank() OVER (PARTITION BY {of.keys} ORDER BY t NULLS LAST) AS k FROM seen"}


SPAN_HOURS = hours("t", "t2")
HELD_HOURS = hours("t", "t_next")
