"""The three most common names, each counted once per unit, ties included."""

from __future__ import annotations

from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure, Shape
from schemas.answers import AnswerKind, AnswerType


def _final(measure: Measure) -> Final:
    # A name at fewer than the least number of units is left out before ranking: it would tell about single people.
    sql = (
        f"SELECT name, {measure.unit.plural} FROM (SELECT m AS name, count(DISTINCT uid) AS {measure.unit.plural}, "
        "rank() OVER (ORDER BY count(DISTINCT uid) DESC NULLS LAST) AS place "
        f"FROM {measure.step} WHERE m IS NOT NULL GROUP BY m HAVING count(DISTINCT uid) >= {MIN_UNITS}) AS ranked "
        f"WHERE place <= 3 ORDER BY {measure.unit.plural} DESC NULLS LAST, name NULLS LAST"
    )
    columns = (("name", AnswerType(kind=AnswerKind.CATEGORY)), (measure.unit.plural, AnswerType(kind=AnswerKind.COUNT)))
    return Final(sql, AnswerType(kind=AnswerKind.ROWS, key=("name",), columns=columns))


AGGREGATOR = Aggregator(
    name="top_names",
    shapes=frozenset({Shape.NAMES}),
    final=_final,
    asks="what were the three most common {measure} {when}",
    noun="three most common {measure} {when}",
    note=f"each counts once per {{unit_short}}; those that tie for third place are included, and each needs at least "
    f"{MIN_UNITS} {{unit_nouns}}",
)
