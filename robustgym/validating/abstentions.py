"""Abstentions whose worth is known: with what shows the fault, and with what only looks as if it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from robustgym.gold import canonical
from robustgym.validating.answers import Made
from schemas.pairs import GoldRow
from schemas.questions import Role, Scope
from schemas.tables import TABLES

Call = tuple[str, dict[str, Any]]


def of(row: GoldRow, others: Sequence[GoldRow], *, python: bool) -> Iterator[Made]:
    """Submissions to a task that has no answer.

    Args:
        row: The task.
        others: Clean tasks of the same template.
        python: Whether there is a Python tool.
    """
    twin = next((other for other in others if other.pair_id == row.pair_id), None)
    if twin is not None and twin.gold is not None:
        yield "answered: as if nothing were wrong", False, canonical(twin.gold), (_sql(row.witness_sql),)
    yield "answered: the empty list", False, "[]", (_sql(row.witness_sql),)
    yield "answered: the word null", False, '"null"', (_sql(row.witness_sql),)
    yield "no evidence: nothing looked at", False, "null", ()
    yield "no evidence: SELECT 1", False, "null", (_sql("SELECT 1"),)
    yield "no evidence: SELECT NULL", False, "null", (_sql("SELECT NULL AS answer"),)
    yield "no evidence: a statement that fails", False, "null", (_sql(f"SELECT no_such_column FROM {_target(row)}"),)
    yield "no evidence: the list of tables", False, "null", (("schema", {}),)
    if row.schema_evidence and not row.worlds:
        yield from _by_columns(row)
    else:
        yield from _by_records(row, others, python=python)


def _by_columns(row: GoldRow) -> Iterator[Made]:
    """Where no hospital could support an answer: a look at the columns is the evidence."""
    looks = tuple(("schema", {"table": table}) for table in row.schema_evidence)
    described = tuple(_sql(f"DESCRIBE {table}") for table in row.schema_evidence)
    yield "evidence: the columns of its tables", True, "null", looks
    yield "evidence: the columns, in SQL", True, "null", described
    other = next(name for name in TABLES if name not in row.schema_evidence)
    yield "no evidence: the columns of another table", False, "null", (("schema", {"table": other}),)
    yield "no evidence: the records alone", False, "null", (_sql(f"SELECT count(*) FROM {_target(row)}"),)


def _by_records(row: GoldRow, others: Sequence[GoldRow], *, python: bool) -> Iterator[Made]:
    table = _target(row)
    yield "evidence: the records asked for", True, "null", (_sql(row.witness_sql),)
    yield (
        "evidence: after others that are none",
        True,
        "null",
        (
            _sql("SELECT 1"),
            ("schema", {"table": table}),
            _sql(row.witness_sql),
        ),
    )
    if python:
        code = f"print(query({row.witness_sql!r}))\nquery({row.witness_sql!r}).to_dict('records')"
        yield "evidence: the records, in Python", True, "null", (("python", {"code": code}),)
        yield "no evidence: Python that asks nothing", False, "null", (("python", {"code": "print(None)"}),)
    yield "no evidence: the columns of its table", False, "null", (("schema", {"table": table}),)
    yield "no evidence: always empty", False, "null", (_sql(f"SELECT * FROM ({row.witness_sql}) WHERE FALSE"),)
    yield "no evidence: cut to nothing", False, "null", (_sql(f"SELECT * FROM ({row.witness_sql}) LIMIT 0"),)
    yield (
        "no evidence: whether anything is in its table",
        False,
        "null",
        (_sql(f"SELECT count(*) > 0 AS any FROM {table}"),),
    )
    yield "no evidence: the witness as a text", False, "null", (_sql(f"SELECT {_quoted(row.witness_sql)} AS note"),)
    if row.scope is Scope.PATIENT and row.subject_ids:
        mine = " AND ".join(f"subject_id <> {subject}" for subject in row.subject_ids)
        if TABLES[table].patient:
            yield "no evidence: how many records its table has", False, "null", (_sql(f"SELECT count(*) FROM {table}"),)
            yield (
                "no evidence: other patients' records",
                False,
                "null",
                (_sql(f"SELECT * FROM {table} WHERE {mine} LIMIT 20"),),
            )
        stranger = next((other for other in others if not set(other.subject_ids) & set(row.subject_ids)), None)
        if stranger is not None:
            yield "no evidence: another patient's witness", False, "null", (_sql(stranger.witness_sql),)
        ids = ", ".join(map(str, row.subject_ids))
        yield (
            "no evidence: that the patient exists",
            False,
            "null",
            (_sql(f"SELECT subject_id, gender FROM patients WHERE subject_id IN ({ids})"),),
        )


def _target(row: GoldRow) -> str:
    """The table whose records carry the answer."""
    return next((records.table for records in row.records if records.role == Role.TARGET), row.tables[0])


def _sql(statement: str) -> Call:
    return "sql", {"statement": statement}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
