"""A small synthetic hospital as DuckDB views, made once for the modules that test it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import duckdb

from assets.synthetic import write_hospital
from schemas.tables import TABLES

PATIENTS = 2_500
SEED = 20


@cache
def hospital() -> duckdb.DuckDBPyConnection:
    """The 31 tables of a hospital of 2,500 patients."""
    folder = Path(tempfile.mkdtemp(prefix="synthetic-hospital-")) / "hospital"
    write_hospital(folder, PATIENTS, SEED, format="parquet", workers=2)
    connection = duckdb.connect()
    for table in TABLES.values():
        connection.execute(f"CREATE TABLE {table.name} AS FROM '{folder / table.path}.parquet'")
    return connection


def value(query: str) -> float:
    """The single number a query returns."""
    [(found,)] = hospital().sql(query).fetchall()
    return float(found)


def count(query: str) -> int:
    """How many rows a query returns."""
    return int(value(f"SELECT count(*) FROM ({query})"))
