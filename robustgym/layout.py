"""How a release lies on disk: its files, the columns of its two tables, and a task or gold row as one of their rows.

Writer and reader share this module, so that they cannot disagree. What nests is JSON text with sorted keys: any engine
reads it, and equal values are equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from robustgym.gold import canonical
from schemas.pairs import GoldRow, Split, Task

Row = TypeVar("Row", Task, GoldRow)

MANIFEST = "manifest.json"
CHECKSUMS = "SHA256SUMS.txt"
CANARY_KEY = "canary"
"""Key of the canary in the metadata of every parquet file."""

_JSON = frozenset({"answer", "parameters", "gold", "records", "overlay", "worlds"})
"""Columns that hold JSON text."""

_TEXTS = pa.list_(pa.field("element", pa.string(), nullable=False))
_IDS = pa.list_(pa.field("element", pa.int64(), nullable=False))
_TYPES = {"schema_evidence": _TEXTS, "tables": _TEXTS, "subject_ids": _IDS, "bites": pa.bool_()}


def _schema(model: type[BaseModel]) -> pa.Schema:
    return pa.schema([pa.field(name, _TYPES.get(name, pa.string()), nullable=False) for name in model.model_fields])


SCHEMAS: dict[type[BaseModel], pa.Schema] = {Task: _schema(Task), GoldRow: _schema(GoldRow)}
"""Arrow schema of `tasks` and `gold`. Nothing is NULL: a gold answer that abstains is the JSON text `null`."""


def path_of(model: type[BaseModel], split: Split) -> str:
    """Where the rows of a split lie, relative to the release.

    >>> path_of(Task, Split.TEST), path_of(GoldRow, Split.TRAIN)
    ('tasks/test/tasks.parquet', 'gold/train/gold.parquet')
    """
    name = "tasks" if model is Task else "gold"
    return f"{name}/{split}/{name}.parquet"


def encode(row: BaseModel) -> dict[str, Any]:
    """A task or gold row as a row of its table."""
    cells = row.model_dump(mode="json")
    return {name: canonical(cell) if name in _JSON else cell for name, cell in cells.items()}


def decode(model: type[Row], cells: Mapping[str, Any]) -> Row:
    """A row of a table as a task or gold row.

    Raises:
        ValueError: A cell is not JSON, or the row does not fit the model (pydantic's ValidationError is one).
    """
    return model.model_validate({name: json.loads(v) if name in _JSON else v for name, v in cells.items()})


def write_rows(model: type[Row], rows: Sequence[Row], path: Path, canary: str) -> None:
    """Write rows as parquet, the same bytes for the same rows.

    No column statistics are written: the smallest and largest value of a column would say something about rows that a
    reader has not opened.
    """
    schema = SCHEMAS[model].with_metadata({CANARY_KEY: canary})
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_pylist([encode(row) for row in rows], schema=schema),
        path,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=9,
        row_group_size=4096,
        use_dictionary=True,
        write_statistics=False,
    )


def read_rows(model: type[Row], path: Path) -> tuple[Row, ...]:
    """The rows of a parquet file that `write_rows` wrote.

    Raises:
        OSError, pa.ArrowException: The file is missing or not parquet.
        ValueError: Its columns or a row are not the model's.
    """
    with path.open("rb") as file:
        table = pq.read_table(file)
    if not table.schema.equals(SCHEMAS[model]):
        raise ValueError(f"the columns are {', '.join(table.schema.names)}")
    return tuple(decode(model, cells) for cells in table.to_pylist())
