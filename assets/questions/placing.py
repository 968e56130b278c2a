"""Where a record must lie to count: how it is tied to its unit, and whether its time is in the window."""

from __future__ import annotations

import re

from assets.questions.grammar import Side, Unit
from schemas.tables import TABLES

BY_TIME = frozenset({"labevents", "microbiologyevents", "omr"})
"""Tables whose `hadm_id` is often missing: their records are found by patient and time."""


def swapped(sql: str) -> str:
    """The same test seen from the other record: `x` and `y` change places.

    >>> swapped("y.hadm_id = x.hadm_id AND y.max.a > 1")
    'x.hadm_id = y.hadm_id AND x.max.a > 1'
    """
    return re.sub(r"\b([xy])\.", lambda found: "y." if found[1] == "x" else "x.", sql)


def from_label(named: str) -> str:
    """The same test seen from the dictionary: its row is `x`, the record that it names `y`.

    >>> from_label("l.itemid = x.itemid"), from_label("l.itemid = y.itemid")
    ('x.itemid = y.itemid', 'x.itemid = y.itemid')
    """
    return re.sub(r"\b([xyl])\.", lambda found: "x." if found[1] == "l" else "y.", named)


def tie(table: str, unit: Unit, side: Side, record: str, other: str) -> str:
    """How a record of a table is tied to its unit.

    >>> from assets.questions.units import ADMISSION, STAY
    >>> tie("emar", ADMISSION, Side.INSIDE, "x", "f"), tie("labevents", ADMISSION, Side.INSIDE, "x", "f")
    ('x.hadm_id = f.hadm_id', 'x.subject_id = f.subject_id')
    >>> tie("outputevents", STAY, Side.INSIDE, "x", "f"), tie("emar", STAY, Side.INSIDE, "x", "f")
    ('x.stay_id = f.stay_id', 'x.hadm_id = f.hadm_id')
    """
    columns = TABLES[table]
    if side is not Side.INSIDE or unit.id == "subject_id" or table in BY_TIME:
        column = "subject_id"
    elif unit.id == "stay_id" and "stay_id" in columns:
        column = "stay_id"
    else:
        column = "hadm_id" if "hadm_id" in columns else "subject_id"
    return f"{record}.{column} = {other}.{column}"


def whole_days(lo: str, hi: str, side: Side) -> tuple[str, str]:
    """The bounds between which a date lies wholly before its unit, or wholly after it.

    A procedure dated on the day of admission was mostly done in that admission, so that it tells nothing of the year
    before; in a window inside of its unit, the dates of all its days count.

    >>> whole_days("u.admittime - INTERVAL 365 DAY", "u.admittime", Side.BEFORE)[1]
    "date_trunc('day', u.admittime)"
    >>> whole_days("u.dischtime", "u.dischtime + INTERVAL 90 DAY", Side.AFTER)[0]
    "date_trunc('day', u.dischtime) + INTERVAL 1 DAY"
    """
    if side is Side.BEFORE:
        hi = f"date_trunc('day', {hi})"
    if side is Side.AFTER:
        lo = f"date_trunc('day', {lo}) + INTERVAL 1 DAY"
    return lo, hi


def inside(stream_time: str, lo: str, hi: str, *, daily: bool = False, end: str = "") -> str:
    """Does the time lie in `[lo, hi)`? A date counts on every day the interval touches; an interval if it overlaps.

    Without `lo` all that lies before `hi` counts.

    >>> inside("x.charttime", "f.lo", "f.hi")
    'x.charttime >= f.lo AND x.charttime < f.hi'
    >>> inside("x.transfertime", "", "f.hi")
    'x.transfertime < f.hi'
    """
    if not lo:
        return f"{stream_time} < {hi}"
    if daily:
        day = f"CAST({stream_time} AS DATE)"
        return f"{day} >= CAST({lo} AS DATE) AND {day} <= CAST({hi} - INTERVAL 1 SECOND AS DATE)"
    if end:
        return f"{stream_time} < {hi} AND {end} > {lo}"
    return f"{stream_time} >= {lo} AND {stream_time} < {hi}"
