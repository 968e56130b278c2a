"""What most operators do alike: find the targets, rewrite or double a share of them, remove the other routes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random

from noise_ops._ids import Ids, copied_ids, fresh_ids
from noise_ops.registry import NotApplicable
from schemas.overlays import CopyWhere, Delete, Edit, Insert, Overlay, Update, UpdateWhere, Value
from schemas.questions import UNIT_ROUTE, Question, Record, Role, Scope, Selection, update

Row = Callable[[Record], Mapping[str, Value] | None]
"""New cells of a record, by column; None leaves the record alone."""


def chosen_targets(question: Question, share: float) -> tuple[Selection, ...]:
    """The selections that carry the answer, if a share of their records can be hit and another left.

    Raises:
        NotApplicable: There is none, or a part of a single record was asked for.
    """
    if not question.targets:
        raise NotApplicable("no selection carries the answer")
    if question.scope is Scope.PATIENT:
        records = [question.count(selection) for selection in question.targets]
        if not any(records):
            raise NotApplicable("no record carries the answer")
        if share < 1 and max(records) < 2:
            raise NotApplicable("a single record cannot be hit in part")
    return question.targets


def rewritten(
    question: Question, selection: Selection, share: float, rng: Random, row: Row, put: Mapping[str, str]
) -> tuple[Edit, ...]:
    """Edits that give a share of the records other cells.

    Args:
        question: The question.
        selection: Whose records.
        share: Of the records (patient) or of the patients (population).
        rng: Decides which.
        row: The new cells of a record (patient).
        put: The new cells as SQL over the table's own columns (population).
    """
    if question.scope is Scope.POPULATION:
        if not put:
            return ()
        return (UpdateWhere(table=selection.table, where=question.where(selection, share, rng), put=dict(put)),)
    pairs = [(record, row(record) or {}) for record in question.chosen(selection, share, rng)]
    return tuple(update(record, after) for record, after in pairs if any(record[c] != v for c, v in after.items()))


def doubled(
    question: Question,
    selection: Selection,
    share: float,
    rng: Random,
    row: Row,
    put: Mapping[str, str],
    ids: Iterator[Ids] | None = None,
) -> tuple[Edit, ...]:
    """Edits that add a copy of a share of the records, with ids of its own and other cells; see `rewritten`.

    A record for which `row` gives None is not copied. Who doubles records of one table several times gives the same
    `ids` (`fresh_ids`) each time, so that no two copies bear one number.

    Raises:
        NotApplicable: No unused id is left for a copy.
    """
    if question.scope is Scope.POPULATION:
        where = question.where(selection, share, rng)
        return (CopyWhere(table=selection.table, where=where, put=copied_ids(selection.table) | dict(put)),)
    ids = ids or fresh_ids(question, selection.table)
    return tuple(
        Insert(table=r.table, subject_id=r.subject_id, after=dict(r.values) | next(ids)(r.values) | dict(after))
        for r in question.chosen(selection, share, rng)
        if (after := row(r)) is not None
    )


def without_routes(question: Question, rng: Random, *, unit: bool = False) -> tuple[Edit, ...]:
    """Edits that remove the records that tell the same fact elsewhere.

    Args:
        question: The question.
        rng: The only source of randomness.
        unit: Whether the unit itself goes. Where a stay remains, so do its transfers: they tell nothing that is gone.
    """
    units = {selection.table for selection in question.selections_of(Role.UNIT)}
    unit = unit or any(selection.table in units for selection in question.targets)
    routes = [s for s in question.selections_of(Role.ROUTE) if unit or s.name != UNIT_ROUTE]
    return tuple(edit for selection in routes for edit in question.delete(selection, 1.0, rng))


def overlay(*groups: Iterable[Edit]) -> Overlay:
    """All edits as one overlay; where a record has two edits, the first wins.

    Raises:
        NotApplicable: There is no edit.
    """
    edits: list[Edit] = []
    seen: set[tuple[str, int]] = set()
    for edit in (edit for group in groups for edit in group):
        if isinstance(edit, Update | Delete):
            if (edit.table, edit.row) in seen:
                continue
            seen.add((edit.table, edit.row))
        edits.append(edit)
    if not edits:
        raise NotApplicable("no associated record would change")
    return Overlay(edits=tuple(edits))
