"""Noise operator: a limit or a range stands where a number was."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import decimals, every, measured, number, number_columns, number_sql, silent, text_columns
from noise_ops._edits import chosen_targets, overlay, rewritten, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection

_LIMIT = r"^\s*([<>]=?\s*[0-9.]+|(LESS|GREATER) THAN\s+[0-9.]+|[0-9.]+\s*-\s*[0-9.]+)\s*$"
"""A limit or a range, as analysers print it and prescribers write it."""


SCANNED = "emar_detail"
"""The table of doses given, each scanned at the bedside: "1-2" is due there (`dose_due`), and one number is given. None
of the demo's `dose_given` is a range."""


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort whose value is a limit or a range, with no number beside it."""
    columns = text_columns(selection)
    if not (measured(selection) and columns) or selection.table == SCANNED:
        raise NotApplicable("no target is a number kept as text")
    tests = [every(number_columns(selection), "{} IS NULL"), f"regexp_matches({columns[0]}, '{_LIMIT}', 'i')"]
    return Fault(
        " AND ".join(filter(None, [*tests, silent(selection)])), like_model([*number_columns(selection), *columns])
    )


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "range": {"form": "range"},
        "bound": {"form": "bound"},
    },
    realism=(4, 7, 59, 73),
    natural=_by_nature,
)
def text_number(
    question: Question,
    rng: Random,
    *,
    form: Literal["bound", "range"] = "bound",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Report that the value lies below a limit, or in a range, in place of the number.

    Analysers have a lowest and a highest figure they vouch for, and prescribers write "1-2 tablets": 1,001 of the
    demo's 18,087 ordered doses are not a number, and troponin below 0.01 never is one. What stands there is true, but
    asked for the value itself it is no answer, and the limit is tempting as one.

    Limits: needs a text column, and a dose that was given is one number. Numbers with a comma or a blank inside are
    left out: they can be read, by one country's custom or another's, and so determine too much for an abstention and
    too little for anything else.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        form: `bound` writes "<6.3", `range` "3.4-5.0".
        share: Share of the records to rewrite, at least one.

    Raises:
        NotApplicable: No target is a number kept as text, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [lactate, _] = text_number(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before, lactate.after
        ({'value': '4.2', 'valuenum': 4.2}, {'value': '<6.3', 'valuenum': None})
        >>> text_number(first_lactate(), Random(0), form="range").overlay.edits[0].after["value"]
        '3.4-5.0'

        >>> text_number(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a number kept as text
    """
    targets = [s for s in chosen_targets(question, share) if measured(s) and text_columns(s) and s.table != SCANNED]
    if not targets:
        raise NotApplicable("no target is a number kept as text")
    rewrites = [rewritten(question, s, share, rng, partial(_text, s, form), _text_sql(s, form)) for s in targets]
    return Noise(overlay=overlay(*rewrites, without_routes(question, rng)), worlds=siblings(question, rng))


def _text(selection: Selection, form: str, record: Record) -> dict[str, Value] | None:
    """The cells of a limit above the value, or of a range around it; None where the record holds no number."""
    value = number(record, selection)
    if value is None:
        return None
    digits = decimals(value)
    reach = max(abs(value) / 2, 10.0**-digits)
    low, high = (f"{round(value + part * reach, digits):.{digits}f}" for part in (-0.4, 0.4))
    text = f"<{round(value + reach, digits):.{digits}f}" if form == "bound" else f"{low}-{high}"
    return dict.fromkeys(text_columns(selection), text) | dict.fromkeys(number_columns(selection))


def _text_sql(selection: Selection, form: str) -> dict[str, str]:
    """The same of every record, to one decimal."""
    sql = number_sql(selection)
    low, high = f"round({sql} - abs({sql}) * 0.2, 1)", f"round({sql} + greatest(abs({sql}) * 0.5, 0.1), 1)"
    text = f"concat('<', {high})" if form == "bound" else f"concat({low}, '-', {high})"
    return dict.fromkeys(text_columns(selection), text) | dict.fromkeys(number_columns(selection), "NULL")
