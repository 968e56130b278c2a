"""Every released template on the MIMIC-IV demo: its SQL runs, its answers hold, and support that is gone abstains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assets.questions import Template, ask, catalogue, every_unit_sql, fillings, gold_of, records_sql
from schemas.concepts import load
from schemas.questions import Question, Role, Scope, Selection
from schemas.tables import TABLES, ColumnType
from tests.sweeping import swept

CONCEPTS = load()


@pytest.fixture(scope="module")
def hospital(demo: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The demo in memory, each table with its row number; tables it lacks are empty."""
    connection = duckdb.connect(config={"threads": 2})
    for table in TABLES.values():
        path = demo / f"{table.path}.csv.gz"
        columns = {column.name: column.type.duckdb for column in table.columns}
        if path.exists():
            read = f"read_csv('{path}', header = true, quote = '\"', escape = '\"', columns = {columns})"
            connection.execute(f"CREATE TABLE {table.name} AS SELECT *, row_number() OVER () - 1 AS row_id FROM {read}")
        else:
            declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
            connection.execute(f"CREATE TABLE {table.name} ({declared}, row_id BIGINT)")
    yield connection
    connection.close()


def gold(hospital: duckdb.DuckDBPyConnection, question: Question) -> Any:
    cursor = hospital.execute(question.reference_sql)
    return gold_of(question, cursor.fetchall(), [column[0] for column in cursor.description])


def answerable(hospital: duckdb.DuckDBPyConnection, template: Template, most: int = 1) -> list[Question]:
    """A few questions of the template that the demo answers."""
    found: list[Question] = []
    for filling in islice(fillings(template, CONCEPTS, "demo"), 8):
        if template.scope is Scope.PATIENT:
            rows = hospital.execute(every_unit_sql(template, filling)).fetchall()[:1]
            asked = [ask(template, {**filling, **dict(zip(template.unit.ids, row, strict=False))}) for row in rows]
        else:
            asked = [ask(template, filling)]
        found += [q.with_(gold=g) for q in asked if (g := gold(hospital, q)) is not None]
        if len(found) >= most:
            break
    return found


def predicate(hospital: duckdb.DuckDBPyConnection, question: Question, selection: Selection) -> str:
    """The selection's records, as noise would find them: by row for a patient, by test for a population."""
    if question.scope is Scope.POPULATION:
        return selection.test
    rows = [str(row[0]) for row in hospital.execute(records_sql(question, selection.name)).fetchall()]
    assert rows or selection.role is not Role.TARGET
    return f"row_id IN ({', '.join(rows) or '-1'})"


def spoilt(hospital: duckdb.DuckDBPyConnection, question: Question, statement: str) -> Any:
    """What the reference says after one statement, which is taken back."""
    hospital.execute("BEGIN")
    try:
        hospital.execute(statement)
        return gold(hospital, question)
    finally:
        hospital.execute("ROLLBACK")


@pytest.mark.parametrize("template", swept(catalogue(), 7), ids=lambda t: t.id)
def test_template_on_the_demo(hospital: duckdb.DuckDBPyConnection, template: Template) -> None:
    questions = answerable(hospital, template)
    for question in questions:
        every = {
            selection.name: predicate(hospital, question, selection)
            for selection in question.selections
            if selection.role in (Role.TARGET, Role.ANCHOR, Role.CONDITION, Role.UNIT)
        }
        for selection in question.selections_of(Role.TARGET):
            where = every[selection.name]
            assert spoilt(hospital, question, f"DELETE FROM {selection.table} WHERE {where}") is None
            for columns in (selection.value, selection.names[:1], selection.time[:1], selection.unit):
                if columns:
                    emptied = ", ".join(f"{column} = NULL" for column in columns)
                    assert spoilt(hospital, question, f"UPDATE {selection.table} SET {emptied} WHERE {where}") is None
            if selection.names and TABLES[selection.table][selection.names[0]].type is ColumnType.TEXT:
                masked = f"UPDATE {selection.table} SET {selection.names[0]} = '___' WHERE {where}"
                assert spoilt(hospital, question, masked) is None
        for selection in question.selections_of(Role.ANCHOR, Role.CONDITION, Role.UNIT):
            assert spoilt(hospital, question, f"DELETE FROM {selection.table} WHERE {every[selection.name]}") is None


@pytest.mark.parametrize("template", swept(catalogue(), 25), ids=lambda t: t.id)
def test_clauses_without_support_abstain(hospital: duckdb.DuckDBPyConnection, template: Template) -> None:
    for question in answerable(hospital, template, most=1):
        clauses: list[dict[str, Any]] = [{"calendar_year": 2014}, {"contradiction": True}, {"now": True}]
        clauses += [{"from_day": 4000}] if template.has_start else []
        clauses += [{"nth": 4000}] if template.uses_nth else []
        for clause in clauses:
            assert gold(hospital, ask(template, {**question.parameters, **clause})) is None, clause
        if template.has_start:
            assert gold(hospital, ask(template, {**question.parameters, "from_day": 1})) is not None


def test_one_unit_and_every_unit_agree(hospital: duckdb.DuckDBPyConnection) -> None:
    for template in [t for t in catalogue() if t.scope is Scope.PATIENT][::25]:
        filling = next(fillings(template, CONCEPTS, "demo"))
        for row in hospital.execute(every_unit_sql(template, filling)).fetchall()[::40]:
            ids = dict(zip(template.unit.ids, row, strict=False))
            question = ask(template, {**filling, **ids})
            shown = [(cell,) for cell in row[-1]] if isinstance(row[-1], list) else [(row[-1],)]
            told = gold_of(question, shown, ["answer"])
            assert str(gold(hospital, question)).replace("T", " ") == str(told).replace("T", " ")
