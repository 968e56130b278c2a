"""Which columns a copy of a record must not share with it, and where their new values come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count, repeat

from noise_ops.registry import NotApplicable
from schemas.overlays import Value
from schemas.questions import Question

OWN_ID = {
    "admissions": "hadm_id",
    "emar": "emar_seq",
    "icustays": "stay_id",
    "ingredientevents": "orderid",
    "inputevents": "orderid",
    "labevents": "labevent_id",
    "microbiologyevents": "microevent_id",
    "pharmacy": "pharmacy_id",
    "poe": "poe_seq",
    "prescriptions": "pharmacy_id",
    "procedureevents": "orderid",
    "transfers": "transfer_id",
}
"""The column that numbers a table's records. Tables not named here have none: their records are told apart by content.

An operator that inserts a record takes the number from `question.around.unused[column]`. Where each patient's records
are numbered from 1, those follow the patient's last; in a population they lie beyond any patient's.
"""

WITHIN_PATIENT = {"emar_seq": "emar_id", "poe_seq": "poe_id"}
"""Numbers that start again with each patient, and the id written <subject_id>-<number>."""

BEYOND = 100_000
"""More than any patient has administrations or orders."""

_LARGEST = 2**31 - 1
"""Largest 32-bit number. Numbers in use end far below half of it, so that mirrored numbers meet none of them."""

Ids = Callable[[Mapping[str, Value]], dict[str, Value]]


def fresh_ids(question: Question, table: str) -> Iterator[Ids]:
    """For one copy after another, a function from the cells of the original to the id cells of its copy.

    Raises:
        NotApplicable: No unused id is left.
    """
    column = OWN_ID.get(table)
    if column is None:
        yield from repeat(lambda cells: {})
    elif column in WITHIN_PATIENT:
        yield from (partial(_after_last, column, number) for number in question.around.unused.get(column, ()))
        yield from (partial(_beyond, column, BEYOND * copy) for copy in count(1))
    else:
        for number in question.around.unused.get(column, ()):
            yield partial(_numbered, column, number)
        raise NotApplicable(f"no unused {column} is left")


def _numbered(column: str, number: int, cells: Mapping[str, Value]) -> dict[str, Value]:
    return {column: number}


def _after_last(column: str, number: int, cells: Mapping[str, Value]) -> dict[str, Value]:
    return {column: number, WITHIN_PATIENT[column]: f"{cells['subject_id']}-{number}"}


def _beyond(column: str, beyond: int, cells: Mapping[str, Value]) -> dict[str, Value]:
    return _after_last(column, int(str(cells[column])) + beyond, cells)


def copied_ids(table: str) -> dict[str, str]:
    """The id cells of the copies of many records, as SQL over the table's own columns.

    >>> copied_ids("labevents")
    {'labevent_id': '2147483647 - labevent_id'}
    >>> copied_ids("emar")
    {'emar_seq': 'emar_seq + 100000', 'emar_id': "concat(subject_id, '-', emar_seq + 100000)"}
    """
    column = OWN_ID.get(table)
    if column is None:
        return {}
    if column in WITHIN_PATIENT:
        number = f"{column} + {BEYOND}"
        return {column: number, WITHIN_PATIENT[column]: f"concat(subject_id, '-', {number})"}
    return {column: f"{_LARGEST} - {column}"}
