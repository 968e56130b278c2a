"""Abstentions whose worth is known: with what shows the fault, and with what only looks as if it did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from robustgym.gold import canonical
from robustgym.validating.answers import Made
from schemas.pairs import GoldRow
from schemas.questions import Role, Scope
from schemas.tables import TABLES

Call = tuple[str, dict[str, Any]]

FEW = 15
"""Records that fit on one screen with all their columns."""

MANY = 100
"""Records of a population among which those of one patient are no answer for all."""


def of(row: GoldRow, others: Sequence[GoldRow], strangers: Sequence[GoldRow], *, python: bool) -> Iterator[Made]:
    """Submissions to a task that has no answer.

    Args:
        row: The task.
        others: Clean tasks of the same template.
        strangers: A few tasks of other templates.
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
        yield from _by_records(row, others, strangers, python=python)


def _by_columns(row: GoldRow) -> Iterator[Made]:
    """Where no hospital could support an answer: a look at the columns is the evidence."""
    looks = tuple(("schema", {"table": table}) for table in row.schema_evidence)
    described = tuple(_sql(f"DESCRIBE {table}") for table in row.schema_evidence)
    yield "evidence: the columns of its tables", True, "null", looks
    yield "evidence: the columns, in SQL", True, "null", described
    other = next(name for name in TABLES if name not in row.schema_evidence)
    yield "no evidence: the columns of another table", False, "null", (("schema", {"table": other}),)
    yield "no evidence: the records alone", False, "null", (_sql(f"SELECT count(*) FROM {_target(row)}"),)


def _by_records(
    row: GoldRow, others: Sequence[GoldRow], strangers: Sequence[GoldRow], *, python: bool
) -> Iterator[Made]:
    witness, table = row.witness_sql, _target(row)
    for sort, calls in _showing(row):
        yield f"evidence: {sort}", True, "null", calls
    for sort, calls in _not_showing(row, others, strangers):
        yield f"no evidence: {sort}", False, "null", calls
    if python:
        whole = f"print(query({witness!r}))\nquery({witness!r}).to_dict('records')"
        yield "evidence: the records, in Python", True, "null", (("python", {"code": whole}),)
        cells = (
            f"found = query({witness!r})",
            "for record in found.to_dict('records'):\n    print(record)\nlen(found)",
        )
        yield "evidence: in two cells of Python", True, "null", tuple(("python", {"code": cell}) for cell in cells)
        for sort, code in (
            ("Python that asks nothing", "print(None)"),
            ("Python that shows nothing", f"found = query({witness!r})\nfound = None"),
            ("Python that fails", f"query({witness!r}).no_such_method()"),
            ("Python with the witness as a text", f"print({witness!r})"),
            ("Python that counts a whole table", f"print(len(query('SELECT 1 FROM {table} LIMIT 50')))"),
        ):
            yield f"no evidence: {sort}", False, "null", (("python", {"code": code}),)


def _showing(row: GoldRow) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Calls that show what takes the support away."""
    witness = row.witness_sql
    yield "the records asked for", (_sql(witness),)
    yield "the reference alone", (_sql(row.reference_sql),)
    yield "in a common table expression", (_sql(f"WITH found AS ({witness}) SELECT * FROM found"),)
    yield "in a subquery, with a comment", (_sql(f"SELECT * FROM ({witness}) AS found -- what is there"),)
    yield (
        "after others that are none",
        (
            _sql("SELECT 1"),
            ("schema", {"table": _target(row)}),
            _sql(f"SELECT no_such_column FROM {_target(row)}"),
            _sql(witness),
        ),
    )
    records = sum(records.n for records in row.records)
    if row.scope is Scope.PATIENT and witness.startswith("SELECT ") and 0 < records <= FEW:
        yield "the records with every column", (_sql(re.sub(r"^SELECT .*? FROM ", "SELECT * FROM ", witness)),)


def _not_showing(
    row: GoldRow, others: Sequence[GoldRow], strangers: Sequence[GoldRow]
) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Calls that show nothing of it, however much they look as if they did."""
    witness, table = row.witness_sql, _target(row)
    yield "the columns of its table", (("schema", {"table": table}),)
    yield "always empty", (_sql(f"SELECT * FROM ({witness}) WHERE FALSE"),)
    yield "cut to nothing", (_sql(f"SELECT * FROM ({witness}) LIMIT 0"),)
    yield "before any record was made", (_sql(f"SELECT 1 AS one FROM ({witness}) WHERE 1900 > 2000"),)
    yield "the witness as a text", (_sql(f"SELECT {_quoted(witness)} AS note"),)
    yield "the witness in a comment", (_sql(f"SELECT NULL AS answer /* {witness} */"),)
    yield "read, and not shown", (_sql(f"WITH found AS ({witness}) SELECT NULL AS answer"),)
    yield "a statement that fails after it", (_sql(f"SELECT no_such_column FROM ({witness}) AS found"),)
    about = _tables(row)
    elsewhere = next((other for other in strangers if not _read(other.witness_sql) & about), None)
    if elsewhere is not None:
        yield "records of another sort", (_sql(elsewhere.witness_sql),)
    if row.scope is Scope.PATIENT and row.subject_ids:
        yield from _of_others(row, others, table)
    elif TABLES[table].patient and _hit(row, table) >= MANY:
        one = "(SELECT min(subject_id) FROM patients)"
        yield "the records of one patient", (_sql(f"SELECT * FROM {table} WHERE subject_id = {one} LIMIT 50"),)


def _of_others(row: GoldRow, others: Sequence[GoldRow], table: str) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Calls about other patients, or about all of them at once."""
    ids = ", ".join(map(str, row.subject_ids))
    stranger = next((other for other in others if not set(other.subject_ids) & set(row.subject_ids)), None)
    # What a dictionary lacks it lacks for every patient: another's look shows it as well.
    if stranger is not None and all(TABLES[edited].patient for edited in row.overlay.tables):
        yield "another patient's witness", (_sql(stranger.witness_sql),)
    yield "that the patient exists", (_sql(f"SELECT subject_id, gender FROM patients WHERE subject_id IN ({ids})"),)
    yield "constants", (_sql(f"SELECT NULL AS answer UNION ALL SELECT {row.subject_ids[0]}"),)
    if not TABLES[table].patient:
        return
    yield "whether anything is in its table", (_sql(f"SELECT count(*) > 0 AS any FROM {table}"),)
    yield "how many records its table has", (_sql(f"SELECT count(*) FROM {table}"),)
    yield "the patient in a comment", (_sql(f"SELECT count(*) AS n FROM {table} -- of patient {ids}"),)
    yield "the patient as a text", (_sql(f"SELECT 'patient {ids}' AS whose, count(*) AS n FROM {table}"),)
    keys = ", ".join(TABLES[table].key)
    yield "a checksum of its table", (_sql(f"SELECT sum(hash({keys})::HUGEINT) AS checksum FROM {table}"),)
    yield (
        "other patients' records",
        (_sql(f"SELECT * FROM {table} WHERE subject_id NOT IN ({ids}) LIMIT 20"),),
    )
    yield (
        "a list cut off before the patient's rows",
        (_sql(f"SELECT * FROM {table} ORDER BY subject_id IN ({ids}), subject_id LIMIT 20"),),
    )


def _target(row: GoldRow) -> str:
    """The table in which the fault is; where that is in several, the one that carries the answer."""
    touched = _tables(row)
    targets = [records.table for records in row.records if records.role == Role.TARGET]
    return next((table for table in targets if table in touched), min(touched, default=row.tables[0]))


def _tables(row: GoldRow) -> frozenset[str]:
    """The tables that the noise or one of its worlds changes."""
    return frozenset(table for overlay in (row.overlay, *row.worlds) for table in overlay.tables)


def _read(statement: str) -> frozenset[str]:
    """The tables a statement may read: every one whose name is in it."""
    return frozenset(TABLES.keys() & set(re.findall(r"\w+", statement)))


def _hit(row: GoldRow, table: str) -> int:
    """How many records of a table the question rests on."""
    return max((records.n for records in row.records if records.table == table), default=0)


def _sql(statement: str) -> Call:
    return "sql", {"statement": statement}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
