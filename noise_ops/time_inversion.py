"""Noise operator: something stops before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Annotated, Any

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import dated, hours_between, shifted_hours
from noise_ops._edits import chosen_targets, overlay, rewritten, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection
from schemas.tables import TABLES

SLIP = 1
"""Hours by which a natural end must lie before its start: a line charted a minute before its insertion is sound."""


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort that ends before it starts, by so much that it is no slip of the clock."""
    times = dated(selection)
    if len(times) < 2:
        raise NotApplicable("no target has a start and an end")
    start, end = times[0], times[-1]

    def mended(record: Record, model: Record, unit: Mapping[str, Any]) -> dict[str, Value]:
        """An end as long after the start as in the model."""
        hours = hours_between(model[start], model[end])
        cells: dict[str, Value] = {end: shifted_hours(record[start], hours)}
        return cells | ({"los": hours / 24} if "los" in record.values else {})

    return Fault(f"{end} < {start} - INTERVAL {SLIP} HOUR", mended)


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(31, 34, 43, 57),
    natural=_by_nature,
)
def time_inversion(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Move the end of records that carry the answer to a time before their start.

    An order is discontinued before it takes effect, a discharge is typed with yesterday's date: 753 of the demo's
    18,087 orders stop before they start, and 142 admissions of MIMIC-IV do not end after they begin. One of the two
    times is wrong, and the record does not say which.

    Limits: only records with a start and an end. `los` follows the times, so that it tells nothing else. An answer that
    does not rest on the end survives; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to invert, at least one.

    Raises:
        NotApplicable: No target has a start and an end, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate, heparin_hours
        >>> order, route = time_inversion(heparin_hours(), Random(0)).overlay.edits
        >>> order.before, order.after
        ({'stoptime': '2150-03-03 22:00:00'}, {'stoptime': '2150-02-28 20:00:00'})
        >>> route.kind, route.table
        ('delete', 'pharmacy')

        >>> time_inversion(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target has a start and an end
    """
    targets = [selection for selection in chosen_targets(question, share) if len(dated(selection)) >= 2]
    if not targets:
        raise NotApplicable("no target has a start and an end")
    edits = []
    for selection in targets:
        hours = rng.randint(2, 24)
        row = partial(_inverted, selection, hours)
        edits.append(rewritten(question, selection, share, rng, row, _inverted_sql(selection, hours)))
    return Noise(overlay=overlay(*edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _inverted(selection: Selection, hours: int, record: Record) -> dict[str, Value] | None:
    """The cells of an end that many hours before the start; None where the record has no start or no end."""
    start, end = dated(selection)[0], dated(selection)[-1]
    if record[start] is None or record[end] is None:
        return None
    # A date has no hours: whole days, so that it falls before the start as well.
    by = hours if len(str(record[end])) > 10 else 24 * hours
    cells = {end: shifted_hours(record[start], -by)}
    return cells | ({"los": hours_between(record[start], cells[end]) / 24} if "los" in record.values else {})


def _inverted_sql(selection: Selection, hours: int) -> dict[str, str]:
    start, end = dated(selection)[0], dated(selection)[-1]
    table = TABLES[selection.table]
    unit = "HOUR" if table[end].type.value == "timestamp" else "DAY"
    put = {end: f"CAST({start} - INTERVAL {hours} {unit} AS {table[end].type.duckdb})"}
    return put | ({"los": f"-{hours} / 24.0"} if "los" in table else {})
