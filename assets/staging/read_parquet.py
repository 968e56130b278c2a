"""Parquet as frames: every column cast to its declared type exactly, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets.staging.frames import ARROW_TYPES, declared, fits, must_be_there
from assets.staging.reading import ENOUGH_PROBLEMS, Reading
from schemas.tables import Column, ColumnType

_BATCH_ROWS = 1 << 16


def parquet_frames(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the file's records in its own order, and note its problems in `reading`."""
    if reading.path.stat().st_size == 0:
        reading.blame("the file is empty", "download it again")
        return
    try:
        with reading.path.open("rb") as raw, pq.ParquetFile(raw) as file:
            reading.raw = raw
            columns = reading.match(file.schema_arrow.names)
            given = {column.name: field for column, field in zip(columns, file.schema_arrow, strict=True) if column}
            for name, field in given.items():
                if fault := _unfit(field.type, reading.table[name].type):
                    reading.blame(*fault, place=f"column {name}")
            if reading.problems:
                return
            position = 0
            for batch in file.iter_batches(_BATCH_ROWS, columns=[field.name for field in given.values()]):
                frame = _cast(batch, given, position, reading)
                position += batch.num_rows
                if frame is not None and not reading.problems:
                    yield frame
                if reading.spent:
                    break
            reading.cut_short()
    except (pa.ArrowException, OSError) as error:
        reading.problems[:] = []
        reading.blame(f"it is not a readable parquet file ({str(error).splitlines()[0]})", "download it again")


def _unfit(given: pa.DataType, declared_type: ColumnType) -> tuple[str, str] | None:
    """Why no value of a column of this type can be trusted, and what to do about it; None if they can be."""
    if pa.types.is_dictionary(given):
        given = given.value_type
    if pa.types.is_null(given):
        return None
    text = pa.types.is_string(given) or pa.types.is_large_string(given) or pa.types.is_string_view(given)
    number = pa.types.is_integer(given) or pa.types.is_floating(given) or pa.types.is_decimal(given)
    time = pa.types.is_timestamp(given) or pa.types.is_date(given)
    if declared_type is ColumnType.TEXT:
        if text:
            return None
        lost = " and leading zeros are lost" if number else ""
        return f"it is {given}, where text is declared{lost}", "write the column as text"
    if declared_type in (ColumnType.INTEGER, ColumnType.DOUBLE):
        if pa.types.is_float16(given) or pa.types.is_float32(given):
            return f"it is {given}, which has lost digits", "write the column as 64-bit numbers"
        return (
            None if number else (f"it is {given}, where a number is declared", f"write the column as {declared_type}")
        )
    if pa.types.is_timestamp(given) and given.tz is not None:
        return f"it is {given}, and MIMIC-IV's times have no zone", "write the column as times without a zone"
    return None if time else (f"it is {given}, where a time is declared", f"write the column as {declared_type}")


def _cast(
    batch: pa.RecordBatch, given: dict[str, pa.Field[Any]], position: int, reading: Reading
) -> pl.DataFrame | None:
    """The batch in the declared types; None if a value doesn't fit, which is then noted with its row, from 1."""
    arrays: dict[str, pa.Array[Any]] = {}
    for name, field in given.items():
        values, column = batch[field.name], reading.table[name]
        try:
            arrays[name] = _exactly(values, column)
        except pa.ArrowInvalid:
            row = _first_misfit(values, column)
            what = f"`{values[row].as_py()}` is not {_EXPECTED[column.type]}"
            reading.blame(what, "correct the value", place=f"row {position + row + 1}, column {name}")
    if len(arrays) < len(given):
        return None
    frame = declared(pa.table(arrays), reading.table)
    if not frame.is_empty() and not fits(frame, reading.table):
        for name in sorted(must_be_there(reading.table)):
            for row in frame[name].is_null().arg_true().head(ENOUGH_PROBLEMS):
                what = "the value is missing, and a record is nothing without it"
                reading.blame(what, "complete the record", place=f"row {position + row + 1}, column {name}")
    return frame


_EXPECTED = {
    ColumnType.INTEGER: "a 32-bit whole number",
    ColumnType.DOUBLE: "a finite number",
    ColumnType.TEXT: "text",
    ColumnType.TIMESTAMP: "a time to the microsecond",
    ColumnType.DATE: "a date without a time of day",
}


def _exactly(values: pa.Array[Any], column: Column) -> pa.Array[Any]:
    """The values in the column's type.

    Raises:
        pyarrow.ArrowInvalid: One of them can't be said in it.
    """
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    exact = values
    if pa.types.is_timestamp(values.type):
        exact = exact.cast(ARROW_TYPES[ColumnType.TIMESTAMP])
        if column.type is ColumnType.DATE:
            times, exact = exact, exact.cast(pa.date32())
            if pc.all(pc.equal(exact.cast(times.type), times)).as_py() is False:
                raise pa.ArrowInvalid("a date has a time of day")
    exact = exact.cast(ARROW_TYPES[column.type])
    if column.type is ColumnType.DOUBLE and pc.all(pc.is_finite(exact)).as_py() is False:
        raise pa.ArrowInvalid("a number is not finite")
    if pa.types.is_integer(values.type) and column.type is ColumnType.DOUBLE:
        exact.cast(values.type)  # whole numbers beyond 2^53 would change
    return exact


def _first_misfit(values: pa.Array[Any], column: Column) -> int:
    """Row of the first value that can't be said in the column's type, found by halving."""
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            _exactly(values[low:middle], column)
        except pa.ArrowInvalid:
            high = middle
        else:
            low = middle
    return low
