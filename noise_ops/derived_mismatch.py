"""Noise operator: what was derived does not follow from what it was derived from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._cells import decimals
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.answers import AnswerKind
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Role, Selection
from schemas.tables import TABLES, ColumnType

FEET = 144.0
"""A height of 5 feet read as 5 inches makes the body-mass index 12 * 12 times as large: the demo has one of 4649.4."""

MEASURES = (AnswerKind.QUANTITY, AnswerKind.DURATION, AnswerKind.ROWS)
"""Answers that could be read off a derived column: not a count, a name or a moment."""

POUND = 2.20462
"""Pounds in a kilogram."""


@noise_op(
    level="value",
    promise="unchanged",
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(28, 46, 74),
)
def derived_mismatch(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Let a derived number contradict what it follows from: `los` its times, an amount its rate, a BMI its weight.

    Derived columns are made by another program than the ones they come from, and go wrong on their own: a length of
    stay from the discharge of the ward, an amount in the base unit instead of the stated one, a body-mass index from a
    height in feet under inches. The raw columns are whole, and questions read those; whoever takes the ready-made
    number does not reach the answer.

    Limits: the catalogue of noise proposes an abstention where nothing tells the two apart. Checking shows otherwise:
    each question says which columns it reads, and none reads the derived one where the raw ones are there. A slip in
    the raw column is `implausible`, `unit_mislabel` or `contradiction`.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to spoil, at least one.

    Raises:
        NotApplicable: Nothing beside the answer is derived from the same facts, or the answer is not a measure.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import first_icu_hours
        >>> [stay] = derived_mismatch(first_icu_hours(), Random(0)).overlay.edits
        >>> stay.before, stay.after
        ({'los': 2.5}, {'los': 3.75})

        >>> derived_mismatch(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: nothing is derived from what is asked for
    """
    if question.answer.kind not in MEASURES:
        raise NotApplicable("the answer is not a measure that something else is derived from")
    found = [d for s in (*chosen_targets(question, 1.0), *question.selections_of(Role.ROUTE)) for d in _derived(s, rng)]
    if not found:
        raise NotApplicable("nothing is derived from what is asked for")
    edits = []
    for selection, column, factor in found:
        row, put = partial(_multiplied, column, factor), {column: _multiplied_sql(selection, column, factor)}
        edits.append(rewritten(question, selection, share, rng, row, put))
    return Noise(overlay=overlay(*edits), worlds=siblings(question, rng))


def _derived(selection: Selection, rng: Random) -> Iterator[tuple[Selection, str, float]]:
    """Columns of a selection's records that follow from others and are not read, each with the slip they take."""
    target = selection.role is Role.TARGET
    match selection.table:
        case "icustays" if target:
            yield selection, "los", rng.choice((0.5, 1.5, 2.0))
        case "inputevents" if target and selection.value == ("rate",):
            yield selection, "amount", 1000.0  # the base unit for the stated one
        case "inputevents" if target and selection.value == ("amount",):
            yield selection, "rate", 1 / 60  # per minute for per hour
        case "procedureevents" if target and selection.time == ("starttime", "endtime"):
            yield selection, "value", 60.0  # minutes for hours
        case "omr" if not target and "BMI" in selection.concept:
            yield selection, "result_value", FEET
        case "omr" if not target and "Weight" in selection.concept:
            yield selection, "result_value", 1 / POUND


def _multiplied(column: str, factor: float, record: Record) -> dict[str, Value] | None:
    try:
        value = float(record[column])
    except (TypeError, ValueError):
        return None
    digits = max(decimals(value), 2)
    product = round(value * factor, digits if abs(value * factor) >= 1 else digits + 3)
    return {column: f"{product:.12g}" if isinstance(record[column], str) else product}


def _multiplied_sql(selection: Selection, column: str, factor: float) -> str:
    if TABLES[selection.table][column].type is ColumnType.TEXT:
        return f"CAST(round(TRY_CAST({column} AS DOUBLE) * {factor!r}, 1) AS VARCHAR)"
    return f"round({column} * {factor!r}, 4)"
