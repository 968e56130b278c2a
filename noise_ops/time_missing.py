"""Noise operator: the record is there, its time is not."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._cells import time_columns
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(12, 47, 57, 70),
)
def time_missing(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Empty the times of records that carry the answer, together with what would let one guess them.

    A culture is registered by day, an order has no stop, a transfer is never closed; 183 of the demo's 2,899 culture
    records have no time of collection. The value is there, and nobody can say whether it was the first, or whether it
    belongs to the window at all.

    Limits: the time of storage, the day and the length of stay are emptied as well, as they tell the same. Codes have
    no time of their own. An answer that needs no time (a total of linked records) survives; such a pair is dropped when
    its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to empty, at least one.

    Raises:
        NotApplicable: No target has a time, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> [lactate, _] = time_missing(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before["charttime"], lactate.after["charttime"], lactate.after["storetime"]
        ('2150-03-01 08:00:00', None, None)

        >>> time_missing(first_lactate(4.2), Random(0), share=0.5)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: a single record cannot be hit in part
    """
    targets = [selection for selection in chosen_targets(question, share) if selection.time]
    if not targets:
        raise NotApplicable("no target has a time")
    emptied = [question.put(s, dict.fromkeys(time_columns(s)), share, rng) for s in targets]
    return Noise(overlay=overlay(*emptied, without_routes(question, rng)), worlds=siblings(question, rng))
