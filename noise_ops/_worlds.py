"""Supported worlds: hospitals in which the noisy question would have an answer (see schemas.noise.Noise.worlds).

They lie over the clean hospital. What an agent was shown is evidence only if no such world would have shown the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import Any

from noise_ops._cells import (
    all_shifted,
    all_shifted_sql,
    dated,
    measured,
    number,
    other_number,
    other_number_sql,
    written,
    written_sql,
)
from noise_ops._edits import Row, rewritten
from noise_ops.registry import Mended
from schemas.overlays import Edit, Overlay, Value
from schemas.questions import Question, Record, Role, Selection


def siblings(question: Question, rng: Random) -> tuple[Overlay, ...]:
    """A hospital where every target holds another plausible value, or where it has none, another time."""
    edits: list[Edit] = []
    for selection in question.targets:
        edits += (
            other_values(question, selection, rng) if measured(selection) else other_times(question, selection, rng)
        )
    return (Overlay(edits=tuple(edits)),) if edits else ()


def other_values(question: Question, selection: Selection, rng: Random) -> tuple[Edit, ...]:
    """Edits that give every record another plausible number."""
    return rewritten(question, selection, 1.0, rng, *another_value(selection))


def another_value(selection: Selection) -> tuple[Row, Mapping[str, str]]:
    """The cells of another plausible number, for a record and as SQL; a record that holds none is left alone."""

    def row(record: Record) -> dict[str, Value] | None:
        value = number(record, selection)
        return None if value is None else written(selection, other_number(value, selection))

    return row, written_sql(selection, other_number_sql(selection))


def other_times(question: Question, selection: Selection, rng: Random) -> tuple[Edit, ...]:
    """Edits that move the times a selection reads by a day."""

    def row(record: Record) -> dict[str, Value]:
        times = all_shifted(record.values, selection.table, timedelta(days=1))
        return {column: times[column] for column in dated(selection) if column in times}

    times = all_shifted_sql(selection.table, "1 DAY")
    return rewritten(question, selection, 1.0, rng, row, {column: times[column] for column in dated(selection)})


def evidence_tables(question: Question) -> tuple[str, ...]:
    """The tables of the targets and of what is asked about, where only a look at their columns can show the fault."""
    return tuple(dict.fromkeys(selection.table for selection in question.selections_of(Role.TARGET, Role.UNIT)))


def like_model(columns: Sequence[str]) -> Mended:
    """Mends a fault found in the record: those cells become what they are in a usable record of somebody else."""

    def mended(record: Record, model: Record, unit: Mapping[str, Any]) -> dict[str, Value]:
        return {column: model[column] for column in columns}

    return mended
