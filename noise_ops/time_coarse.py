"""Noise operator: the day is known, the hour is not."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated, Any, Literal

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import dated
from noise_ops._edits import Row, chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.answers import AnswerKind
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection
from schemas.tables import TABLES, ColumnType


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort with its `chartdate` and without its `charttime`, asked for a time or a number of hours."""
    if not {"charttime", "chartdate"} <= set(TABLES[selection.table].times) or "charttime" not in selection.time:
        raise NotApplicable("no target has a day beside its time")

    def mended(record: Record, model: Record, unit: Mapping[str, Any]) -> dict[str, Value]:
        """That day, at the hour of the model."""
        return {"charttime": f"{str(record['chartdate'])[:10]} {str(model['charttime'])[11:]}"}

    return Fault("charttime IS NULL AND chartdate IS NOT NULL", mended, given="timed")


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "midnight": Severity({"to": "midnight"}, promise="unchanged"),
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "all": {"share": 1.0},
    },
    realism=(34, 54, 70),
    natural=_by_nature,
)
def time_coarse(
    question: Question,
    rng: Random,
    *,
    to: Literal["day", "midnight"] = "day",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Keep the day of a record and lose its hour: no time of collection beside its date, or midnight in its place.

    A culture whose label was not scanned is registered by day: 183 of the demo's 2,899 culture records have a
    `chartdate` and no `charttime`. Elsewhere midnight stands for "some time that day": 3,403 of the demo's 107,727
    laboratory results were drawn at 00:00:00, 45 times what chance would bring. Whoever
    needs the day reaches the answer, and whoever needs the hour does not.

    Limits: without an hour, only questions for a time or a number of hours have no answer, so only those are spoilt; of
    the order of records the days may still tell. Midnight is written where it is harmless: a question whose answer
    changes with it, or is torn by a tie, is dropped when its promise is checked. `time_missing` empties the day too.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        to: `day` leaves the date alone, `midnight` writes 00:00:00 of that day.
        share: Share of the records to coarsen, at least one.

    Raises:
        NotApplicable: No target has one time and beside it a date; the answer is no time; or half of one record is
            asked for.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range
        >>> from schemas.examples_registered import first_culture
        >>> time_coarse(first_culture(), Random(0)).overlay.edits[0].after
        {'charttime': None}
        >>> time_coarse(inr_range(), Random(0), to="midnight").overlay.edits[0].after
        {'charttime': '2150-03-02 00:00:00'}

        >>> time_coarse(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target has a date beside its time
    """
    targets = [selection for selection in chosen_targets(question, share) if _at_a_moment(selection)]
    if to == "midnight":
        if not targets:
            raise NotApplicable("no target happens at a moment")
        edits = [rewritten(question, s, share, rng, _midnight(s), _midnight_sql(s)) for s in targets]
    else:
        targets = [selection for selection in targets if "chartdate" in TABLES[selection.table]]
        if not targets:
            raise NotApplicable("no target has a date beside its time")
        if question.answer.kind not in (AnswerKind.TIME, AnswerKind.DURATION) or question.answer.unit == "days":
            raise NotApplicable("the answer is no time, and the day may do")
        edits = [question.put(s, dict.fromkeys(dated(s)), share, rng) for s in targets]
    return Noise(overlay=overlay(*edits), worlds=siblings(question, rng))


def _at_a_moment(selection: Selection) -> bool:
    """Whether its records have one time, to the second: not a stretch, and not a date already."""
    times = dated(selection)
    return len(times) == 1 and TABLES[selection.table][times[0]].type is ColumnType.TIMESTAMP


def _midnight(selection: Selection) -> Row:
    [time] = dated(selection)

    def row(record: Record) -> dict[str, Value] | None:
        return None if record[time] is None else {time: f"{str(record[time])[:10]} 00:00:00"}

    return row


def _midnight_sql(selection: Selection) -> dict[str, str]:
    [time] = dated(selection)
    return {time: f"date_trunc('day', {time})"}
