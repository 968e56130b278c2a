"""Results for a program instead of a reader: whole, typed, and refused where they are too large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 100_000
"""Rows of a data frame."""
BYTES = 64 << 20
"""Bytes of a data frame, as Arrow counts them."""

_BATCH = 10_000
_TOO_LARGE = (
    "The result is larger than {}. Aggregate, select fewer columns, or narrow it by subject_id, itemid or time."
)


def frame(cursor: duckdb.DuckDBPyConnection, sql: str) -> pa.Table | str:
    """A statement's whole result, or an error that says what to do.

    Args:
        cursor: The connection to run it on.
        sql: A statement that the guard has let through.

    Raises:
        duckdb.Error: The statement is wrong, or was stopped.
    """
    import pyarrow as pa

    batches, rows, size = [], 0, 0
    reader = None
    try:
        reader = cursor.sql(sql).to_arrow_reader(_BATCH)
        schema = reader.schema
        for batch in reader:
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows > ROWS:
                return _TOO_LARGE.format(f"{ROWS:,} rows")
            if size > BYTES:
                return _TOO_LARGE.format(f"{BYTES >> 20} MB")
            batches.append(batch)
    except (pa.ArrowException, OSError) as error:
        raise _of_the_engine(str(error)) from None
    finally:
        # Results are streamed: what is not fetched is not computed, but must be given up.
        if reader is not None:
            reader.close()
        del reader
        cursor.abort()
    for field in schema:
        if isinstance(field.type, pa.BaseExtensionType) or pa.types.is_union(field.type):
            return f"A data frame can't hold the type of column {field.name[:64]!r}; cast it to VARCHAR."
    table = pa.Table.from_batches(batches, schema)
    columns = [_narrowed(table.column(i)) for i in range(table.num_columns)]
    return pa.table(columns, names=_distinct(table.column_names))


def _of_the_engine(said: str) -> duckdb.Error:
    """The engine's error, as Arrow's stream hands it on; or Arrow's own, of a type it does not know.

    >>> _of_the_engine("Out of Memory Error: Allocation failure")
    OutOfMemoryException('Out of Memory Error: Allocation failure')
    """
    if "Out of Memory" in said:
        return duckdb.OutOfMemoryException(said)
    if "INTERRUPT" in said:
        return duckdb.InterruptException(said)
    if "Error: " not in said:
        return duckdb.Error(f"A data frame can't hold the result ({said}); cast it to VARCHAR.")
    return duckdb.Error(said.removeprefix("Invalid Input Error: "))


def names(tables: Iterable[str]) -> pa.Table:
    """The answer to SHOW TABLES."""
    import pyarrow as pa

    return pa.table({"name": sorted(tables)})


def _narrowed(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Sums of whole numbers as whole numbers: the engine hands them over as decimals of 38 digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type != pa.decimal128(38, 0):
        return column
    bounds = (pc.min(column).as_py(), pc.max(column).as_py())
    largest = max((abs(bound) for bound in bounds if bound is not None), default=Decimal(0))
    return column.cast(pa.int64() if largest < 2**63 else pa.float64())


def _distinct(columns: Sequence[str]) -> list[str]:
    """Names of which none occurs twice: a second `n` is `n_1`, as the engine names it in data frames.

    >>> _distinct(["n", "n", "x", "n"])
    ['n', 'n_1', 'x', 'n_2']
    """
    seen: Counter[str] = Counter()
    distinct: list[str] = []
    for column in columns:
        name = column
        while name in distinct or (name != column and name in columns):
            seen[column] += 1
            name = f"{column}_{seen[column]}"
        distinct.append(name)
    return distinct
