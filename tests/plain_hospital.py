"""A hospital in memory made of an example question's records, and what an overlay's edits mean, spelled out plainly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import duckdb

from schemas.overlays import CopyWhere, Delete, DeleteWhere, Insert, Overlay, Update, UpdateWhere, Value
from schemas.questions import Question, Scope
from schemas.tables import TABLES

Rows = Mapping[str, Mapping[int, Mapping[str, Value]]]
"""Cells by table and row number."""


def answer(question: Question, overlay: Overlay | None = None) -> Any:
    """What the question's reference returns in its hospital with the overlay's edits made; None for no row."""
    rows = population() if question.scope is Scope.POPULATION else associated(question)
    with duckdb.connect() as connection:
        for table in sorted({selection.table for selection in question.selections}):
            _load(connection, table, rows.get(table, {}))
        for table, edits in (overlay or Overlay()).by_table().items():
            _edit(connection, table, edits)
        found = connection.execute(question.reference_sql).fetchone()
    return found[0] if found else None


def associated(question: Question) -> Rows:
    """The question's own records, by table and row number."""
    rows: dict[str, dict[int, Mapping[str, Value]]] = {}
    for record in question.records:
        rows.setdefault(record.table, {})[record.row] = record.values
    return rows


def population(patients: int = 40) -> Rows:
    """Invented patients with one admission, a code of diabetes and a few glucose results each."""
    rows: dict[str, dict[int, Mapping[str, Value]]] = {"admissions": {}, "diagnoses_icd": {}, "labevents": {}}
    for i in range(patients):
        owner = {"subject_id": 10_000_200 + i, "hadm_id": 20_000_200 + i}
        rows["admissions"][i] = owner | {
            "admittime": f"2150-01-{1 + i % 28:02} 06:00:00",
            "dischtime": f"2150-02-{1 + i % 28:02} 06:00:00",
            "admission_type": "URGENT",
        }
        rows["diagnoses_icd"][i] = owner | {"seq_num": 1, "icd_code": "E119", "icd_version": 10}
        for k in range(3):
            n, value = 3 * i + k, 80.0 + (37 * i + 11 * k) % 150
            rows["labevents"][n] = owner | {
                "labevent_id": n + 1,
                "specimen_id": n + 1,
                "itemid": 50931,
                "charttime": f"2150-01-{1 + i % 28:02} {8 + k:02}:00:00",
                "storetime": f"2150-01-{1 + i % 28:02} {8 + k:02}:30:00",
                "value": f"{value:g}",
                "valuenum": value,
                "valueuom": "mg/dL",
            }
    return rows


def _load(connection: duckdb.DuckDBPyConnection, name: str, rows: Mapping[int, Mapping[str, Value]]) -> None:
    columns = ", ".join(f"{column.name} {column.type.duckdb}" for column in TABLES[name].columns)
    connection.execute(f"CREATE TABLE {name} (_row INTEGER, {columns})")
    if rows:
        cells = [[row, *(values.get(column) for column in TABLES[name].names)] for row, values in rows.items()]
        places = f"({', '.join('?' * len(cells[0]))})"
        connection.execute(
            f"INSERT INTO {name} VALUES {', '.join([places] * len(cells))}", [c for row in cells for c in row]
        )
    connection.execute(f"CREATE TABLE clean_{name} AS FROM {name}")


def _insert(connection: duckdb.DuckDBPyConnection, table: str, cells: Mapping[str, Value]) -> None:
    places = ", ".join("?" * len(cells))
    connection.execute(f"INSERT INTO {table} ({', '.join(cells)}) VALUES ({places})", list(cells.values()))


def _edit(connection: duckdb.DuckDBPyConnection, table: str, edits: Iterable[Any]) -> None:
    """Make the edits of one table; predicates and expressions read the clean rows."""
    hit = f"_row IN (SELECT _row FROM clean_{table} WHERE "
    for edit in edits:
        match edit:
            case Update():
                for column, value in edit.after.items():
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE _row = {edit.row}", [value])
            case Delete():
                connection.execute(f"DELETE FROM {table} WHERE _row = {edit.row}")
            case Insert():
                _insert(connection, table, edit.after)
            case UpdateWhere():
                put = ", ".join(f"{column} = {sql}" for column, sql in edit.put.items())
                connection.execute(f"UPDATE {table} SET {put} WHERE {hit}{edit.where})")
            case DeleteWhere():
                connection.execute(f"DELETE FROM {table} WHERE {hit}{edit.where})")
            case CopyWhere():
                cells = ", ".join(f"{edit.put.get(name, name)} AS {name}" for name in TABLES[table].names)
                connection.execute(f"INSERT INTO {table} SELECT NULL, {cells} FROM clean_{table} WHERE {edit.where}")
