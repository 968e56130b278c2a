"""The percentage of units whose measure is beyond a limit, of those that have the measure."""

from __future__ import annotations

from assets.questions.aggregating import NUMBERS, PERCENTAGE, one_number
from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure


def _final(measure: Measure) -> Final:
    return one_number(f"100.0 * count(*) FILTER (WHERE {measure.beyond}) / nullif(count(m), 0)", PERCENTAGE, measure)


AGGREGATOR = Aggregator(
    name="share_beyond",
    shapes=NUMBERS,
    final=_final,
    asks="in what percentage was the {measure} {when} {limit}",
    noun="percentage in which the {measure} {when} was {limit}",
    note=f"the denominator is the {{unit_nouns}} with the value, of which at least {MIN_UNITS} are needed",
)
