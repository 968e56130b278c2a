"""The middle of the units' measures."""

from __future__ import annotations

from assets.questions.aggregating import NUMBERS, averaged, one_number
from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure


def _final(measure: Measure) -> Final:
    return one_number("median(m)", averaged(measure), measure)


AGGREGATOR = Aggregator(
    name="median",
    shapes=NUMBERS,
    final=_final,
    asks="what was the median {of_measure} {when}",
    noun="median {of_measure} {when}",
    note=f"at least {MIN_UNITS} {{unit_nouns}} with the value are needed",
)
