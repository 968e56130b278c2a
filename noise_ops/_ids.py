"""Which columns a copy of a record must not share with it, and where their new values come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

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

An operator that inserts a record takes the number from `question.around.unused[column]`.
"""

# `emar_id` and `poe_id` are written <subject_id>-<number>.
_WRITTEN = {"emar_seq": "emar_id", "poe_seq": "poe_id"}
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
        while True:
            yield lambda cells: {}
    for number in question.around.unused.get(column, ()):
        yield numbered(column, number)
    raise NotApplicable(f"no unused {column} is left")


def numbered(column: str, number: int) -> Ids:
    """The id cells of the copy that bears this number."""
    written = _WRITTEN.get(column)

    def cells(original: Mapping[str, Value]) -> dict[str, Value]:
        return {column: number} | ({written: f"{original['subject_id']}-{number}"} if written else {})

    return cells


def copied_ids(table: str) -> dict[str, str]:
    """The id cells of the copies of many records, as SQL over the table's own columns.

    >>> copied_ids("labevents")
    {'labevent_id': '2147483647 - labevent_id'}
    """
    column = OWN_ID.get(table)
    if column is None:
        return {}
    if (written := _WRITTEN.get(column)) is None:
        return {column: f"{_LARGEST} - {column}"}
    return {column: f"{_LARGEST} - {column}", written: f"concat(subject_id, '-', {_LARGEST} - {column})"}
