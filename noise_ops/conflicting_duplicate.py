"""Noise operator: the same measurement stands there twice, with two values."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from noise_ops import Fault, NotApplicable, noise_op
from noise_ops._cells import (
    dated,
    measured,
    number,
    number_columns,
    number_sql,
    other_number,
    other_number_sql,
    text_columns,
    written,
    written_sql,
)
from noise_ops._edits import Row, chosen_targets, doubled, overlay, rewritten, without_routes
from noise_ops._ids import fresh_ids
from noise_ops._worlds import another_value, like_model, other_values
from schemas.noise import Noise
from schemas.overlays import Edit, Overlay, Value
from schemas.questions import Question, Record, Selection

MEASURED = frozenset({"chartevents", "labevents", "omr"})
"""Tables of measurements. Two orders of one drug at one time, or two bags, are two and contradict nothing."""


def _by_nature(selection: Selection) -> Fault:
    """A measurement beside which, for the same patient and time, another of the same item holds another number."""
    time = dated(selection)
    if not (measured(selection) and time) or selection.table not in MEASURED:
        raise NotApplicable("no target is a measurement at a time")
    which = f"(subject_id, {time[0]})"
    clashing = (
        f"SELECT subject_id, {time[0]} FROM {selection.table} WHERE {selection.test} "
        f"GROUP BY subject_id, {time[0]} HAVING count(DISTINCT {number_sql(selection)}) > 1"
    )
    columns = dict.fromkeys([*number_columns(selection), *text_columns(selection)])
    return Fault(f"({selection.support}) AND {which} IN ({clashing})", like_model(list(columns)), usable=True)


@noise_op(level="record", promise="abstention", severities={"all": {}}, realism=(9, 23, 24, 75), natural=_by_nature)
def conflicting_duplicate(question: Question, rng: Random) -> Noise:
    """Add to each record that carries the answer a twin: same patient, item and time, another plausible value.

    Two tubes of one draw, two analysers, a corrected result that did not replace the first: 280 of the demo's (patient,
    item, time) groups hold different values. Nothing says which of the two is right, so a question for one value has no
    answer.

    Limits: the answer must be a number. Where it does not rest on single records (a mean, a count, a total over the
    cohort) the twins change it instead of removing it; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No target is a number, or no unused id is left for the twins.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> noise = conflicting_duplicate(first_lactate(), Random(0))
        >>> [(twin.after["labevent_id"], twin.after["charttime"], twin.after["value"]) for twin in noise.overlay.edits]
        [(90001, '2150-03-01 08:00:00', '5.5'), (90002, '2150-03-01 14:00:00', '3.4')]

        In one supported world the twin alone is right; in others the record stands there twice, as it is or as the
        mean of both: a count or a mean does not show that two values contradict each other.

        >>> world, repeated, between = noise.worlds
        >>> world.edits[0].before["valuenum"], world.edits[0].after["valuenum"]
        (4.2, 5.5)
        >>> conflicting_duplicate(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a number
    """
    selections = [selection for selection in chosen_targets(question, 1.0) if measured(selection)]
    if not selections:
        raise NotApplicable("no target is a number")
    ids = {selection.table: fresh_ids(question, selection.table) for selection in selections}
    twins: list[Edit] = []
    world: list[Edit] = []
    repeated: list[Edit] = []
    between: list[Edit] = []
    again = {selection.table: fresh_ids(question, selection.table) for selection in selections}
    once_more = {selection.table: fresh_ids(question, selection.table) for selection in selections}
    for selection in selections:
        mean = _mean(selection)
        twins += doubled(question, selection, 1.0, rng, *another_value(selection), ids[selection.table])
        world += other_values(question, selection, rng)
        repeated += doubled(question, selection, 1.0, rng, lambda record: {}, {}, again[selection.table])
        between += rewritten(question, selection, 1.0, rng, *mean)
        between += doubled(question, selection, 1.0, rng, *mean, once_more[selection.table])
    worlds = tuple(Overlay(edits=tuple(edits)) for edits in (world, repeated, between))
    return Noise(overlay=overlay(twins, without_routes(question, rng)), worlds=worlds)


def _mean(selection: Selection) -> tuple[Row, Mapping[str, str]]:
    """The cells of the mean of a record and its twin, for a record and as SQL."""

    def row(record: Record) -> dict[str, Value] | None:
        value = number(record, selection)
        return None if value is None else written(selection, (value + other_number(value, selection)) / 2)

    return row, written_sql(selection, f"({number_sql(selection)} + {other_number_sql(selection)}) / 2")
