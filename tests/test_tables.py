"""The declaration of MIMIC-IV's 31 tables, against itself and against the real demo."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from schemas.tables import TABLES, ColumnType, Table
from schemas.tables.hosp import HOSP
from schemas.tables.icu import ICU

SWEEP = pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)


def test_all_tables_are_declared() -> None:
    assert len(HOSP) == 22
    assert len(ICU) == 9
    assert len(TABLES) == 31
    assert {table.name for table in TABLES.values() if table.unique} == {"patients", "admissions", "icustays"}
    assert {table.name for table in TABLES.values() if table.indispensable} == {"patients", "admissions"}


@SWEEP
def test_a_table_names_only_what_exists(table: Table) -> None:
    assert len(set(table.names)) == len(table.names)
    assert len({name.lower() for name in table.names}) == len(table.names), "staging matches names in any case"
    assert set(table.key) | set(table.sort) <= set(table.names)
    assert table.key
    assert table.sort
    assert sorted(table.order) == sorted(table.names)
    assert table.sort[0] == ("subject_id" if table.patient else table.key[0])
    assert table.source.endswith(f"/{table.module}/{table.name}/")
    for key in table.foreign_keys:
        other = TABLES[key.table]
        assert set(key.columns) <= set(table.names)
        assert set(key.references) <= set(other.names)
        assert len(key.columns) == len(key.references)
        for mine, theirs in zip(key.columns, key.references, strict=True):
            assert table[mine].type is other[theirs].type


@SWEEP
def test_a_table_comes_after_those_it_refers_to(table: Table) -> None:
    names = list(TABLES)
    assert all(names.index(key.table) < names.index(table.name) for key in table.foreign_keys)


@SWEEP
def test_every_column_says_what_it_means(table: Table) -> None:
    for text in (table.meaning, *(column.meaning for column in table.columns)):
        assert text
        assert "\n" not in text
        assert not text.endswith(".")


def test_codes_and_doses_are_text() -> None:
    for column in ("icd_code", "ndc", "gsn", "drg_code", "hcpcs_cd", "poe_id", "emar_id", "dose_val_rx", "dose_given"):
        tables = [table for table in TABLES.values() if column in table]
        assert tables
        assert all(table[column].type is ColumnType.TEXT for table in tables)


@SWEEP
def test_the_demo_has_these_columns_and_its_values_have_these_types(table: Table, demo: Path) -> None:
    path = demo / f"{table.path}.csv.gz"
    if not path.exists():
        pytest.skip(f"the demo at hand lacks {table.path}")
    read = f"read_csv('{path}', all_varchar=true, header=true, delim=',', quote='\"', escape='\"')"
    with duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": "false"}) as con:
        assert tuple(row[0] for row in con.execute(f"DESCRIBE FROM {read}").fetchall()) == table.names
        checks = ", ".join(
            f'count("{c.name}") - count(try_cast("{c.name}" AS {c.type.duckdb})), count(*) - count("{c.name}")'
            for c in table.columns
        )
        [counts] = con.execute(f"SELECT {checks} FROM {read}").fetchall()
    for column, wrong, missing in zip(table.columns, counts[::2], counts[1::2], strict=True):
        assert wrong == 0, f"{table.name}.{column.name} is not always {column.type}"
        assert not (column.required and missing), f"{table.name}.{column.name} is NULL {missing} times"
