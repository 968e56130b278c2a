"""Thresholds: of a value, and of a measure whose share of units is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assets.questions.grammar import Shape, Side, Stream
from assets.questions.sql import number
from assets.questions.template import Template
from schemas.concepts import Concept, Measured

UNSAID = frozenset({"", "ratio", "units", "level", "position"})
"""Units that nobody says after a number."""


@dataclass(frozen=True)
class Limit:
    """A comparison, as SQL over `m` and in words."""

    sql: str
    words: str


def beyond(column: str, stream: Stream, threshold: float | None = None) -> str:
    """Is the value beyond the threshold, on the side where it worries? Empty if the concept has none."""
    limit = stream.threshold if threshold is None else threshold
    return "" if limit is None else f"{column} {'>' if stream.worse == 'high' else '<'} {number(limit)}"


def beyond_words(stream: Stream, threshold: float | None = None) -> str:
    """`above 5.5 mEq/L`."""
    limit = stream.threshold if threshold is None else threshold
    if limit is None:
        return ""
    return _words(stream.worse, limit, stream.unit)


def measured_limit(concept: Concept) -> str:
    """The threshold of a measured concept in words; empty for others."""
    if not isinstance(concept, Measured) or concept.threshold is None:
        return ""
    return _words(concept.worse, concept.threshold, concept.unit.split(";")[0].strip())


def with_unit(value: float, unit: str) -> str:
    """A number with its unit as people write it.

    >>> with_unit(5.5, "mEq/L"), with_unit(40, "%"), with_unit(1.2, "ratio")
    ('5.5 mEq/L', '40%', '1.2')
    """
    return number(value) + ("" if unit in UNSAID else unit if unit == "%" else f" {unit}")


def _words(worse: str, limit: float, unit: str) -> str:
    return f"{'above' if worse == 'high' else 'below'} {with_unit(limit, unit)}"


def limit_of(template: Template, stream: Stream, threshold: float | None = None) -> Limit:
    """The limit beyond which `share_beyond` counts a unit: a short wait, else a large measure."""
    selector = template.selector
    if selector.shape is Shape.VALUE:
        measured = replace(stream, unit=selector.unit.format(unit=stream.unit))  # an hourly output has a limit per hour
        return Limit(beyond("m", stream, threshold) or "FALSE", beyond_words(measured, threshold))
    if selector.shape is Shape.HOURS and selector.from_start:
        if template.window.side is Side.AFTER or (template.window.days or 0) > 30:
            return Limit("m <= 720", "at most 30 days")
        return Limit("m <= 6", "at most 6 hours")
    return {
        Shape.HOURS: Limit("m > 24", "above 24 hours"),
        Shape.DAYS: Limit("m > 7", "above 7 days"),
        Shape.PERCENT: Limit("m > 50", "above 50%"),
    }.get(selector.shape, Limit("m > 1", "above 1"))
