"""A table's records in its total order, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from schemas.tables import Table

_BATCH_ROWS = 1 << 14


class NotGrouped(Exception):
    """A record came after records that are to follow it, in a table too large to sort in one go."""


def in_order(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Sort by `table.order`, NULLs last.

    Sorting by all of a table's columns costs twice what sorting by its first ones costs, and nearly always those
    decide. So the leading columns up to the key are sorted by, and only records they leave tied by the rest.

    Examples:
        >>> from schemas.tables import TABLES
        >>> frame = pl.DataFrame({"provider_id": ["P3", None, "P1"]})
        >>> in_order(frame, TABLES["provider"])["provider_id"].to_list()
        ['P1', 'P3', None]
    """
    leading = _leading(table)
    ordered = frame.sort(leading, nulls_last=True)
    same = ordered.select(
        pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift(1)) for name in leading)
        & (pl.int_range(pl.len()) > 0)
    ).to_series()
    if not same.any() or len(leading) == len(table.order):
        return ordered
    tied = (same | same.shift(-1, fill_value=False)).arg_true()
    places = pl.int_range(ordered.height, dtype=pl.UInt32, eager=True)
    decided = ordered[tied].with_columns(tied.alias("\0place")).sort(table.order, nulls_last=True)["\0place"]
    return ordered[places.scatter(tied, decided.cast(pl.UInt32))]


def _leading(table: Table) -> list[str]:
    """The first columns of the order, as far as they hold the key: few records are equal in all of them."""
    return list(table.order[: 1 + max(table.order.index(name) for name in table.key)])


def grouped_pieces(frames: Iterator[pl.DataFrame], table: Table, piece_bytes: int) -> Iterator[pl.DataFrame]:
    """Sort a table that fits into one piece, or whose patients follow each other already, as in MIMIC-IV's own files.

    Every piece holds all records of its patients. A table without patients goes by its first sort column.

    Args:
        frames: The records in the file's order.
        table: The declaration.
        piece_bytes: How large a piece may get, about, in bytes of memory.

    Raises:
        NotGrouped: The table is neither. Start again with `merged_pieces`.
    """
    by = table.sort[0]
    held: pl.DataFrame | None = None
    gathered = _gathered(frames, piece_bytes)
    for piece, last in _with_last(gathered):
        if held is None and last:
            yield in_order(piece, table)
            return
        piece = piece if held is None else pl.concat([held, piece])
        if not piece[by].is_sorted():
            raise NotGrouped
        # More records of the last patient may follow.
        end = piece[by].search_sorted(piece[by][-1], side="left")
        held = piece[end:]
        if end:
            yield in_order(piece[:end], table)
    if held is not None:
        yield in_order(held, table)


def merged_pieces(
    frames: Iterator[pl.DataFrame], table: Table, piece_bytes: int, scratch: Path
) -> Iterator[pl.DataFrame]:
    """Sort a table of any size in any order: write sorted runs, then merge them, a range of patients at a time.

    Args:
        frames: The records in the file's order.
        table: The declaration.
        piece_bytes: How large a piece may get, about, in bytes of memory.
        scratch: An existing directory for the runs; the caller removes it.
    """
    by = table.sort[0]
    runs, counts, size = list[_Run](), list[pl.DataFrame](), 0
    for number, piece in enumerate(_gathered(frames, piece_bytes)):
        size += int(piece.estimated_size())
        run = piece.sort(by)
        runs.append(_Run.write(run, by, scratch / f"{number}.arrow"))
        counts = [pl.concat([*counts, run.group_by(by).len()]).group_by(by).agg(pl.col("len").sum())]
    if not runs:
        return
    [rows] = counts
    piece_rows = max(1, piece_bytes * int(rows["len"].sum()) // max(size, 1))
    ranges = (
        rows.sort(by)
        .group_by(pl.col("len").cum_sum() // piece_rows, maintain_order=True)
        .agg(pl.col(by).first().alias("low"), pl.col(by).last().alias("high"))
    )
    for low, high in ranges.select("low", "high").iter_rows():
        yield in_order(pl.concat([run.between(low, high) for run in runs]), table)


@dataclass(frozen=True)
class _Run:
    """A part of a table on disk, sorted by one column, in batches whose first and last values are known."""

    path: Path
    by: str
    bounds: tuple[tuple[Any, Any], ...]
    """The column's first and last value in each batch."""
    empty: pl.DataFrame

    @classmethod
    def write(cls, run: pl.DataFrame, by: str, path: Path) -> _Run:
        records = run.to_arrow(compat_level=pl.CompatLevel.oldest())
        with pa.OSFile(str(path), "wb") as sink:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            with pa.ipc.new_file(sink, records.schema, options=options) as writer:
                writer.write_table(records.combine_chunks(), max_chunksize=_BATCH_ROWS)
        last = run.height - 1
        starts = range(0, run.height, _BATCH_ROWS)
        bounds = tuple((run[by][at], run[by][min(at + _BATCH_ROWS - 1, last)]) for at in starts)
        return cls(path, by, bounds, run.clear())

    def between(self, low: Any, high: Any) -> pl.DataFrame:
        """The run's records from `low` to `high`, both included."""
        wanted = [at for at, (first, last) in enumerate(self.bounds) if last >= low and first <= high]
        if not wanted:
            return self.empty
        with pa.memory_map(str(self.path)) as source, pa.ipc.open_file(source) as reader:
            batches = pa.Table.from_batches([reader.get_batch(at) for at in wanted])
            return pl.DataFrame(batches).filter(pl.col(self.by).is_between(low, high))


def _gathered(frames: Iterator[pl.DataFrame], piece_bytes: int) -> Iterator[pl.DataFrame]:
    """Frames joined until they are large enough for a piece."""
    waiting, size = list[pl.DataFrame](), 0
    for frame in frames:
        waiting.append(frame)
        size += int(frame.estimated_size())
        if size >= piece_bytes:
            yield pl.concat(waiting, rechunk=True)
            waiting, size = [], 0
    if waiting:
        yield pl.concat(waiting, rechunk=True)


def _with_last(pieces: Iterator[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, bool]]:
    """Each piece, and whether it is the last one."""
    waiting = next(pieces, None)
    while waiting is not None:
        following = next(pieces, None)
        yield waiting, following is None
        waiting = following
