"""Noise operator: the question asks about days the stay did not last."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from noise_ops import Lack, NotApplicable, noise_op
from noise_ops._cells import all_shifted, all_shifted_sql, dated, shifted
from noise_ops._edits import chosen_targets
from noise_ops._ids import copied_ids, fresh_ids
from noise_ops._spread import spread_out
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Edit, Insert, Overlay, UpdateWhere
from schemas.questions import Question, Record, Role, Scope, Selection, update
from schemas.tables import TABLES


def _by_nature(selection: Selection) -> Lack:
    """A unit with usable records of the sort that ended before the day on which the question begins to count."""
    if not dated(selection):
        raise NotApplicable("no target has a time")
    return Lack("usable > 0 AND days < from_day - 1 AND NOT summed", prolongs=True, others=True)


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(34, "TrustSQL"), natural=_by_nature)
def time_out(question: Question, rng: Random) -> Noise:
    """Ask about what happened from a day on from which nothing is left that would answer.

    Ward rounds count days, and a patient who left on the fourth day is still on the list for the sixth. Values from the
    ward, from the clinic or from another stay lie close by and make a tempting answer. The clean question counts from
    the last day that still has an answer, so a day alone tells nothing.

    Limits: only where the unit has a start and an end of its own, and a later beginning leaves the question its sense.
    Short stays are passed over in part, as one would know them by their low days.

    Args:
        question: The clean question.
        rng: The only source of randomness; decides how often low days are asked for.

    Raises:
        NotApplicable: The unit has no start and end, no target has a time, or only the first day has an answer.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate()  # on a stay of two and a half days
        >>> noise = time_out(question, Random(1))
        >>> noise.clean, noise.parameters
        ({'from_day': 3}, {'from_day': 4})

        In the supported world the stay lasts, and there are lactates.

        >>> [(edit.kind, edit.after.get("outtime") or edit.after["charttime"]) for edit in noise.worlds[0].edits]
        [('update', '2150-03-06 14:00:00'), ('insert', '2150-03-05 08:00:00'), ('insert', '2150-03-05 14:00:00')]
        >>> time_out(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question has no unit with a start and an end
    """
    units = [selection for selection in question.selections_of(Role.UNIT) if len(dated(selection)) >= 2]
    if not units:
        raise NotApplicable("the question has no unit with a start and an end")
    unit = units[0]
    targets = [s for s in chosen_targets(question, 1.0) if dated(s) and s.table != unit.table]
    if not targets:
        raise NotApplicable("no target has a time")
    last = question.around.last.get("from_day", 1)
    if last < 2:
        raise NotApplicable("only the first day has an answer, or the question counts no days")
    spread_out(last, rng)
    day = last + 1
    if question.scope is Scope.POPULATION:
        edits = _population(question, unit, targets, day)
    else:
        edits = _patient(question, unit, question.records_of(unit)[0], targets, day)
    return Noise(parameters={"from_day": day}, clean={"from_day": last}, worlds=(Overlay(edits=tuple(edits)),))


def _patient(question: Question, unit: Selection, record: Record, targets: list[Selection], day: int) -> list[Edit]:
    """The stay prolonged, and the targets once more, an hour into that day, whether days count from 0 or 1."""
    start, end = dated(unit)[0], dated(unit)[-1]
    opening = datetime.fromisoformat(str(shifted(record[start], timedelta(days=day, hours=1))))
    copies: list[Edit] = []
    last = opening
    for selection in targets:
        records = [r for r in question.records_of(selection) if r[dated(selection)[0]] is not None]
        times = [datetime.fromisoformat(str(r[dated(selection)[0]])) for r in records]
        by = opening - min(times, default=opening)
        ids = fresh_ids(question, selection.table)
        for r in records:
            after = dict(r.values) | next(ids)(r.values) | all_shifted(r.values, selection.table, by)
            copies.append(Insert(table=r.table, subject_id=r.subject_id, after=after))
        last = max([last, *(time + by for time in times)])
    closing = (last + timedelta(days=1)).isoformat(sep=" ", timespec="seconds")
    return [update(record, {end: closing}), *copies]


def _population(question: Question, unit: Selection, targets: list[Selection], day: int) -> list[Edit]:
    """Every stay prolonged, and every target once more, that many days later."""
    end = dated(unit)[-1]
    later = f"CAST({end} + INTERVAL {day + 2} DAY AS {TABLES[unit.table][end].type.duckdb})"
    copies = [
        CopyWhere(
            table=selection.table,
            where=question.where(selection),
            put=copied_ids(selection.table) | all_shifted_sql(selection.table, f"{day} DAY"),
        )
        for selection in targets
    ]
    return [UpdateWhere(table=unit.table, where=question.where(unit), put={end: later}), *copies]
