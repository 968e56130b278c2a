"""Noise operator: the unit is spelled another way."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record, Selection, literal
from schemas.units import SPELLINGS, spellings


@noise_op(
    level="value",
    promise="unchanged",
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(8, 60),
)
def unit_synonym(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Spell the unit another way, `mg/dl` for `mg/dL` or `gm` for `g`; the value stays.

    Laboratory, ward and pharmacy each write units in their own manner, and a new interface changes the manner
    overnight. Nothing is lost: whoever compares units as units reaches the answer, and whoever compares characters does
    not.

    Limits: only spellings listed in `schemas.units` that the question accepts; where its records must bear one exact
    spelling, another would take them away.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to respell, at least one.

    Raises:
        NotApplicable: No target states a unit of which the question accepts another spelling.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range
        >>> [lactate, _] = unit_synonym(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before, lactate.after
        ({'valueuom': 'mmol/L'}, {'valueuom': 'mmol/l'})

        >>> unit_synonym(inr_range(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target states a unit with another accepted spelling
    """
    edits: list[Edit] = []
    for selection in chosen_targets(question, 1.0):
        for column in selection.unit:
            turn = rng.randrange(8)
            put = {column: sql} if (sql := _respelled_sql(selection, column, turn)) else {}
            edits += rewritten(question, selection, share, rng, partial(_respelled, selection, column, turn), put)
    if not edits:
        raise NotApplicable("no target states a unit with another accepted spelling")
    return Noise(overlay=overlay(edits), worlds=siblings(question, rng))


def _others(selection: Selection, column: str, unit: str) -> list[str]:
    """Other spellings of a unit that the selection accepts: listed by it, or compared without regard to case."""
    folded = f"lower({column})" in selection.support
    return [
        other
        for other in spellings(unit)[1:]
        if literal(other) in selection.support or (folded and literal(other.lower()) in selection.support)
    ]


def _respelled(selection: Selection, column: str, turn: int, record: Record) -> dict[str, Value] | None:
    """The unit of a record in another of its spellings, None where it has only one."""
    others = _others(selection, column, str(record[column]))
    return {column: others[turn % len(others)]} if others else None


def _respelled_sql(selection: Selection, column: str, turn: int) -> str:
    """The same as SQL: every spelling as another of its line; empty where none has another."""
    cases = [
        f"WHEN {literal(unit)} THEN {literal(others[turn % len(others)])}"
        for line in SPELLINGS
        for unit in line
        if (others := _others(selection, column, unit))
    ]
    return f"CASE {column} {' '.join(cases)} ELSE {column} END" if cases else ""
