"""Noise operator: the question asks for one more than there are."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from noise_ops import Lack, NotApplicable, noise_op
from noise_ops._cells import all_shifted, dated
from noise_ops._edits import chosen_targets
from noise_ops._ids import fresh_ids
from noise_ops._spread import spread_out
from schemas.noise import Noise
from schemas.overlays import Edit, Insert, Overlay
from schemas.questions import Question, Scope, Selection
from schemas.tables import TABLES, ColumnType


def _by_nature(selection: Selection) -> Lack:
    """A unit with records of the sort, all of them usable, and fewer than the question counts to."""
    if not dated(selection):
        raise NotApplicable("no target has a time")
    return Lack("usable > 0 AND usable = n AND moments < nth", others=True)


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=("PRACTIQ",), natural=_by_nature)
def ordinal_absent(question: Question, rng: Random) -> Noise:
    """Ask for the third measurement where there are two.

    Protocols speak of the third troponin or the second dose, and a nurse who remembers drawing it does not know that
    the tube was never sent. The last one there is makes a tempting answer. It is what the clean question asks for: an
    ordinal alone tells nothing, and no ordinal is much more frequent in one condition than in the other.

    Limits: measurements at one time count once. Where there is a single one, nobody asks for the second. Populations
    are not asked for ordinals.

    Args:
        question: The clean question.
        rng: The only source of randomness; decides how often low ordinals are asked for.

    Raises:
        NotApplicable: The question asks for no ordinal, no target has a time, there are fewer than two, or no unused id
            is left for the supported world.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> question = first_lactate(4.2, 2.6)
        >>> noise = ordinal_absent(question, Random(1))
        >>> noise.clean, noise.parameters
        ({'nth': 2}, {'nth': 3})

        In the supported world there is a third, shortly after the first.

        >>> [third] = noise.worlds[0].edits
        >>> third.after["charttime"], third.after["valuenum"]
        ('2150-03-01 08:01:00', 4.2)
        >>> ordinal_absent(first_lactate(4.2), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: there is only one
    """
    if question.scope is Scope.POPULATION or "nth" not in question.parameters:
        raise NotApplicable("the question asks for no ordinal")
    targets = [selection for selection in chosen_targets(question, 1.0) if dated(selection)]
    if not targets:
        raise NotApplicable("no target has a time")
    counts = [len({record[dated(s)[0]] for record in question.records_of(s)}) for s in targets]
    last = max(counts)
    if last < 2:
        raise NotApplicable("there is only one")
    spread_out(last, rng)
    copies = [
        edit
        for selection, count in zip(targets, counts, strict=True)
        for edit in _added(question, selection, last + 1 - count)
    ]
    return Noise(parameters={"nth": last + 1}, clean={"nth": last}, worlds=(Overlay(edits=tuple(copies)),))


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
