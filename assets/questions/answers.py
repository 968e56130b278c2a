"""Answer types, how a measure is shown, and how rows of a reference become a gold answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from assets.questions.grammar import Shape, Slots, Stream
from assets.questions.sql import rounded
from assets.questions.template import Template
from schemas.answers import AnswerKind, AnswerType, Gold
from schemas.questions import Question

AVERAGES = frozenset({"mean", "median", "trend", "time_weighted_mean", "variation"})
"""Selectors that make fractions of whole numbers."""

UNIT_SYNONYMS = {
    "hours": ("hour", "h", "hrs"),
    "days": ("day", "d"),
    "%": ("percent",),
    "ml": ("mL", "milliliter", "milliliters"),
    "lb": ("lbs", "pound", "pounds"),
    "kg": ("kilogram", "kilograms"),
    "years": ("year", "y"),
    "mm Hg": ("mmHg",),
    "mmHg": ("mm Hg",),
    "UNIT": ("units", "unit", "U"),
    "°C": ("C", "degrees Celsius"),
    "°F": ("F", "degrees Fahrenheit"),
    "g": ("gm", "gram", "grams"),
    "gm": ("g", "gram", "grams"),
    "K/uL": ("K/µL", "10^3/uL", "10^9/L"),
}
"""Other spellings of a unit that mean the same."""


def of_measure(template: Template, stream: Stream, slots: Slots) -> AnswerType:
    """The type of the answer for one unit."""
    selector = template.selector
    match selector.shape:
        case Shape.VALUE:
            if stream.counted and selector.name not in AVERAGES:
                return AnswerType(kind=AnswerKind.COUNT)
            unit = selector.unit.format(unit=stream.unit)
            return AnswerType(
                kind=AnswerKind.QUANTITY,
                unit=unit,
                unit_synonyms=UNIT_SYNONYMS.get(unit, ()),
                decimals=stream.decimals + selector.finer,
            )
        case Shape.HOURS:
            return AnswerType(kind=AnswerKind.DURATION, unit="hours", unit_synonyms=UNIT_SYNONYMS["hours"], decimals=1)
        case Shape.DAYS:
            return AnswerType(kind=AnswerKind.DURATION, unit="days", unit_synonyms=UNIT_SYNONYMS["days"], decimals=0)
        case Shape.PERCENT:
            return AnswerType(kind=AnswerKind.QUANTITY, unit="%", unit_synonyms=UNIT_SYNONYMS["%"], decimals=1)
        case Shape.COUNT:
            return AnswerType(kind=AnswerKind.COUNT)
        case Shape.YES_NO:
            return AnswerType(kind=AnswerKind.YES_NO)
        case Shape.TIME:
            return AnswerType(kind=AnswerKind.TIME, resolution="day" if stream.daily else "minute")
        case Shape.DAY:
            return AnswerType(kind=AnswerKind.TIME, resolution="day")
        case Shape.NAMES:
            return AnswerType(kind=AnswerKind.SET)


def shown(column: str, shape: Shape, answer: AnswerType) -> str:
    """SQL that shows a measure: numbers rounded to the last digit reported, days as dates."""
    if shape in (Shape.VALUE, Shape.HOURS, Shape.DAYS, Shape.PERCENT):
        return rounded(column, answer.decimals)
    if answer.kind is AnswerKind.TIME and answer.resolution == "day":
        return f"CAST({column} AS DATE)"
    return column


def gold_of(question: Question, rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> Gold:
    """The gold answer that the rows of the reference tell: JSON, canonical, None for abstention.

    Args:
        question: What was asked.
        rows: What its reference returned, one sequence per row.
        columns: Names of the columns of `rows`.

    Raises:
        ValueError: A single answer came as several rows; the reference is wrong.
    """
    answer = question.answer
    if answer.kind is AnswerKind.ROWS:
        names = [name for name, _ in answer.columns]
        places = [list(columns).index(name) for name in names]
        kinds = [kind for _, kind in answer.columns]
        found = [{n: _cell(row[p], k) for n, p, k in zip(names, places, kinds, strict=True)} for row in rows]
        return sorted(found, key=lambda row: [str(row[name]) for name in answer.key]) or None
    cells = [row[0] for row in rows if row[0] is not None]
    if answer.kind is AnswerKind.SET:
        return sorted({str(cell) for cell in cells}) or None
    if len(rows) > 1:
        raise ValueError(f"{question.template}: {len(rows)} rows for a single answer")
    return _cell(cells[0], answer) if cells else None


def _cell(cell: Any, answer: AnswerType) -> Gold:
    """One cell as JSON has it."""
    if cell is None:
        return None
    match answer.kind:
        case AnswerKind.COUNT:
            return int(cell)
        case AnswerKind.QUANTITY | AnswerKind.DURATION:
            number = float(cell) if isinstance(cell, Decimal | float | int) else float(str(cell))
            if math.isnan(number) or math.isinf(number):
                return None
            number = round(number, answer.decimals) + 0.0  # no negative zero
            return number if answer.decimals else int(number)
        case AnswerKind.YES_NO:
            return bool(cell)
        case AnswerKind.TIME:
            if isinstance(cell, datetime):
                return cell.date().isoformat() if answer.resolution == "day" else cell.isoformat()
            return cell.isoformat() if isinstance(cell, date) else str(cell)
        case _:
            return str(cell)
