"""Supported worlds that any noise implies: hospitals that bear only a part of the fault, so that an answer is there.

What an agent was shown is evidence only if no such hospital would show the same (schemas.noise.Noise.worlds). One
patient without the drug does not show that the cohort has none, and a number alone does not show that its unit is not
the one that was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from noise_ops._cells import value_cells
from schemas.noise import Noise
from schemas.overlays import CopyWhere, DeleteWhere, Edit, Overlay, Update, UpdateWhere
from schemas.questions import Question, Scope
from schemas.tables import TABLES

BUCKETS = 65_521
"""Patients are spread over so many, whatever the table."""

LEAST = BUCKETS // 128
"""No smaller part of the patients is tried."""

Supports = Callable[[Overlay], bool]
"""Whether the question has an answer in a hospital."""


def partial_worlds(question: Question, noise: Noise, supports: Supports) -> tuple[Overlay, ...]:
    """Hospitals with a part of the fault in which the question has an answer.

    Args:
        question: The noisy question.
        noise: What an operator made of the clean one.
        supports: Says which of them those are.
    """
    rewritten = [overlay for overlay in _without_one_change(question, noise) if supports(overlay)]
    return (*_among_some(question, noise, supports, 0, BUCKETS), *rewritten)


def _among_some(question: Question, noise: Noise, supports: Supports, low: int, high: int) -> Iterator[Overlay]:
    """Of a population: half of the patients bear the fault, or half of them are as the premise has them.

    Where half of them do not carry an answer, the halves of that half are tried: a cohort may be small.
    """
    whole = noise.overlay if noise.overlay.edits else next(iter(noise.worlds), Overlay())
    if question.scope is not Scope.POPULATION or not any(TABLES[table].patient for table in whole.tables):
        return
    middle = (low + high) // 2
    for first, last in ((low, middle), (middle, high)):
        part = Overlay(edits=tuple(_among(edit, first, last) for edit in whole.edits))
        if supports(part):
            yield part
        elif last - first > LEAST:
            yield from _among_some(question, noise, supports, first, last)


def _among(edit: Edit, low: int, high: int) -> Edit:
    if isinstance(edit, UpdateWhere | DeleteWhere | CopyWhere) and TABLES[edit.table].patient:
        some = f"(subject_id::BIGINT * 40503) % {BUCKETS} BETWEEN {low} AND {high - 1}"
        return edit.model_copy(update={"where": f"({edit.where}) AND {some}"})
    return edit


def _without_one_change(question: Question, noise: Noise) -> Iterator[Overlay]:
    """The rewritten cells, but for those of one sort: the value as it was, or the unit, or the time."""
    edits = [edit for edit in noise.overlay.edits if isinstance(edit, Update | UpdateWhere)]
    for columns in _sorts(question, edits):
        kept = tuple(left for edit in noise.overlay.edits if (left := _but_for(edit, columns)) is not None)
        if kept and kept != noise.overlay.edits:
            yield Overlay(edits=kept)


def _sorts(question: Question, edits: Sequence[Update | UpdateWhere]) -> list[frozenset[str]]:
    """Columns that go together, where cells of more than one sort were rewritten."""
    changed = {column for edit in edits for column in _columns(edit)}
    together: list[frozenset[str]] = []
    for selection in question.targets:
        sorts = (value_cells(selection), selection.unit, selection.time)
        together += [frozenset(columns) & changed for columns in sorts]
    found = [columns for columns in dict.fromkeys(together) if columns]
    return found if len(found) > 1 else []


def _columns(edit: Update | UpdateWhere) -> Sequence[str]:
    return tuple(edit.after if isinstance(edit, Update) else edit.put)


def _but_for(edit: Edit, columns: frozenset[str]) -> Edit | None:
    """The edit without these columns; None where nothing is left of it."""
    match edit:
        case Update():
            left = {column: value for column, value in edit.after.items() if column not in columns}
            before = {column: edit.before[column] for column in left}
            return edit.model_copy(update={"before": before, "after": left}) if left else None
        case UpdateWhere():
            put = {column: sql for column, sql in edit.put.items() if column not in columns}
            return edit.model_copy(update={"put": put}) if put else None
        case _:
            return edit
