"""What is wrong with a block of CSV, found record by record.

Slow and exact: it runs only over a block that the fast parser refused, to say line, column and value.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
from datetime import datetime

from assets.staging.blocks import LONGEST_RECORD, Block
from schemas.errors import Problem
from schemas.tables import Column, ColumnType

_INTEGER = re.compile(r"\s*-?[0-9]+\s*")
_DOUBLE = re.compile(r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*")
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(\.[0-9]+)?)?")
_SHOWN = 60
# Python's own limit, 128 KiB, is shorter than a comment may be.
csv.field_size_limit(LONGEST_RECORD)


def problems_of(
    block: Block, columns: tuple[Column | None, ...], must: frozenset[str], where: str
) -> Iterator[Problem]:
    """Say what is wrong with a block of CSV.

    Args:
        block: Whole records.
        columns: The file's columns, in its order; None for one we don't read.
        must: Names of columns that may not be empty.
        where: Name of the file.
    """
    try:
        text = block.data.decode()
    except UnicodeDecodeError as error:
        line = block.line + block.data.count(b"\n", 0, error.start)
        what = f"byte 0x{block.data[error.start]:02x} is not UTF-8 text"
        yield Problem(f"{where}, line {line}", what, "save the file in UTF-8, or download it again")
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = block.line
    try:
        for record in reader:
            if record and len(record) != len(columns):
                what = f"the record has {len(record)} fields, the header {len(columns)}"
                yield Problem(f"{where}, line {line}", what, "quote fields that hold commas, or download it again")
            elif record:
                yield from _problems_of_record(record, columns, must, where, line)
            line = block.line + reader.line_num
    except csv.Error as error:
        yield Problem(f"{where}, line {line}", f"the record is not valid CSV ({error})", "close or double its quotes")


def _problems_of_record(
    record: list[str], columns: tuple[Column | None, ...], must: frozenset[str], where: str, line: int
) -> Iterator[Problem]:
    for value, column in zip(record, columns, strict=True):
        if column is not None:
            place = f"{where}, line {line}, column {column.name}"
            if value and (fault := _FAULTS[column.type](value)):
                shown = value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
                yield Problem(place, f"`{shown}` {fault}", "correct the value, or download the file again")
            elif not value and column.name in must:
                yield Problem(place, "the value is missing, and a record is nothing without it", "complete the record")
        line += value.count("\n")


def _integer(value: str) -> str | None:
    if not _INTEGER.fullmatch(value):
        return "is not a whole number"
    return None if -(2**31) <= int(value) < 2**31 else "is beyond a 32-bit whole number"


def _double(value: str) -> str | None:
    if not _DOUBLE.fullmatch(value):
        return "is not a number"
    return None if math.isfinite(float(value)) else "is beyond a 64-bit number"


def _timestamp(value: str) -> str | None:
    match = _TIME.fullmatch(value)
    if match is None:
        return "is not a date and time as 2150-05-06 22:23:00"
    try:
        datetime.fromisoformat(f"{match[1]} {match[2] or '00:00'}")
    except ValueError:
        return "is not a day and time of the calendar"
    return "is finer than a microsecond" if len(match[3] or "") > len(".123456") else None


def _date(value: str) -> str | None:
    if fault := _timestamp(value):
        return "is not a date as 2150-05-06" if fault.startswith("is not a date") else fault
    time = value[10:].strip(" T:0.")
    return "has a time of day, and a date is expected" if time else None


_FAULTS: dict[ColumnType, Callable[[str], str | None]] = {
    ColumnType.INTEGER: _integer,
    ColumnType.DOUBLE: _double,
    ColumnType.TEXT: lambda _: None,
    ColumnType.TIMESTAMP: _timestamp,
    ColumnType.DATE: _date,
}
