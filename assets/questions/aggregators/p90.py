"""The 90th percentile of the units' measures: the outliers a planner looks for."""

from __future__ import annotations

from assets.questions.aggregating import NUMBERS, averaged, one_number
from assets.questions.grammar import MIN_UNITS, Aggregator, Final, Measure


def _final(measure: Measure) -> Final:
    return one_number("quantile_cont(m, 0.9)", averaged(measure), measure)


AGGREGATOR = Aggregator(
    name="p90",
    shapes=NUMBERS,
    final=_final,
    asks="what was the 90th percentile of the {measure} {when}",
    noun="90th percentile of the {measure} {when}",
    note=f"interpolated linearly between neighbours; at least {MIN_UNITS} {{unit_nouns}} with the value are needed",
)
