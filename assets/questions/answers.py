"""Answer types, how a measure is shown, and how rows of a reference become a gold answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assets.questions.grammar import Shape, Stream
from assets.questions.sql import rounded
from assets.questions.template import Template
from robustgym.gold import gold_from_rows
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


def of_measure(template: Template, stream: Stream) -> AnswerType:
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
        GoldError: The rows are no answer of the question's type; the reference is wrong.
    """
    return gold_from_rows(question.answer, columns, rows)
