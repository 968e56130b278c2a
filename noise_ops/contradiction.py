"""Noise operator: a plausible slip, contradicted by another entry of the same measurement."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._cells import decimals, measured, number, number_sql, plausible, written, written_sql
from noise_ops._edits import chosen_targets, doubled, overlay, rewritten, without_routes
from noise_ops._ids import fresh_ids
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Edit, Value
from schemas.questions import Question, Record, Role, Scope, Selection

TEN = 10.0
"""A decimal point that slipped by one place."""


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "elsewhere": Severity({"where": "elsewhere"}, promise="unchanged"),
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "beside": {"where": "beside"},
    },
    realism=(14, 19, 25, 74),
)
def contradiction(
    question: Question,
    rng: Random,
    *,
    where: Literal["beside", "elsewhere"] = "beside",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Enter a measurement again with a plausible slip: the point one place off, or the number of another unit.

    Heights are charted in inches and in centimetres (33,700 of 33,707 in MIMIC-IV), weights on the infusion and on the
    procedure record, laboratory results also in the ICU's chart. One of the two is typed wrongly, 1.2 beside 12, and
    each could be a patient's.

    Limits: where no slip is plausible, see `implausible`. Checking shows two outcomes. Entered `beside` the answer's
    own records, at the same time, the slip leaves questions for one value (first, last, at the time) without an answer;
    a highest value or a mean takes it in, and such a pair is dropped. Made `elsewhere`, in the other record of the same
    fact or in what is derived from it, it changes nothing: a question names the record it reads.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        where: `beside` adds the slip to the records that carry the answer and removes other routes, which could settle
            it; `elsewhere` makes it in those routes and leaves the answer's own records alone.
        share: Share of the records to contradict, at least one.

    Raises:
        NotApplicable: No target is a number for which a slip is plausible, or no other record tells the fact.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [first, _] = contradiction(first_lactate(), Random(0)).overlay.edits
        >>> first.kind, first.after["charttime"], first.after["valuenum"], first.after["value"]
        ('insert', '2150-03-01 08:00:00', 0.42, '0.42')

        >>> contradiction(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a number
    """
    edits: list[Edit] = []
    if where == "elsewhere":
        chosen_targets(question, 1.0)
        for route in question.selections_of(Role.ROUTE):
            if route.value:
                put = written_sql(route, f"{number_sql(route)} * {TEN}")
                edits += rewritten(question, route, share, rng, partial(_times_ten, route), put)
        if not edits:
            raise NotApplicable("no other record tells the value")
        return Noise(overlay=overlay(edits), worlds=siblings(question, rng))
    targets = [selection for selection in chosen_targets(question, share) if measured(selection)]
    if not targets:
        raise NotApplicable("no target is a number")
    ids = {selection.table: fresh_ids(question, selection.table) for selection in targets}
    for selection in targets:
        row = partial(_slipped, selection)
        twins = doubled(question, selection, share, rng, row, *_slipped_sql(selection), ids[selection.table])
        edits += (_where_plausible(selection, twin) for twin in twins)
    if question.scope is Scope.PATIENT and not edits:
        raise NotApplicable("no slip is plausible")
    return Noise(overlay=overlay(edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _slips(value: float, selection: Selection) -> list[float]:
    """Plausible numbers that a slip makes of a value: the point one place off, or the number of another unit."""
    finer = decimals(value) + 1
    found = [round(value / TEN, finer), round(value * TEN, finer)]
    found += [round(value * factor, finer) for _, factor in selection.alternatives]
    return [slip for slip in found if slip != value and slip != 0 and plausible(slip, selection)]


def _slipped(selection: Selection, record: Record) -> dict[str, Value] | None:
    value = number(record, selection)
    slips = [] if value is None else _slips(value, selection)
    return written(selection, slips[0]) if slips else None


def _times_ten(route: Selection, record: Record) -> dict[str, Value] | None:
    value = number(record, route)
    return None if not value else written(route, round(value * TEN, decimals(value)))


def _slipped_sql(selection: Selection) -> tuple[dict[str, str]]:
    sql = number_sql(selection)
    shrunk, grown = f"round({sql} / {TEN}, 4)", f"{sql} * {TEN}"
    low = selection.low if selection.low is not None else 0.0
    return (written_sql(selection, f"CASE WHEN {shrunk} >= {low!r} THEN {shrunk} ELSE {grown} END"),)


def _where_plausible(selection: Selection, twin: Edit) -> Edit:
    """A twin of a population, made only where the slip stays within the bounds."""
    if not isinstance(twin, CopyWhere):
        return twin
    sql, low, high = number_sql(selection), selection.low or 0.0, selection.high
    grown = "" if high is None else f" OR {sql} * {TEN} <= {high!r}"
    possible = "" if high is None else f" AND ({sql} / {TEN} >= {low!r}{grown})"
    return twin.model_copy(update={"where": f"({twin.where}){possible} AND {sql} <> 0"})
