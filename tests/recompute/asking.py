"""Gold answers computed a second time: in Polars and plain Python, from what a question's English says.

Nothing here reads a reference, a selection or any other piece of SQL. A word of the grammar is found by its name and
done again by hand: which records it is of, when a window begins and ends, what becomes of the records.

    hospital      the tables, and the units that count
    windows       when a window begins and ends, and the anchor events
    kinds         their register; results, laboratory, codes, titles, drugs, pharmacy, stays and icu fill it
    selectors     one measure of the records of one unit
    cohorts, aggregators    which units, and what becomes of their measures
    asking        all of it together, here: the answers of a template, of every unit or of a population
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from assets.questions import Template
from assets.questions.grammar import Shape
from schemas.concepts import Concept, load
from schemas.questions import Scope
from tests.recompute import codes, drugs, icu, laboratory, pharmacy, results, stays, titles  # noqa: F401  kinds
from tests.recompute.aggregators import AGGREGATORS, Measures
from tests.recompute.cohorts import COHORTS
from tests.recompute.hospital import Hospital, Records, Seen, UnitRow
from tests.recompute.kinds import KINDS
from tests.recompute.selectors import SELECTORS
from tests.recompute.windows import ALWAYS, ANCHORS, BEGINNING, CONDITIONS, OUTSIDE, WINDOWS

Filling = Mapping[str, Any]
Span = tuple[datetime, datetime, datetime]
"""Beginning and end of a window after its clauses, and its beginning before them."""
Spans = Mapping[UnitRow, Span]
DAY = timedelta(days=1)
MONTHS = frozenset({"after_discharge_90d", "year_after_discharge", "year_from_diagnosis"})
"""Windows in which a short wait is one of at most 30 days; elsewhere, of at most 6 hours."""


def of_units(hospital: Hospital, template: Template, filling: Filling) -> dict[UnitRow, Any]:
    """The measure of every unit that has one.

    Args:
        hospital: Where to look.
        template: What is asked. Its coordinates and its pools are read, no SQL.
        filling: Concept ids by slot, `nth`, `threshold`, clauses.
    """
    if filling.get("now") or filling.get("contradiction") or filling.get("attribute"):
        return {}
    records = _records(hospital, template, _concept(template, filling, "concept"))
    first = _measures(hospital, template, template.window_name, records, filling)
    if not template.versus:
        return first
    second = _measures(hospital, template, template.versus, records, filling)
    return {unit: m - second[unit] for unit, m in first.items() if unit in second}


def of_population(hospital: Hospital, template: Template, filling: Filling) -> Any:
    """The answer over a cohort: a number, a unit's id, or rows with `group`, `value`, `units` or `name`, `units`."""
    assert template.scope is Scope.POPULATION
    member = COHORTS[template.cohort_name](hospital, _concept(template, filling, "cohort"))
    barred = _concept(template, filling, "cohort_not")
    excluded = COHORTS[template.cohort_name](hospital, barred) if barred else lambda _: False
    measures = of_units(hospital, template, filling)
    records = _records(hospital, template, _concept(template, filling, "concept"))
    return AGGREGATORS[template.aggregator_name](
        Measures(
            hospital=hospital,
            unit=template.unit.name,
            of={unit: m for unit, m in measures.items() if member(unit) and not excluded(unit)},
            beyond=_limit(template, records, filling),
            lowest_first=template.selector_name == "worst" and records.worse == "low",
        )
    )


def _concept(template: Template, filling: Filling, slot: str) -> Concept | None:
    pool = template.pools.get(slot)
    return load().of(pool)[str(filling[slot])] if pool else None


def _records(hospital: Hospital, template: Template, concept: Concept | None) -> Records:
    key = (template.kind_name, concept.id if concept else None)
    if key not in hospital.kept:
        read = KINDS[template.kind_name]
        hospital.kept[key] = read(hospital, concept) if concept else read(hospital)
    return hospital.kept[key]


def _limit(template: Template, records: Records, filling: Filling) -> Callable[[float], bool]:
    """What `share_beyond` asks of a measure: the threshold of a value, a short wait, else a large measure."""
    shape = template.selector.shape
    if shape is Shape.VALUE:
        return Seen(worse=records.worse, threshold=filling.get("threshold")).beyond
    if shape is Shape.HOURS and template.selector_name.startswith("hours_to_"):
        most = 30 * 24 if template.window_name in MONTHS else 6
        return lambda m: m <= most
    more_than = {Shape.HOURS: 24, Shape.DAYS: 7, Shape.PERCENT: 50}.get(shape, 1)
    return lambda m: m > more_than


def tied_by(columns: list[str], unit: str, window: str) -> str:
    """The column by which records belong to a unit: its own id, its admission's, else the patient's.

    Records of the time before or after a unit can only be the patient's.
    """
    if unit == "patient" or window in OUTSIDE:
        return "subject_id"
    if unit == "stay" and "stay_id" in columns:
        return "stay_id"
    return "hadm_id" if "hadm_id" in columns else "subject_id"


def _measures(
    hospital: Hospital, template: Template, window: str, records: Records, filling: Filling
) -> dict[UnitRow, Any]:
    """The measure in one window of every unit that has one."""
    select = SELECTORS[template.selector_name]
    spans = _spans(hospital, template, window, filling)
    sides = [
        _by_unit(hospital, template, window, side, spans, filling)
        for side in (records, records.minus)
        if side is not None
    ]
    found = {}
    for i, (unit, span) in enumerate(spans.items()):
        if not all(i in side for side in sides):
            continue
        seen = _seen(sides[0][i], span, records, filling)
        for side in sides[1:]:
            taken = _seen(side[i], span, records, filling)
            seen.t += taken.t
            seen.v += [-v for v in taken.v]
        measure = select(seen)
        if measure is not None:
            found[unit] = measure
    return found


def _by_unit(
    hospital: Hospital, template: Template, window: str, records: Records, spans: Spans, filling: Filling
) -> dict[int, dict[str, list[Any]]]:
    """The records of each unit in its window, as lists by column, by the unit's place in `spans`."""
    frame, column = records.frame, tied_by(records.frame.columns, template.unit.name, window)
    asked = pl.DataFrame(
        [
            (i, getattr(unit, column), lo, hi, origin, unit.start)
            for i, (unit, (lo, hi, origin)) in enumerate(spans.items())
        ],
        schema={"i": pl.Int64, column: pl.Int64} | dict.fromkeys(("lo", "hi", "origin", "begun"), pl.Datetime("us")),
        orient="row",
    )
    frame = frame.with_row_index("row").join(asked, on=column)
    if "t" in frame.columns:
        named = records.lasting and template.selector_name in ("names", "number_of_names", "most_frequent")
        placed = _placed(records.daily, template.selector.overlapping or named, window)
        begins = {template.window_name, template.versus or template.window_name} <= BEGINNING
        if records.early and begins and not {"from_day", "calendar_year"} & set(filling):
            placed = pl.col("t") < pl.col("hi")
        frame = frame.filter(placed)
    if template.condition_name:
        during = CONDITIONS[template.condition_name](hospital, _concept(template, filling, "condition"))
        tie = tied_by(during.columns, template.unit.name, window)
        owners = pl.DataFrame(
            [(i, getattr(unit, tie)) for i, unit in enumerate(spans)],
            schema={"i": pl.Int64, tie: pl.Int64},
            orient="row",
        )
        stretches = owners.join(during.select(tie, start="t", stop="t2"), on=tie).drop(tie)
        meanwhile = frame.join(stretches, on="i").filter(
            (pl.col("t") >= pl.col("start")) & (pl.col("t") < pl.col("stop"))
        )
        frame = frame.join(meanwhile, on=["i", "row"], how="semi")
    if records.one:
        each = ["i", records.one, *(["name"] if "name" in frame.columns else [])]
        merged = {
            "t": pl.col("t").min(),
            "v": pl.col("v").max(),
            "hit": pl.col("hit").any(),
            "row": pl.col("row").min(),
        }
        frame = frame.group_by(each).agg(**{c: how for c, how in merged.items() if c in frame.columns})
    if (value := filling.get("after_value")) is not None:
        told = frame.filter((pl.col("v") - float(value)).abs() < 1e-6).group_by("i").agg(told=pl.col("t").min())
        frame = frame.join(told, on="i").filter(pl.col("t") > pl.col("told"))
    kept = [c for c in ("t", "t2", "v", "name", "hit", "hadm_id") if c in frame.columns]
    lists = frame.sort("i", "row").group_by("i", maintain_order=True).agg(kept)
    return {row["i"]: row for row in lists.iter_rows(named=True)}


def _placed(daily: bool, overlapping: bool, window: str) -> pl.Expr:
    """Does a record lie in the window from `lo` up to but without `hi`?

    A date lies in it if the window touches that day, except the day on which the unit itself begins, before it, or
    ends, after it; a stretch if any of it does, where stretches are asked for.
    """
    t, lo, hi = pl.col("t"), pl.col("lo"), pl.col("hi")
    if daily:
        placed = (t.dt.date() >= lo.dt.date()) & (t.dt.date() <= (hi - pl.duration(seconds=1)).dt.date())
        if "after_discharge" in window:
            placed = placed & (t.dt.date() > pl.col("origin").dt.date())
        if window in ("year_before_admission", "before_icu_24h"):
            placed = placed & (t.dt.date() < pl.col("begun").dt.date())
        return placed
    if overlapping:
        return (t < hi) & (pl.col("t2") > lo)
    return (t >= lo) & (t < hi)


def _spans(hospital: Hospital, template: Template, window: str, filling: Filling) -> Spans:
    """Beginning and end of the window of every unit that has it, after its clauses, and its beginning before them."""
    unit_name = template.unit.name
    moments = _moments(hospital, template, window, filling)
    spans: dict[UnitRow, Span] = {}
    for unit in hospital.units(unit_name):
        if moments is not None and unit not in moments:
            continue
        span = WINDOWS[window](unit, moments[unit] if moments is not None else None)
        if span is None:
            continue
        lo, hi = origin, _ = span
        if from_day := filling.get("from_day"):
            assert unit.start is not None
            lo = max(lo, unit.start + (int(from_day) - 1) * DAY)
        if year := filling.get("calendar_year"):
            lo, hi = (
                max(lo, datetime.fromisoformat(f"{year}-01-01")),
                min(hi, datetime.fromisoformat(f"{int(year) + 1}-01-01")),
            )
        if lo < hi:
            spans[unit] = (lo, hi, origin)
    return spans


def _moments(
    hospital: Hospital, template: Template, window: str, filling: Filling
) -> dict[UnitRow, tuple[datetime, datetime]] | None:
    """First beginning and last end of the anchor's records within every unit; None without an anchor."""
    anchor = {w.name: w.anchor for w in template.windows}[window]
    if not anchor:
        return None
    frame = ANCHORS[anchor](hospital, _concept(template, filling, "anchor"))
    column = tied_by(frame.columns, template.unit.name, window)
    events: dict[int, list[tuple[datetime, datetime]]] = {}
    for owner, t, t2 in frame.select(column, "t", "t2").iter_rows():
        events.setdefault(owner, []).append((t, t2))
    found = {}
    for unit in hospital.units(template.unit.name):
        inside = [
            (t, t2)
            for t, t2 in events.get(getattr(unit, column), ())
            if unit.start is None or unit.end is None or unit.start <= t < unit.end
        ]
        if inside:
            found[unit] = (min(t for t, _ in inside), max(t2 for _, t2 in inside))
    return found


def _seen(columns: dict[str, list[Any]], span: Span, records: Records, filling: Filling) -> Seen:
    """What the selector is shown of one unit; values are reckoned from the window's beginning where they are ages."""
    lo, hi, origin = span
    bounded = (lo, hi) != ALWAYS
    seen = Seen(
        lo=lo if bounded else None,
        hi=hi if bounded else None,
        origin=origin if origin != ALWAYS[0] else None,
        worse=records.worse,
        threshold=filling.get("threshold"),
        nth=int(filling.get("nth") or 2),
        **{name: cells for name, cells in columns.items() if name != "i"},
    )
    if records.aged == "age":
        seen.v = [v + origin.year for v in seen.v] if seen.origin else []
    if records.aged == "death":
        seen.v = [(t.date() - origin.date()).days for t in seen.t] if seen.origin else []
    return seen
