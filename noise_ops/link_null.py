"""Noise operator: events have lost the admission or ICU stay they belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Annotated, Any

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import every
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection
from schemas.tables import TABLES


def _by_nature(selection: Selection) -> Fault:
    """A usable record of the sort without the admission or stay by which the question finds its records."""
    columns = _links(selection)
    if not columns:
        raise NotApplicable("no target is found by its admission or ICU stay")

    def mended(record: Record, model: Record, unit: Mapping[str, Any]) -> dict[str, Value]:
        return {column: unit[column] for column in columns if column in unit}

    return Fault(f"({selection.support}) AND {every(columns, '{} IS NULL')}", mended)


@noise_op(
    level="record",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(1, 2, 47, 69),
    natural=_by_nature,
)
def link_null(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Empty the admission and the ICU stay of records that are found by them.

    Samples taken before the paperwork of an admission, or in the emergency department, have no `hadm_id`: in the demo
    28,420 of 107,727 laboratory results and 971 of 2,899 cultures. Asked what belongs to an admission by its number,
    the record cannot say.

    Limits: where the question finds its records by patient and time nothing would be lost, and the operator stands
    back. A table in which the id is part of the key (`diagnoses_icd`) is left alone: no such record exists.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to unlink, at least one.

    Raises:
        NotApplicable: No target is found by an admission or a stay, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range
        >>> [inr, *_] = link_null(inr_range(), Random(0)).overlay.edits
        >>> inr.before, inr.after
        ({'hadm_id': 20000007}, {'hadm_id': None})

        >>> link_null(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is found by its admission or ICU stay
    """
    linked = [(selection, _links(selection)) for selection in chosen_targets(question, share)]
    if not any(columns for _, columns in linked):
        raise NotApplicable("no target is found by its admission or ICU stay")
    edits = [question.put(selection, dict.fromkeys(columns), share, rng) for selection, columns in linked if columns]
    return Noise(overlay=overlay(*edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _links(selection: Selection) -> tuple[str, ...]:
    """The columns that link a record to its admission and stay, if the selection finds its records by one of them."""
    table = TABLES[selection.table]
    if not re.search(r"\bx\.(hadm_id|stay_id)\b", selection.where):
        return ()
    links = tuple(column for column in ("hadm_id", "stay_id") if column in table)
    return () if set(links) & set(table.key) else links
