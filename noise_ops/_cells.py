"""How a selection keeps its value and times, and how to write another in the same manner."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from noise_ops.registry import NotApplicable
from schemas.overlays import Value
from schemas.questions import Record, Selection
from schemas.tables import TABLES, ColumnType

MASK = "___"
"""What MIMIC-IV writes in place of text that might identify someone."""

_NUMERIC = (ColumnType.DOUBLE, ColumnType.INTEGER)


def number_columns(selection: Selection) -> tuple[str, ...]:
    """Its value columns that are numbers."""
    return tuple(c for c in selection.value if TABLES[selection.table][c].type in _NUMERIC)


def text_columns(selection: Selection) -> tuple[str, ...]:
    """Its value columns that are text, and the text that repeats the number: `value` beside `valuenum`."""
    table = TABLES[selection.table]
    columns = [*selection.value, *(["value"] if "valuenum" in selection.value and "value" in table else [])]
    return tuple(c for c in dict.fromkeys(columns) if table[c].type is ColumnType.TEXT)


def value_cells(selection: Selection) -> tuple[str, ...]:
    """Columns in which a reader would find the value, or where it has none the name; a comment that may repeat it."""
    columns = selection.value or selection.names
    beside = ("comments",) if selection.value and "comments" in TABLES[selection.table] else ()
    return tuple(dict.fromkeys([*columns, *text_columns(selection), *beside]))


def measured(selection: Selection) -> bool:
    """Whether its value is a number, in a column of numbers or as text with a unit or plausible bounds."""
    counted = bool(selection.unit) or selection.low is not None or selection.high is not None
    return bool(number_columns(selection)) or (counted and bool(text_columns(selection)))


def number(record: Record, selection: Selection) -> float | None:
    """The measured value of a record, None where it holds none."""
    for column in number_columns(selection):
        if record[column] is not None:
            return float(record[column])
    for column in text_columns(selection):
        try:
            return float(record[column])
        except (TypeError, ValueError):
            continue
    return None


def number_sql(selection: Selection) -> str:
    """The measured value as SQL over the table's own columns."""
    columns = number_columns(selection)
    return columns[0] if columns else f"TRY_CAST({text_columns(selection)[0]} AS DOUBLE)"


def written(selection: Selection, value: float) -> dict[str, Value]:
    """A number as the cells that keep it."""
    table = TABLES[selection.table]
    cells: dict[str, Value] = {
        column: round(value) if table[column].type is ColumnType.INTEGER else value
        for column in number_columns(selection)
    }
    return cells | dict.fromkeys(text_columns(selection), f"{value:.12g}")


def written_sql(selection: Selection, sql: str) -> dict[str, str]:
    """A number, given as SQL, as the cells that keep it."""
    return dict.fromkeys(number_columns(selection), sql) | dict.fromkeys(
        text_columns(selection), f"CAST({sql} AS VARCHAR)"
    )


def decimals(value: float) -> int:
    """Decimals a number is written with.

    >>> decimals(4.2), decimals(126.0)
    (1, 0)
    """
    exponent = Decimal(f"{value:.12g}").normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def plausible(value: float, selection: Selection) -> bool:
    """Whether a number, in the unit asked for, lies within the selection's bounds."""
    above = selection.low is None or value >= selection.low
    return above and (selection.high is None or value <= selection.high)


def other_number(value: float, selection: Selection) -> float:
    """Another plausible number, written with as many decimals.

    >>> from schemas.questions import Role
    >>> other_number(4.2, Selection("lactates", Role.TARGET, "labevents", low=0.1, high=30.0))
    5.5
    """
    digits = decimals(value)
    step = max(abs(value) * 0.3, 10.0**-digits)
    larger, smaller = (round(value + sign * step, digits) + 0.0 for sign in (1, -1))
    if plausible(larger, selection) or not plausible(smaller, selection):
        return larger
    return smaller


def other_number_sql(selection: Selection) -> str:
    """Another plausible number as SQL: at or below the middle of the bounds a larger one, above it a smaller one."""
    sql = number_sql(selection)
    if selection.high is None:
        return f"{sql} + greatest(round(abs({sql}) * 0.3), 1)"
    step = f"least(greatest(round(abs({sql}) * 0.3, 1), 0.1), {(selection.high - (selection.low or 0.0)) / 4!r})"
    middle = (selection.high + (selection.low or 0.0)) / 2
    return f"CASE WHEN {sql} <= {middle!r} THEN {sql} + {step} ELSE {sql} - {step} END"


def dated(selection: Selection) -> tuple[str, ...]:
    """Its time columns that hold a date or a time, start before end; a bare year (`anchor_year`) is neither."""
    return tuple(column for column in selection.time if column in TABLES[selection.table].times)


def time_columns(selection: Selection) -> tuple[str, ...]:
    """Columns that would let a reader guess a missing time: its own, and when the record was stored or on which day."""
    table = TABLES[selection.table]
    beside = ("storetime", "storedate", "chartdate", "los")
    return tuple(dict.fromkeys([*selection.time, *(c for c in beside if c in table)]))


def shifted(text: Value, by: timedelta) -> Value:
    """A time, in the same notation, that much later; NULL stays NULL.

    >>> shifted("2150-03-01 23:30:00", timedelta(hours=1)), shifted("2150-03-01", timedelta(days=1))
    ('2150-03-02 00:30:00', '2150-03-02')
    """
    if text is None:
        return None
    later = datetime.fromisoformat(str(text)) + by
    return later.isoformat(sep=" ", timespec="seconds") if len(str(text)) > 10 else later.date().isoformat()


def shifted_hours(text: Value, hours: float) -> Value:
    """A time, in the same notation, that many hours later."""
    return shifted(text, timedelta(hours=hours))


def all_shifted(cells: Mapping[str, Value], table: str, by: timedelta) -> dict[str, Value]:
    """Every time of a record that much later."""
    return {column: shifted(cells[column], by) for column in TABLES[table].times if cells.get(column) is not None}


def all_shifted_sql(table: str, interval: str) -> dict[str, str]:
    """Every time of a table's records that much later, as SQL."""
    return {
        column.name: f"CAST({column.name} + INTERVAL {interval} AS {column.type.duckdb})"
        for column in TABLES[table].columns
        if column.name in TABLES[table].times
    }


def hours_between(start: Value, end: Value) -> float:
    """Hours from one time to another.

    Raises:
        NotApplicable: One of them is missing.
    """
    if start is None or end is None:
        raise NotApplicable("a start or an end is missing")
    return (datetime.fromisoformat(str(end)) - datetime.fromisoformat(str(start))).total_seconds() / 3600


def silent(selection: Selection) -> str:
    """Does the comment beside a value leave the answer open? SQL over the table's own columns.

    A number may stand there alone ("<0.01", "GREATER THAN 80"), and so may a word where words are asked for.
    """
    if "comments" not in TABLES[selection.table]:
        return "TRUE"
    telling = "[0-9]" if measured(selection) else "[A-Za-z0-9]"
    return f"NOT regexp_matches(coalesce(comments, ''), '{telling}')"


def every(columns: tuple[str, ...], test: str) -> str:
    """Do all of these columns meet a test, as SQL?

    >>> every(("value", "valuenum"), "{} IS NULL")
    'value IS NULL AND valuenum IS NULL'
    """
    return " AND ".join(test.format(column) for column in columns)
