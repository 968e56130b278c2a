"""A table's records in its total order, in pieces that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from schemas.tables import Table

_BATCH_ROWS = 1 << 14
_SLICE_ROWS = 1 << 18


class NotGrouped(Exception):
    """A record came after records of later patients that have been handed on already."""


@dataclass(frozen=True)
class Sizes:
    """How much of a table to hold at once, in bytes of memory. A piece is there up to five times while it is sorted."""

    piece: int
    """What is sorted at a time where order allows: fastest while not far larger than the processor's cache."""
    run: int
    """What is sorted at a time otherwise."""


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


def ordered_pieces(
    frames: Iterator[pl.DataFrame], table: Table, sizes: Sizes, scratch: Path, *, merge: bool = False
) -> Iterator[pl.DataFrame]:
    """Sort a table of any size, in pieces that each hold all records of their patients.

    A table whose patients follow each other already, as in MIMIC-IV's own files, is sorted as it is read, and one that
    fits into memory at once. Any other is first written as sorted runs, then merged, a range of patients at a time. A
    table without patients goes by its first sort column.

    Args:
        frames: The records in the file's order.
        table: The declaration.
        sizes: How much to hold in memory.
        scratch: An existing directory for the runs; the caller empties it.
        merge: Write runs whatever the beginning looks like.

    Raises:
        NotGrouped: The beginning is grouped by patient, but not all of it. Start again with `merge`.
    """
    pieces = _gathered(frames, sizes.piece)
    piece, more = next(pieces, (None, False))
    if piece is None:
        return
    everything = chain([piece], (piece for piece, _ in pieces))
    if more and piece[table.sort[0]].is_sorted() and not merge:
        yield from _grouped(everything, table)
        return
    runs = _gathered(everything, sizes.run)
    run, more = next(runs)
    if more:
        yield from _merged(chain([run], (run for run, _ in runs)), table, sizes, scratch)
    else:
        yield from _sorted(run, table)


def _sorted(records: pl.DataFrame, table: Table) -> Iterator[pl.DataFrame]:
    """Sort by patient alone, then within slices of whole patients: half the time of sorting by everything at once."""
    return _grouped(records.rechunk().sort(table.sort[0]).iter_slices(_SLICE_ROWS), table)


def _grouped(pieces: Iterator[pl.DataFrame], table: Table) -> Iterator[pl.DataFrame]:
    by = table.sort[0]
    held: pl.DataFrame | None = None
    for gathered in pieces:
        piece = (gathered if held is None else pl.concat([held, gathered])).rechunk()
        if not piece[by].is_sorted():
            raise NotGrouped
        # More records of the last patient may follow.
        end = piece[by].search_sorted(piece[by][-1], side="left")
        held = piece[end:]
        if end:
            yield in_order(piece[:end], table)
    if held is not None:
        yield in_order(held, table)


def _merged(pieces: Iterator[pl.DataFrame], table: Table, sizes: Sizes, scratch: Path) -> Iterator[pl.DataFrame]:
    by = table.sort[0]
    runs, size, rows = list[_Run](), 0, pl.DataFrame()
    for number, piece in enumerate(pieces):
        size += int(piece.estimated_size())
        runs.append(_Run.write(piece.rechunk().sort(by), by, scratch / f"{number}.arrow"))
        rows = pl.concat([rows, piece.group_by(by).len()], how="diagonal").group_by(by).agg(pl.col("len").sum())
    piece_rows = max(1, sizes.run * int(rows["len"].sum()) // max(size, 1))
    ranges = (
        rows.sort(by)
        .group_by(pl.col("len").cum_sum() // piece_rows, maintain_order=True)
        .agg(pl.col(by).first().alias("low"), pl.col(by).last().alias("high"))
    )
    for low, high in ranges.select("low", "high").iter_rows():
        yield from _sorted(pl.concat([run.between(low, high) for run in runs]), table)


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


def _gathered(frames: Iterator[pl.DataFrame], piece_bytes: int) -> Iterator[tuple[pl.DataFrame, bool]]:
    """Frames joined until they are large enough for a piece, and whether more follow."""
    waiting, size = list[pl.DataFrame](), 0
    for frame in frames:
        if size >= piece_bytes:
            yield pl.concat(waiting), True
            waiting, size = [], 0
        waiting.append(frame)
        size += int(frame.estimated_size())
    if waiting:
        yield pl.concat(waiting), False
