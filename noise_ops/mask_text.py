"""Noise operator: de-identification has blanked the text of a result and left its number."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._cells import MASK, number_columns, text_columns
from noise_ops._edits import chosen_targets, overlay
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(
    level="value",
    promise="unchanged",
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(5,),
)
def mask_text(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Put three underscores where the text of a result was, and keep its number.

    Of the 6,823 masked laboratory values of the demo 6,680 still have their number in `valuenum`. Nothing is lost:
    whoever reads the number reaches the answer, and whoever reads the text, or takes the mask for a missing value, does
    not.

    Limits: only tables that keep a result as text and as a number (`labevents`, `chartevents`).

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to mask, at least one.

    Raises:
        NotApplicable: No target has both a text and a number.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [lactate, _] = mask_text(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before, lactate.after
        ({'value': '4.2'}, {'value': '___'})

        >>> mask_text(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target has both a text and a number
    """
    targets = [selection for selection in chosen_targets(question, 1.0) if number_columns(selection)]
    masks = [(selection, dict.fromkeys(text_columns(selection), MASK)) for selection in targets]
    if not any(cells for _, cells in masks):
        raise NotApplicable("no target has both a text and a number")
    masked = [question.put(selection, cells, share, rng) for selection, cells in masks if cells]
    return Noise(overlay=overlay(*masked), worlds=siblings(question, rng))
