"""The one writer of staged parquet: equal records give equal bytes, however they were cut up before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assets.staging.frames import ARROW_TYPES
from schemas.tables import ColumnType, Table

ROW_GROUP_ROWS = 122_880
"""DuckDB's own: a scan shares out whole row groups, and a patient's records lie in one or two of them."""


class TableWriter:
    """Writes sorted records as parquet, in row groups of a fixed size, and takes the fingerprint of what it writes."""

    def __init__(self, table: Table, sink: BinaryIO) -> None:
        self.rows = 0
        self._schema = pa.schema([(c.name, ARROW_TYPES[c.type]) for c in table.columns])
        self._waiting: list[pl.DataFrame] = []
        self._waiting_rows = 0
        self._digest = hashlib.sha256(f"{table.name}: {self._schema}".encode())
        repeating = (ColumnType.TEXT, ColumnType.DOUBLE)
        self._parquet = pq.ParquetWriter(
            sink,
            self._schema,
            compression="zstd",
            compression_level=1,
            # Ids and times climb by small steps; text and results repeat.
            use_dictionary=[c.name for c in table.columns if c.type in repeating],  # type: ignore[arg-type]
            column_encoding={c.name: "DELTA_BINARY_PACKED" for c in table.columns if c.type not in repeating},
            store_schema=False,
        )

    def write(self, frame: pl.DataFrame) -> None:
        """Append records; full row groups are written, the rest waits for more."""
        self.rows += frame.height
        self._waiting.append(frame)
        self._waiting_rows += frame.height
        if self._waiting_rows >= ROW_GROUP_ROWS:
            self._flush(self._waiting_rows - self._waiting_rows % ROW_GROUP_ROWS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Also after an error: a writer that outlives its file complains when it is collected.
        self._parquet.close()

    def finish(self) -> str:
        """Write what is left, and give the fingerprint: SHA-256 of types and values, in hexadecimal."""
        if self._waiting_rows:
            self._flush(self._waiting_rows)
        return self._digest.hexdigest()

    def _flush(self, rows: int) -> None:
        waiting = pl.concat(self._waiting, rechunk=True) if len(self._waiting) > 1 else self._waiting[0]
        for start in range(0, rows, ROW_GROUP_ROWS):
            records = waiting[start : min(start + ROW_GROUP_ROWS, rows)].to_arrow(compat_level=pl.CompatLevel.oldest())
            # In one chunk: where chunks end decides where pages end.
            group = records.cast(self._schema).combine_chunks()
            self._parquet.write_table(group, row_group_size=ROW_GROUP_ROWS)
            for column in group.columns:
                for part in content(column.chunk(0)):
                    self._digest.update(part)
        self._waiting = [waiting[rows:]]
        self._waiting_rows -= rows


def content(values: Any) -> Iterator[bytes | memoryview]:
    r"""The values' bytes: which are NULL, then lengths and text, or numbers with zero for NULL.

    Arrow's own buffers won't do: what they hold under a NULL is anything.

    Args:
        values: A `pyarrow.Array`; its stubs don't know the half of what it does.

    Examples:
        >>> [bytes(part) for part in content(pa.array(["ab", None]))]
        [b'@', b'\x02\x00\x00\x00\x00\x00\x00\x00', b'ab']
    """
    text = pa.types.is_string(values.type)
    if not text:
        values = values.view({32: pa.int32(), 64: pa.int64()}[values.type.bit_width])
    if values.null_count:
        yield np.packbits(values.is_null().to_numpy(zero_copy_only=False)).tobytes()
        values = values.fill_null("" if text else 0)
    else:
        yield b"all"
    first, last = values.offset, values.offset + len(values)
    if text:
        _, ends, characters = values.buffers()
        bounds = np.frombuffer(ends, dtype=np.int32)[first : last + 1]
        yield np.diff(bounds).tobytes()
        if characters is not None:
            yield memoryview(characters)[bounds[0] : bounds[-1]]
    else:
        width = values.type.bit_width // 8
        yield memoryview(values.buffers()[1])[first * width : last * width]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes `path`'s place when the block ends well, and leaves no trace when it doesn't."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as sink:
            yield sink
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
