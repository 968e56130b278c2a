"""A warehouse of a dozen invented patients, small enough to be worked through in Python."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from schemas.tables import TABLES

Row = tuple[Any, ...]

SUBJECTS = tuple(range(10_000_001, 10_000_013))
ITEMS = {50813: "Lactate", 50912: "Creatinine", 50971: "Potassium", 51006: "Urea Nitrogen"}
START = datetime.fromisoformat("2150-01-01")


def rows(seed: int = 0) -> dict[str, list[Row]]:
    """Every table's rows in their order, as Python values."""
    rng = Random(seed)
    records: dict[str, list[dict[str, Any]]] = {name: [] for name in ("patients", "admissions", "labevents")}
    for number, subject in enumerate(SUBJECTS):
        records["patients"].append(
            {
                "subject_id": subject,
                "gender": rng.choice("FM"),
                "anchor_age": rng.randint(20, 90),
                "anchor_year": 2150,
                "anchor_year_group": rng.choice(("2011 - 2013", "2014 - 2016")),
            }
        )
        for stay in range(rng.randint(1, 3)):
            hadm, admitted = 20_000_000 + 10 * number + stay, START + timedelta(days=40 * stay + number)
            records["admissions"].append(
                {
                    "subject_id": subject,
                    "hadm_id": hadm,
                    "admittime": admitted,
                    "dischtime": admitted + timedelta(days=rng.randint(1, 9)),
                    "admission_type": rng.choice(("URGENT", "ELECTIVE")),
                    "insurance": rng.choice(("Medicare", "Medicaid", None)),
                    "race": "OTHER",
                    "hospital_expire_flag": 0,
                }
            )
            for _ in range(rng.randint(0, 7)):
                value = round(rng.uniform(0.3, 9.0), 1) if rng.random() < 0.85 else None
                records["labevents"].append(
                    {
                        "labevent_id": len(records["labevents"]) + 1,
                        "subject_id": subject,
                        "hadm_id": hadm if rng.random() < 0.8 else None,
                        "specimen_id": rng.randint(1, 40),
                        "itemid": rng.choice(tuple(ITEMS)),
                        "charttime": admitted + timedelta(hours=rng.randint(0, 60)),
                        "value": None if value is None else str(value),
                        "valuenum": value,
                        "valueuom": rng.choice(("mmol/L", "mg/dL", None)),
                        "comments": rng.choice((None, "___", 'it\'s "fine"')),
                    }
                )
    records["d_labitems"] = [
        {"itemid": item, "label": label, "fluid": "Blood", "category": "Chemistry"} for item, label in ITEMS.items()
    ]
    return {name: _ordered(name, found) for name, found in records.items()}


def ordered(table: str, found: list[Row]) -> list[Row]:
    """Rows of a table in its total order, NULLs last."""
    places = [TABLES[table].names.index(name) for name in TABLES[table].order]
    return sorted(found, key=lambda row: tuple((row[i] is None, _bytes(row[i])) for i in places))


def build(folder: Path, seed: int = 0) -> Path:
    """Write the warehouse as parquet."""
    for name, found in rows(seed).items():
        write(folder, name, found)
    return folder


def write(folder: Path, name: str, found: list[Row], part: str = "") -> None:
    """Write one table, or one part of it."""
    table = TABLES[name]
    file = folder / f"{table.path}.parquet" / part if part else folder / f"{table.path}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    types = ", ".join(f'"{column.name}" {column.type.duckdb}' for column in table.columns)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({types})")
        if found:
            connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(table.columns))})", found)
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")


def _ordered(name: str, records: list[dict[str, Any]]) -> list[Row]:
    return ordered(name, [tuple(record.get(column) for column in TABLES[name].names) for record in records])


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else (0 if value is None else value)
