"""CSV as frames: Arrow parses a block at a time, and what it refuses is diagnosed record by record."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, cast

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from isal import isal_zlib
from pyarrow import csv as arrow_csv

from assets.staging.blocks import BLOCK_BYTES, Block, UnclosedQuote, cut, decompressed
from assets.staging.diagnose import problems_of
from assets.staging.frames import ARROW_TYPES, declared, fits, must_be_there
from assets.staging.reading import ENOUGH_PROBLEMS, Reading
from schemas.errors import Problem
from schemas.tables import Column, ColumnType

# Dates may have a midnight behind them, which Arrow takes only for a time.
_PARSED = {**ARROW_TYPES, ColumnType.DATE: ARROW_TYPES[ColumnType.TIMESTAMP]}
_UNREADABLE: tuple[type[Exception], ...] = (EOFError, OSError, cast(type[Exception], isal_zlib.IsalError))


def csv_frames(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the file's records in its own order, and note its problems in `reading`."""
    try:
        with reading.path.open("rb") as raw, decompressed(reading.path, raw) as text:
            reading.raw = raw
            blocks = cut(text.read)
            first = next(blocks, None)
            if first is None:
                reading.blame("the file is empty", "download it again")
                return
            header, rest = _header(first, reading)
            if not reading.problems:
                yield from _parsed(header, chain([rest], blocks), reading)
            # Only at its end does an archive show that it is damaged: then that is the problem, not what it spells.
            while reading.problems and text.read(BLOCK_BYTES):
                pass
    except UnclosedQuote as error:
        reading.blame(str(error), "close the quotation mark that was opened there", place=f"line {error.line}")
    except _UNREADABLE as error:
        # What a damaged archive decompresses to is noise: its own problems are beside the point.
        reading.problems[:] = [_unreadable(error, reading.where)]


def _unreadable(error: Exception, where: str) -> Problem:
    if isinstance(error, EOFError):
        return Problem(where, "the file breaks off: the download is incomplete", "download it again")
    if isinstance(error, OSError) and error.strerror:
        return Problem(where, f"it can't be read: {error.strerror.lower()}", "check its permissions and the disk")
    return Problem(where, f"the gzip file is damaged ({error})", "download it again")


@dataclass(frozen=True)
class _Header:
    """A file's columns, in its own order."""

    columns: tuple[Column | None, ...]
    """The declared column at each place; None for one that is passed over."""

    @property
    def names(self) -> list[str]:
        return [column.name if column else f"\0{place}" for place, column in enumerate(self.columns)]


def _header(block: Block, reading: Reading) -> tuple[_Header, Block]:
    """Match the first record with the declaration, and give back what follows it in the block."""
    stream = io.BytesIO(block.data)
    # The header may be quoted, even hold a line end: only a reader of CSV finds where it stops.
    rows = csv.reader((line.decode() for line in stream), strict=True)
    columns: tuple[Column | None, ...] = ()
    try:
        columns = reading.match(next(rows, []))
    except (csv.Error, UnicodeDecodeError):
        reading.blame("the header is not CSV in UTF-8", "save the file in UTF-8, or download it again", place="line 1")
    return _Header(columns), Block(block.data[stream.tell() :], block.line + rows.line_num, block.even)


def _parsed(header: _Header, blocks: Iterator[Block], reading: Reading) -> Iterator[pl.DataFrame]:
    """Parse blocks side by side and hand them on in order."""
    with ThreadPoolExecutor(reading.threads) as pool:
        waiting = deque[Future[pl.DataFrame | list[Problem]]]()
        for block in blocks:
            if block.data.strip(b"\r\n"):
                waiting.append(pool.submit(_parse, block, header, reading))
            if len(waiting) > reading.threads:
                yield from _taken(waiting.popleft(), reading)
            if reading.spent:
                break
        while waiting:
            yield from _taken(waiting.popleft(), reading)
    reading.cut_short()


def _taken(parsed: Future[pl.DataFrame | list[Problem]], reading: Reading) -> Iterator[pl.DataFrame]:
    result = parsed.result()
    if isinstance(result, list):
        reading.problems += result
    elif not reading.problems:
        yield result


def _parse(block: Block, header: _Header, reading: Reading) -> pl.DataFrame | list[Problem]:
    """One block as a frame, or what is wrong with it."""
    refusal = "a value doesn't have its column's type"
    for lenient in (False, True):
        if lenient or not block.even:
            found = problems_of(block, header.columns, must_be_there(reading.table), reading.where)
            if problems := list(islice(found, ENOUGH_PROBLEMS)):
                return problems
        try:
            frame = declared(_converted(block, header, lenient=lenient), reading.table)
        except (pa.ArrowInvalid, pl.exceptions.InvalidOperationError) as error:
            refusal = str(error).splitlines()[0]
            continue
        if fits(frame, reading.table):
            return frame
    return [Problem(f"{reading.where}, after line {block.line}", refusal, "download the file again")]


def _converted(block: Block, header: _Header, *, lenient: bool) -> pa.Table:
    """Parse a block into columns of their types, dates still as times.

    Args:
        block: Whole records.
        header: The file's columns.
        lenient: Read every column as text first. Slower, but a quoted nothing is then no number instead of a bad one.

    Raises:
        pyarrow.ArrowInvalid: A value doesn't have its type, or a record not as many fields as the header.
    """
    columns = [column for column in header.columns if column]
    types = {c.name: pa.string() if lenient else _PARSED[c.type] for c in columns}
    records = arrow_csv.read_csv(
        pa.BufferReader(block.data),  # type: ignore[arg-type]  # copies nothing, as a Python file would
        # Blocks are parsed side by side already: threads within one cost CPU and gain nothing.
        read_options=arrow_csv.ReadOptions(
            column_names=header.names, use_threads=False, block_size=len(block.data) + 1
        ),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    if not lenient:
        return records
    return pa.Table.from_arrays([_typed(records[c.name], c.type) for c in columns], [c.name for c in columns])


def _typed(text: Any, type_: ColumnType) -> Any:
    if type_ is ColumnType.TEXT:
        return text
    values = text.combine_chunks()
    return pc.if_else(pc.equal(values, pa.scalar("")), pa.scalar(None, pa.string()), values).cast(_PARSED[type_])
