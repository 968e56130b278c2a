"""The percentage of units for which the answer is yes, of those for which it is known."""

from __future__ import annotations

from assets.questions.aggregating import PERCENTAGE, one_number
from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure, Shape


def _final(measure: Measure) -> Final:
    return one_number("100.0 * avg(CAST(m AS INTEGER))", PERCENTAGE, measure)


AGGREGATOR = Aggregator(
    name="share_true",
    shapes=frozenset({Shape.YES_NO}),
    final=_final,
    asks="in what percentage {measure} {when}",
    noun="percentage with {measure} {when}",
    note=f"the denominator is the {{unit_nouns}} for which it is known, of which at least {MIN_UNITS} are needed",
)
