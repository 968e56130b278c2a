"""Noise operator: the record is there, its time is not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from random import Random
from typing import Annotated, Any

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import dated, every, shifted, time_columns
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection
from schemas.tables import TABLES, ColumnType


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort without a time that the question needs; of an interval, without its start or its end.

    The times that would let one guess it (of storage, of the day) are missing as well. The last row of a stay in
    `transfers` is its discharge, which has no end; a patient without a date of death may be alive.
    """
    times = dated(selection)
    if not times or selection.table == "patients":
        raise NotApplicable("no target has a time")
    if len(times) > 1:
        where = f"({' OR '.join(f'{column} IS NULL' for column in times)})"
        where += " AND chartdate IS NULL" if "chartdate" in TABLES[selection.table] else ""
    else:
        clocks = [c for c in time_columns(selection) if c in times or c in TABLES[selection.table].times]
        where = every(tuple(clocks), "{} IS NULL")
    apart = " AND eventtype <> 'discharge'" if selection.table == "transfers" else ""

    def mended(record: Record, model: Record, unit: Mapping[str, Any]) -> dict[str, Value]:
        """The missing times: of the window's beginning, or as far from the other time as in the model."""
        known = next((column for column in times if record[column] is not None), None)
        now = datetime.fromisoformat(str(record[known] if known else unit["time"]))
        then = datetime.fromisoformat(str(model[known or times[0]]))
        # A date alone is moved by whole days; `shifted` keeps the notation of the model.
        whole = TABLES[selection.table][times[0]].type is ColumnType.DATE
        by = (now.date() - then.date()) if whole else (now - then)
        return {column: shifted(model[column], by) for column in times if record[column] is None}

    return Fault(where + apart, mended)


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(12, 47, 57, 70),
    natural=_by_nature,
)
def time_missing(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Empty the times of records that carry the answer, together with what would let one guess them.

    A culture is registered by day, an order has no stop, a transfer is never closed; 183 of the demo's 2,899 culture
    records have no time of collection. The value is there, and nobody can say whether it was the first, or whether it
    belongs to the window at all.

    Limits: the time of storage, the day and the length of stay are emptied as well, as they tell the same. Codes have
    no time of their own. An answer that needs no time (a total of linked records) survives; such a pair is dropped when
    its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to empty, at least one.

    Raises:
        NotApplicable: No target has a time, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> [lactate, _] = time_missing(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before["charttime"], lactate.after["charttime"], lactate.after["storetime"]
        ('2150-03-01 08:00:00', None, None)

        >>> time_missing(first_lactate(4.2), Random(0), share=0.5)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: a single record cannot be hit in part
    """
    targets = [selection for selection in chosen_targets(question, share) if selection.time]
    if not targets:
        raise NotApplicable("no target has a time")
    emptied = [question.put(s, dict.fromkeys(time_columns(s)), share, rng) for s in targets]
    return Noise(overlay=overlay(*emptied, without_routes(question, rng)), worlds=siblings(question, rng))
