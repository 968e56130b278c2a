"""Noise operator: the question asserts a value that was never measured."""

from __future__ import annotations

from functools import reduce
from math import gcd
from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._cells import dated, decimals, number, number_columns, plausible, written
from schemas.noise import Noise
from schemas.overlays import Overlay
from schemas.questions import Question, Record, Scope, Selection, update

SAID = 2
"""Decimals of a number that somebody would quote; a pump's rate of 0.6337 is none."""


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=("PRACTIQ", "TrustSQL"))
def false_value(question: Question, rng: Random) -> Noise:
    """Ask what came after a measurement that was never made: "after the potassium of 6.9".

    A value is misheard on the telephone, remembered from another patient, or copied with one digit wrong. It is as
    plausible as those on record, and the record simply has no such value; whoever passes over it answers about the
    whole stay. The clean question names a value that is there.

    Limits: numbers with a time, of one patient. The value asserted lies between or next to those measured, in the steps
    in which they are written: a wild one would be recognised at once.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No number with a time is followed by another, they have too many digits, or the steps between
            them are all taken.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate(4.2, 2.6, 3.1)
        >>> noise = false_value(question, Random(0))
        >>> noise.clean, noise.parameters
        ({'after_value': 2.6}, {'after_value': 2.5})

        In the supported world the second lactate was what the question says.

        >>> [edit] = noise.worlds[0].edits
        >>> edit.before["valuenum"], edit.after["valuenum"]
        (2.6, 2.5)
        >>> false_value(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no number with a time is followed by another
    """
    if question.scope is Scope.POPULATION:
        raise NotApplicable("of a population nobody asserts one value")
    targets = [s for s in question.targets if number_columns(s) and dated(s)]
    timed = [(selection, record, value) for selection in targets[:1] for record, value in _timed(question, selection)]
    latest = max((record[dated(selection)[0]] for selection, record, _ in timed), default="")
    earlier = [one for one in timed if one[1][dated(one[0])[0]] < latest]
    if not earlier:
        raise NotApplicable("no number with a time is followed by another")
    selection, record, value = rng.choice(earlier)
    other = _never_measured(value, [value for *_, value in timed], selection, rng)
    made = Overlay(edits=(update(record, written(selection, other)),))
    return Noise(parameters={"after_value": other}, clean={"after_value": value}, worlds=(made,))


def _timed(question: Question, selection: Selection) -> list[tuple[Record, float]]:
    """The records that hold a number and a time, with the number."""
    found = [(record, number(record, selection)) for record in question.records_of(selection)]
    return [(record, value) for record, value in found if value is not None and record[dated(selection)[0]]]


def _never_measured(value: float, measured: list[float], selection: Selection, rng: Random) -> float:
    """The nearest number above or below that was not measured, in the steps in which the measured ones are written."""
    digits = max(map(decimals, measured))
    if digits > SAID:
        raise NotApplicable("the values have more digits than anybody says")
    whole = {round(one * 10**digits) for one in measured}
    # Oxygen is set to 40, 50 or 60 percent: 41 would be recognised as nobody's.
    step = reduce(gcd, (one - min(whole) for one in whole)) if len(whole) > 2 else 1
    signs = rng.sample((1, -1), k=2)
    for n in range(1, len(whole) + 2):
        for sign in signs:
            other: int = round(value * 10**digits) + sign * n * step
            if other not in whole and other > 0 and plausible(other / 10**digits, selection):
                return float(round(other / 10**digits, digits))
    raise NotApplicable("the steps between the measured values are all taken")
