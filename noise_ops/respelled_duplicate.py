"""Noise operator: the same record stands there twice, under two spellings of its unit."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import noise_op
from noise_ops._compose import composed, strongest
from noise_ops.exact_duplicate import exact_duplicate
from noise_ops.unit_synonym import unit_synonym
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(
    level="record",
    promise=strongest(exact_duplicate, unit_synonym),
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(8, 60, 63, 66),
)
def respelled_duplicate(
    question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0
) -> Noise:
    """Repeat records that carry the answer, and spell the unit of the first ones another way.

    A laboratory changes its interface and sends the week again: the old results stay under the old spelling, `mmol/l`,
    and the new ones say `mmol/L`. Nothing is lost: whoever takes equal units for equal and equal results for one still
    reaches the answer; whoever counts rows, or groups them by the unit's letters, does not.

    Limits: those of its parts, `exact_duplicate` and `unit_synonym`. Copies keep the spelling of the clean record.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to repeat, and of those to respell, at least one of each.

    Raises:
        NotApplicable: One of its parts is not.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [copy, _, first, _] = respelled_duplicate(first_lactate(), Random(0)).overlay.edits
        >>> copy.after["labevent_id"], copy.after["valueuom"], first.before, first.after
        (90001, 'mmol/L', {'valueuom': 'mmol/L'}, {'valueuom': 'mmol/l'})

        >>> respelled_duplicate(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: ...
    """
    return composed(question, rng, partial(exact_duplicate, share=share), partial(unit_synonym, share=share))
