"""The MIMIC-IV demo as a warehouse, made by the engine alone: what these tests need of staging, without it."""

from __future__ import annotations

from pathlib import Path

import duckdb

from schemas.tables import TABLES


def build(demo: Path, folder: Path) -> Path:
    """Write every table of the demo that is there as parquet, in its total order."""
    with duckdb.connect(config={"threads": 2}) as connection:
        for table in TABLES.values():
            source, file = demo / f"{table.path}.csv.gz", folder / f"{table.path}.parquet"
            if not source.is_file():
                continue
            read = f"read_csv('{source}', all_varchar = true)"
            there = {name for name, *_ in connection.execute(f"SELECT * FROM {read} LIMIT 0").description or ()}
            cells = ", ".join(
                f"CAST({f'{column.name}' if column.name in there else 'NULL'} AS {column.type.duckdb}) AS {column.name}"
                for column in table.columns
            )
            order = ", ".join(f"{name} NULLS LAST" for name in table.order)
            file.parent.mkdir(parents=True, exist_ok=True)
            connection.execute(f"COPY (SELECT {cells} FROM {read} ORDER BY {order}) TO '{file}' (FORMAT parquet)")
    return folder
