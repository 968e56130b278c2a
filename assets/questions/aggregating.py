"""What the aggregators share: one number for a cohort, or one per group, of five units or more."""

from __future__ import annotations

from collections.abc import Callable

from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Group, Measure, Shape, Unit
from assets.questions.sql import rounded
from schemas.answers import AnswerKind, AnswerType

NUMBERS = frozenset({Shape.VALUE, Shape.HOURS, Shape.DAYS, Shape.PERCENT, Shape.COUNT})
PERCENTAGE = AnswerType(kind=AnswerKind.QUANTITY, unit="%", unit_synonyms=("percent",), decimals=1)


def averaged(measure: Measure) -> AnswerType:
    """The type of an average: a count becomes a number with one decimal, in what it counts."""
    if measure.answer.kind is AnswerKind.COUNT:
        return AnswerType(kind=AnswerKind.QUANTITY, unit=measure.tally, decimals=1)
    return measure.answer


def one_number(sql: str, answer: AnswerType, measure: Measure) -> Final:
    """One number over all units, NULL below the least number of units.

    Args:
        sql: SQL aggregate over `m`.
        answer: Its type.
        measure: What is aggregated.
    """
    value = rounded(sql, answer.decimals)
    return Final(f"SELECT CASE WHEN count(m) >= {MIN_UNITS} THEN {value} END AS answer FROM {measure.step}", answer)


def per_group(name: str, group: Callable[[Unit], Group], asks: str, units: frozenset[str]) -> Aggregator:
    """An aggregator that tells the median, or for yes and no the percentage, of every group.

    Args:
        name: The aggregator's.
        group: The records and the key that split a unit's population.
        asks: Words after the question: "separately for women and men".
        units: Units that have the attribute.
    """

    def final(measure: Measure) -> Final:
        split = group(measure.unit)
        yes_no = measure.shape is Shape.YES_NO
        kind = PERCENTAGE if yes_no else averaged(measure)
        value = rounded("100.0 * avg(CAST(m AS INTEGER))" if yes_no else "median(m)", kind.decimals)
        column = "percentage" if yes_no else "median"
        key = split.key.format(start=measure.unit.start or "NULL")
        sql = (
            f"SELECT {key} AS {split.column}, {value} AS {column}, count(m) AS {measure.unit.plural} "
            f"FROM {measure.step} "
            f"JOIN unit AS u ON u.{measure.unit.id} = {measure.step}.uid "
            f"JOIN grouping AS g ON g.{split.link} = u.{split.link} "
            f"WHERE {key} IS NOT NULL AND m IS NOT NULL GROUP BY 1 HAVING count(m) >= {MIN_UNITS} "
            "ORDER BY 1 NULLS LAST"
        )
        columns = (
            (split.column, AnswerType(kind=AnswerKind.CATEGORY)),
            (column, kind),
            (measure.unit.plural, AnswerType(kind=AnswerKind.COUNT)),
        )
        return Final(sql, AnswerType(kind=AnswerKind.ROWS, key=(split.column,), columns=columns))

    return Aggregator(
        name=name,
        shapes=NUMBERS | {Shape.YES_NO},
        final=final,
        asks=asks,
        note="one row per group, with the number of {unit_nouns} that have the value, for groups of at least "
        f"{MIN_UNITS}",
        group=group,
        units=units,
    )
