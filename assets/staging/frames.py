"""Declared types in Arrow and Polars, and what must hold of a frame beyond its types."""

from __future__ import annotations

from datetime import time

import polars as pl
import pyarrow as pa

from schemas.tables import Column, ColumnType, Table

ARROW_TYPES: dict[ColumnType, pa.DataType] = {
    ColumnType.INTEGER: pa.int32(),
    ColumnType.DOUBLE: pa.float64(),
    ColumnType.TEXT: pa.string(),
    ColumnType.TIMESTAMP: pa.timestamp("us"),
    ColumnType.DATE: pa.date32(),
}
"""Types as Arrow and the staged parquet spell them."""

_POLARS_TYPES: dict[ColumnType, pl.DataType] = {
    ColumnType.INTEGER: pl.Int32(),
    ColumnType.DOUBLE: pl.Float64(),
    ColumnType.TEXT: pl.String(),
    ColumnType.TIMESTAMP: pl.Datetime("us"),
    ColumnType.DATE: pl.Date(),
}


def declared(records: pa.Table, table: Table) -> pl.DataFrame:
    """The records as a frame in the declared order and types.

    Minus zero becomes zero, so that equal records have equal bytes.

    Args:
        records: The declared columns, in any order; dates may come as times at midnight.
        table: The declaration.

    Raises:
        pyarrow.ArrowInvalid: A date has a time of day.
    """
    frame = pl.DataFrame(records)
    dates = [c.name for c in table.columns if c.type is ColumnType.DATE and frame.schema[c.name] != pl.Date]
    if dates and not frame.select(pl.all_horizontal((pl.col(dates).dt.time() == time()).all())).item():
        raise pa.ArrowInvalid("a date has a time of day")
    return frame.select(_exact(column) for column in table.columns)


def _exact(column: Column) -> pl.Expr:
    values = pl.col(column.name).cast(_POLARS_TYPES[column.type])
    return values + 0.0 if column.type is ColumnType.DOUBLE else values


def must_be_there(table: Table) -> frozenset[str]:
    """Columns without which a record is nothing: what it is sorted by first, and a key that must be unique."""
    return frozenset((table.sort[0], *(table.key if table.unique else ())))


def fits(frame: pl.DataFrame, table: Table) -> bool:
    """Whether what a type alone doesn't say holds: numbers are finite, and no record is without its key."""
    doubles = [c.name for c in table.columns if c.type is ColumnType.DOUBLE]
    tests = [pl.col(name).is_finite().all() for name in doubles]
    tests += [pl.col(name).is_not_null().all() for name in sorted(must_be_there(table))]
    return bool(frame.select(pl.all_horizontal(tests)).item())
