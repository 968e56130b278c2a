"""The unit with the highest, or most worrying, measure: for chart review. None if tied."""

from __future__ import annotations

from assets.questions.aggregating import NUMBERS
from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure
from assets.questions.sql import rounded
from schemas.answers import AnswerKind, AnswerType


def _final(measure: Measure) -> Final:
    value = rounded("m", 6)
    sql = (
        "SELECT CASE WHEN count(*) = 1 THEN min(CAST(uid AS VARCHAR)) END AS answer "
        f"FROM {measure.step} WHERE {value} = "
        f"(SELECT {measure.worst}({value}) FROM {measure.step} HAVING count(m) >= {MIN_UNITS})"
    )
    return Final(sql, AnswerType(kind=AnswerKind.CODE))


AGGREGATOR = Aggregator(
    name="top_unit",
    shapes=NUMBERS,
    final=_final,
    asks="which one had the {top} {when}",
    noun="{unit_short} with the {top} {when}",
    note=f"the answer is its {{unit_id}}; if several share it, there is no answer, and at least {MIN_UNITS} "
    "{unit_nouns} with the value are needed",
)
