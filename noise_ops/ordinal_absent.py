"""Noise operator: the question asks for one more than there are."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Lack, NotApplicable, noise_op
from noise_ops._cells import all_shifted, all_shifted_sql, dated
from noise_ops._edits import chosen_targets
from noise_ops._ids import copied_ids, fresh_ids
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Edit, Insert, Overlay
from schemas.questions import Question, Scope, Selection
from schemas.tables import TABLES, ColumnType


def _by_nature(selection: Selection) -> Lack:
    """A unit with records of the sort, all of them usable, and fewer than the question counts to."""
    if not dated(selection):
        raise NotApplicable("no target has a time")
    return Lack("usable > 0 AND usable = n AND moments < nth")


@noise_op(
    level="query",
    promise="abstention",
    severities={"next": {"beyond": 1}, "far": {"beyond": 3}},
    realism=("PRACTIQ",),
    natural=_by_nature,
)
def ordinal_absent(question: Question, rng: Random, *, beyond: Annotated[int, Interval(ge=1, le=5)] = 1) -> Noise:
    """Ask for the third measurement where there are two.

    Protocols speak of the third troponin or the second dose, and a nurse who remembers drawing it does not know that
    the tube was never sent. The last one there is makes a tempting answer.

    Limits: measurements at one time count once. Of a population the thirtieth is asked for, or the fiftieth, which some
    of the sickest may reach; if five or more do, the pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness; not drawn upon.
        beyond: How many more than there are. Of a population, 20 and ten times as many.

    Raises:
        NotApplicable: No target has a time, or no unused id is left for the supported world.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> question = first_lactate(4.2, 2.6)
        >>> noise = ordinal_absent(question, Random(0))
        >>> question.parameters["nth"], noise.parameters["nth"]
        (1, 3)

        In the supported world there is a third, shortly after the first.

        >>> [third] = noise.worlds[0].edits
        >>> third.after["charttime"], third.after["valuenum"]
        ('2150-03-01 08:01:00', 4.2)
        >>> ordinal_absent(question.with_(records=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no record carries the answer
    """
    targets = [selection for selection in chosen_targets(question, 1.0) if dated(selection)]
    if not targets:
        raise NotApplicable("no target has a time")
    if question.scope is Scope.POPULATION:
        nth = 20 + 10 * beyond
        copies = [edit for selection in targets for edit in _repeated(question, selection, nth)]
    else:
        counts = [len({record[dated(s)[0]] for record in question.records_of(s)}) for s in targets]
        nth = max(counts) + beyond
        copies = [
            edit
            for selection, count in zip(targets, counts, strict=True)
            for edit in _added(question, selection, nth - count)
        ]
    return Noise(parameters={"nth": nth}, worlds=(Overlay(edits=tuple(copies)),))


def _step(selection: Selection) -> timedelta:
    """The smallest distance the selection's time can tell apart."""
    whole_days = TABLES[selection.table][dated(selection)[0]].type is ColumnType.DATE
    return timedelta(days=1) if whole_days else timedelta(minutes=1)


def _added(question: Question, selection: Selection, missing: int) -> list[Edit]:
    """Copies of the earliest record at times of their own, soon after it so that they lie in the same window."""
    time = dated(selection)[0]
    records = sorted(question.records_of(selection), key=lambda record: str(record[time]))
    if not records:
        return []
    first, taken = records[0], {record[time] for record in records}
    ids, edits, steps = fresh_ids(question, selection.table), list[Edit](), 0
    while len(edits) < missing:
        steps += 1
        times = all_shifted(first.values, selection.table, steps * _step(selection))
        if times.get(time) not in taken:
            after = dict(first.values) | next(ids)(first.values) | times
            edits.append(Insert(table=first.table, subject_id=first.subject_id, after=after))
    return edits


def _repeated(question: Question, selection: Selection, nth: int) -> list[Edit]:
    """Copies of every record, one after the other, until each patient who has any has that many."""
    unit = "DAY" if _step(selection).days else "MINUTE"
    return [
        CopyWhere(
            table=selection.table,
            where=question.where(selection),
            put=copied_ids(selection.table) | all_shifted_sql(selection.table, f"{step} {unit}"),
        )
        for step in range(1, nth)
    ]
