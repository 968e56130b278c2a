"""Noise operator: the record is there, its value is not."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import every, silent, value_cells
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Selection

NULL_SPEAKS = frozenset({"org_name", "ab_name", "interpretation", "flag"})
"""Columns whose NULL is a finding: nothing grew, nothing was tested, nothing was abnormal."""


UNREPORTED = (*["UNABLE TO REPORT."] * 10, "UNABLE TO REPORT, SPECIMEN CLOTTED.", *["___"] * 5)
"""What the laboratory writes beside a result it does not report, as often as the demo has it: of its 416 results of our
tests with neither value nor number, all have a comment, and 22 a flag."""


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort whose value, or where it has none its name, is NULL, and whose comment does not tell it.

    The last row of every stay in `transfers` is its discharge, which is to no ward; half of `emar_detail` are rows that
    stand for a dose as a whole, whose parts have the values.
    """
    if selection.table == "emar_detail":
        raise NotApplicable("a detail of an administration may have no value and be sound")
    columns = tuple(column for column in value_cells(selection) if column != "comments")
    if not columns or not NULL_SPEAKS.isdisjoint(columns):
        raise NotApplicable("no target has a value or a name that a record should have")
    apart = " AND eventtype <> 'discharge'" if selection.table == "transfers" else ""
    return Fault(f"{every(columns, '{} IS NULL')} AND {silent(selection)}{apart}", like_model(columns))


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(3, 4, 6, 39, 67),
    natural=_by_nature,
)
def value_null(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Empty the value, name or code of records that carry the answer.

    A result is cancelled or reported by telephone, a discharge destination is never entered: in MIMIC-IV 3.1 the text
    of 16 and the number of 21 million laboratory results are NULL. The record still says that something was measured,
    and when.

    Limits: where a record has neither value nor name (an ICU stay, whose times are the answer) there is nothing to
    empty; see `time_missing`. A comment beside the value gives way to what the laboratory writes then, as it may
    repeat the result; without a number nothing is flagged as abnormal.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to empty, at least one.

    Raises:
        NotApplicable: No target has a value or a name, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> [lactate, _] = value_null(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before["value"], lactate.after
        ('4.2', {'valuenum': None, 'value': None, 'comments': '___', 'flag': None})

        >>> value_null(first_lactate(4.2), Random(0), share=0.5)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: a single record cannot be hit in part
    """
    targets = [(selection, value_cells(selection)) for selection in chosen_targets(question, share)]
    if not any(columns for _, columns in targets):
        raise NotApplicable("no target has a value or a name")
    emptied = [question.put(s, _emptied(s, columns, rng), share, rng) for s, columns in targets if columns]
    return Noise(overlay=overlay(*emptied, without_routes(question, rng)), worlds=siblings(question, rng))


def _emptied(selection: Selection, columns: tuple[str, ...], rng: Random) -> dict[str, Value]:
    """The cells of a record whose value was never reported."""
    cells: dict[str, Value] = dict.fromkeys(columns)
    if "comments" in cells:
        cells["comments"] = rng.choice(UNREPORTED)
    if cells and selection.table == "labevents" and "valuenum" in cells:
        cells["flag"] = None
    return cells
