"""One cell of an overlay, as JSON has it, read as its column's type."""

from __future__ import annotations

from datetime import date, datetime

from schemas.overlays import Value
from schemas.tables import Column, ColumnType

Cell = int | float | str | datetime | date | None
"""A value as DuckDB takes it and gives it back."""


def typed(value: Value, column: Column) -> Cell:
    """The value as its column stores it.

    Raises:
        ValueError: It does not fit the column's type; the message says so in words.

    Examples:
        >>> from schemas.tables import Column, ColumnType
        >>> typed("2150-05-06 22:23:00", Column("charttime", ColumnType.TIMESTAMP, "when drawn"))
        datetime.datetime(2150, 5, 6, 22, 23)
        >>> typed(4, Column("valuenum", ColumnType.DOUBLE, "the number"))
        4.0
        >>> typed(4.5, Column("itemid", ColumnType.INTEGER, "the item"))
        Traceback (most recent call last):
        ValueError: 4.5 is not a whole number
    """
    if value is None:
        return None
    match column.type:
        case ColumnType.INTEGER:
            return _whole(value)
        case ColumnType.DOUBLE:
            return _number(value)
        case ColumnType.TEXT:
            if isinstance(value, str):
                return value
            raise ValueError(f"{value!r} is not text")
        case ColumnType.TIMESTAMP:
            return _moment(value)
        case ColumnType.DATE:
            moment = _moment(value)
            if (moment.hour, moment.minute, moment.second, moment.microsecond) != (0, 0, 0, 0):
                raise ValueError(f"{value!r} is not a date")
            return moment.date()


def _whole(value: bool | int | float | str) -> int:
    try:
        number = int(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{value!r} is not a whole number") from None
    if isinstance(value, float) and number != value:
        raise ValueError(f"{value!r} is not a whole number")
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{value!r} does not fit 32 bits")
    return number


def _number(value: bool | int | float | str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a number") from None


def _moment(value: bool | int | float | str) -> datetime:
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value!r} is not a time") from None
        if moment.tzinfo is None:
            return moment
    raise ValueError(f"{value!r} is not a naive time")
