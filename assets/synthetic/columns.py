"""From numpy arrays to Arrow columns, in the shape the schema declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from assets.synthetic.draws import AnyArray, Bools
from schemas.tables import TABLES, ColumnType

if TYPE_CHECKING:
    ArrowColumn: TypeAlias = pa.Array[Any]
else:
    ArrowColumn = pa.Array

ARROW: dict[ColumnType, pa.DataType] = {
    ColumnType.INTEGER: pa.int32(),
    ColumnType.DOUBLE: pa.float64(),
    ColumnType.TEXT: pa.string(),
    ColumnType.TIMESTAMP: pa.timestamp("us"),
    ColumnType.DATE: pa.date32(),
}
"""How each type of the declaration is held in memory and in parquet."""

DAY = 86_400
"""Seconds."""


_LONG = 3_000
"""Words beyond which a word list is cut down to those in use."""


def words(values: Sequence[str | None]) -> ArrowColumn:
    """The word list of a column."""
    return pa.array(values, pa.string())


def pick(index: AnyArray, values: ArrowColumn, null: Bools | None = None) -> ArrowColumn:
    """A text column that holds positions in a word list: −1 and `null` are NULL.

    >>> pick(np.array([2, 0, -1]), words(["a", "b", "a"])).to_pylist()
    ['a', 'a', None]

    Raises:
        IndexError: A position lies beyond the list. Arrow would read outside its memory.
    """
    if len(index) and int(index.max()) >= len(values):
        raise IndexError(f"position {int(index.max())} in a list of {len(values)} words")
    missing = index < 0 if null is None else null | (index < 0)
    # By the whole list, so that a table's pieces go together whichever words each of them uses.
    width = np.int8 if len(values) < 128 else np.int16 if len(values) < 32_768 else np.int32
    if len(values) > _LONG:
        # Only the words in use: writing a hundred thousand others would cost more than the rows.
        used = np.flatnonzero(np.bincount(np.where(missing, 0, index), minlength=len(values)))
        shorter = np.zeros(len(values), np.int32)
        shorter[used] = np.arange(len(used), dtype=np.int32)
        index, values = shorter[index], values.take(used)
    known = values.dictionary_encode("encode")
    if len(known.dictionary) < len(values):
        # Parquet's writer sizes its dictionary by the words it is given: a word that comes twice leaves bytes unset.
        index, values = known.indices.to_numpy()[index], known.dictionary
    narrow = index.astype(width, copy=False)
    codes = pa.array(narrow, mask=missing) if missing.any() else pa.array(narrow)
    return pa.DictionaryArray.from_arrays(codes, values, safe=False)


def whole(numbers: AnyArray, null: Bools | None = None) -> ArrowColumn:
    """An integer column."""
    return pa.array(numbers.astype(np.int32, copy=False), mask=null)


def real(numbers: AnyArray, null: Bools | None = None) -> ArrowColumn:
    """A column of doubles."""
    return pa.array(numbers.astype(np.float64, copy=False), mask=null)


def moments(seconds: AnyArray, null: Bools | None = None) -> ArrowColumn:
    """A timestamp column from seconds since 1970."""
    return pa.array(seconds.astype(np.int64) * 1_000_000, mask=null).view(pa.timestamp("us"))


def dates(seconds: AnyArray, null: Bools | None = None) -> ArrowColumn:
    """A date column from seconds since 1970."""
    return pa.array((seconds.astype(np.int64) // DAY).astype(np.int32), mask=null).view(pa.date32())


def numbered(subject: AnyArray, sequence: AnyArray, null: Bools | None = None) -> ArrowColumn:
    """`<subject_id>-<number>`, as poe_id and emar_id are written."""
    left = pa.array(subject.astype(np.int32)).cast(pa.string())
    right = pa.array(sequence.astype(np.int32), mask=null).cast(pa.string())
    joined: ArrowColumn = pc.binary_join_element_wise(left, right, "-")  # type: ignore[call-overload]
    return joined


def table(name: str, columns: Mapping[str, ArrowColumn]) -> pa.Table:
    """The table as declared: its columns in MIMIC-IV's order, NULL where nothing was given.

    Raises:
        KeyError: A column was given that the declaration lacks.
    """
    declared = TABLES[name]
    unknown = set(columns) - set(declared.names)
    if unknown:
        raise KeyError(f"{name} has no column {sorted(unknown)}")
    count = len(next(iter(columns.values())))
    arrays: list[ArrowColumn] = [
        columns[column.name] if column.name in columns else pa.nulls(count, ARROW[column.type])  # type: ignore[call-overload]
        for column in declared.columns
    ]
    return pa.Table.from_arrays(arrays, names=list(declared.names))
