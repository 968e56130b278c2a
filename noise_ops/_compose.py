"""Two operators as one: both faults in one record, at once, and one promise for both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from random import Random
from typing import TypeVar

from noise_ops._ids import OWN_ID
from noise_ops.registry import NotApplicable, PromiseName, declared
from schemas.noise import Noise
from schemas.overlays import Delete, DeleteWhere, Edit, Insert, Overlay, Update, UpdateWhere
from schemas.questions import Question

T = TypeVar("T")

Part = Callable[[Question, Random], Noise]
"""An operator; with parameters of its own, `functools.partial(operator, share=0.5)`."""

WEAKEST_FIRST: tuple[PromiseName, ...] = ("unchanged", "recomputed", "abstention")


def composed(question: Question, rng: Random, *parts: Part) -> Noise:
    """The noise of all parts together, each made of the clean question.

    What two parts do alike is done once. A part edits records as the clean hospital has them: copies that one inserts
    are not touched by the other.

    Args:
        question: The clean question.
        rng: The only source of randomness; every part gets a generator of its own.
        parts: Operators that change the hospital, or such as change the question.

    Raises:
        NotApplicable: One of them is not, two change the same record or slot, or two insert the same number.

    Examples:
        >>> from noise_ops.exact_duplicate import exact_duplicate
        >>> from noise_ops.unit_synonym import unit_synonym
        >>> from noise_ops.value_null import value_null
        >>> from schemas.examples import first_lactate
        >>> [edit.kind for edit in composed(first_lactate(), Random(0), exact_duplicate, unit_synonym).overlay.edits]
        ['insert', 'insert', 'update', 'update']
        >>> composed(first_lactate(), Random(0), value_null, unit_synonym)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: both would change the same record of labevents
    """
    made = [part(question, Random(rng.getrandbits(64))) for part in parts]
    slots = [slot for noise in made for slot in noise.parameters]
    if len(slots) > len(set(slots)) or sum(bool(noise.text) for noise in made) > 1:
        raise NotApplicable("both would change the same words of the question")
    return Noise(
        overlay=Overlay(edits=_together([noise.overlay.edits for noise in made])),
        parameters=dict(chain.from_iterable(noise.parameters.items() for noise in made)),
        clean=dict(chain.from_iterable(noise.clean.items() for noise in made)),
        text="".join(noise.text for noise in made),
        worlds=_once([noise.worlds for noise in made]),
        schema_evidence=tuple(dict.fromkeys(table for noise in made for table in noise.schema_evidence)),
    )


def strongest(*parts: Callable[..., Noise]) -> PromiseName:
    """What a composition promises: the strongest of its parts' own promises.

    Abstention is stronger than another answer, and that is stronger than the same: what takes the support away is not
    mended by a fault beside it.

    >>> from noise_ops.exact_duplicate import exact_duplicate
    >>> from noise_ops.value_null import value_null
    >>> strongest(exact_duplicate, value_null)
    'abstention'
    """
    promises = {declared(part).promise.value for part in parts}
    return [name for name in WEAKEST_FIRST if name in promises][-1]


def _together(lists: Sequence[Sequence[Edit]]) -> tuple[Edit, ...]:
    """All edits, if no two parts have different ones of the same record."""
    alike = [edit for edit in lists[0] if all(edit in others for others in lists[1:])]
    taken: set[tuple[str, object]] = set()
    for edits in lists:
        places = {place for edit in edits if edit not in alike and (place := _record(edit))}
        if both := sorted(table for table, _ in places & taken):
            raise NotApplicable(f"both would change the same record of {both[0]}")
        taken |= places
    return _once(lists)


def _record(edit: Edit) -> tuple[str, object] | None:
    """The record an edit is about; of a change by predicate the whole table, as no predicate tells which it spares.

    A copy is a new record, and so is an insert that bears no number.
    """
    match edit:
        case Update() | Delete():
            return edit.table, edit.row
        case Insert():
            number = edit.after.get(OWN_ID.get(edit.table, ""))
            return None if number is None else (edit.table, f"number {number}")
        case UpdateWhere() | DeleteWhere():
            return edit.table, "any"
    return None


def _once(lists: Iterable[Iterable[T]]) -> tuple[T, ...]:
    found: list[T] = []
    for item in chain.from_iterable(lists):
        if item not in found:
            found.append(item)
    return tuple(found)
