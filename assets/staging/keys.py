"""Counts of keys that occur twice and of references that lead nowhere: reported, for the real database has them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl

from schemas.tables import TABLES, Table


class KeyCount:
    """Counts records whose key another record of the same patient has, piece by piece.

    A key that must be unique (patients, admissions, icustays) is compared over all patients.
    """

    def __init__(self, table: Table) -> None:
        self.duplicates = 0
        self._table = table
        self._columns = list(table.key if table.unique else dict.fromkeys((table.sort[0], *table.key)))
        self._seen: list[pl.DataFrame] = []

    def add(self, piece: pl.DataFrame) -> None:
        """Count a piece that holds all records of its patients."""
        keys = piece.select(self._columns)
        if self._table.unique:
            self._seen.append(keys)
        elif not any(keys[name].n_unique() == keys.height for name in self._table.key):
            # One column that repeats nothing settles most tables, and costs a tenth of looking at all of them.
            self.duplicates += keys.height - keys.n_unique()

    def repeated(self) -> pl.DataFrame:
        """Keys of a table where they must be unique that occur more than once: the key's columns and `records`."""
        if not self._seen:
            return pl.DataFrame()
        keys = pl.concat(self._seen).group_by(self._columns).len("records")
        return keys.filter(pl.col("records") > 1).sort(self._columns)


def references(table: Table, warehouse: Path) -> tuple[str, ...]:
    """Names of the staged tables that `table` refers to."""
    names = dict.fromkeys(key.table for key in table.foreign_keys)
    return tuple(name for name in names if staged_path(TABLES[name], warehouse).exists())


def staged_path(table: Table, warehouse: Path) -> Path:
    """Where the warehouse keeps a table."""
    return warehouse / f"{table.path}.parquet"


def count_orphans(table: Table, warehouse: Path, *, memory_limit: str, threads: int, scratch: Path) -> dict[str, int]:
    """Count, for each foreign key whose target is staged, the records that name a record which isn't there.

    Returns:
        Foreign key as `hadm_id -> admissions`, and its number of orphans. NULL refers to nothing and is no orphan.
    """
    counts: dict[str, int] = {}
    targets = references(table, warehouse)
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "threads": threads,
        "temp_directory": str(scratch),
        "autoinstall_known_extensions": False,
    }
    with duckdb.connect(config=config) as con:
        for key in table.foreign_keys:
            if key.table not in targets:
                continue
            match = " AND ".join(f't."{a}" = r."{b}"' for a, b in zip(key.columns, key.references, strict=True))
            known = " AND ".join(f't."{a}" IS NOT NULL' for a in key.columns)
            [(orphans,)] = con.execute(
                f"SELECT count(*) FROM read_parquet(?) AS t ANTI JOIN read_parquet(?) AS r ON {match} WHERE {known}",
                [str(staged_path(table, warehouse)), str(staged_path(TABLES[key.table], warehouse))],
            ).fetchall()
            counts[f"{', '.join(key.columns)} -> {key.table}"] = orphans
    return counts
