"""The associated records of a question, found by running its own selections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from assets.questions import all_records_sql
from robustgym.hospital import Session
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection
from schemas.tables import TABLES

RowNumbers = Mapping[str, tuple[int, ...]]
"""Row numbers of the associated records, by selection."""


def associated(session: Session, question: Question) -> RowNumbers:
    """Row numbers of every associated record of a patient question, by selection.

    Args:
        session: A session with row numbers (`row_ids=True`).
        question: The question; its routes are searched too.
    """
    found: dict[str, list[int]] = {selection.name: [] for selection in question.selections}
    _, rows = session.fetch(all_records_sql(question))
    for name, row in rows:
        found[name].append(row)
    return {name: tuple(sorted(numbers)) for name, numbers in found.items()}


def load(session: Session, question: Question, numbers: RowNumbers) -> tuple[Record, ...]:
    """The records behind the row numbers, in the order of selections and row numbers."""
    records: list[Record] = []
    for selection in question.selections:
        rows = numbers.get(selection.name, ())
        if rows:
            records += fetch_records(
                session, selection, f"row_id IN ({', '.join(map(str, rows))})", question.subject_ids
            )
    return tuple(records)


def fetch_records(
    session: Session, selection: Selection, where: str, subject_ids: Sequence[int] = (), limit: int | None = None
) -> list[Record]:
    """Records of the selection's table that meet a predicate over the table's columns and `row_id`, by row number."""
    table = TABLES[selection.table]
    if subject_ids and table.patient:
        # The patient's own rows lie together: the engine skips all others.
        where = f"subject_id IN ({', '.join(map(str, subject_ids))}) AND ({where})"
    cut = "" if limit is None else f" LIMIT {limit}"
    columns, rows = session.fetch(f"SELECT * FROM {table.name} WHERE {where} ORDER BY row_id{cut}")
    return [_record(selection, columns, row) for row in rows]


def _record(selection: Selection, columns: Sequence[str], row: Sequence[Any]) -> Record:
    values = {column: cell(value) for column, value in zip(columns, row, strict=True)}
    number = values.pop("row_id")
    subject = values.get("subject_id")
    if not isinstance(number, int):
        raise TypeError(f"{selection.table}: a record without a row number")
    return Record(
        selection=selection.name,
        table=selection.table,
        row=number,
        subject_id=subject if isinstance(subject, int) else None,
        values=values,
    )


def cell(value: Any) -> Value:
    """A value of the engine as an overlay holds it: times as MIMIC-IV writes them.

    >>> cell(datetime(2150, 5, 6, 22, 23)), cell(date(2150, 5, 6)), cell(4.2)
    ('2150-05-06 22:23:00', '2150-05-06', 4.2)
    """
    match value:
        case datetime():
            return value.isoformat(sep=" ")
        case date():
            return value.isoformat()
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise TypeError(f"a cell of type {type(value).__name__}")
