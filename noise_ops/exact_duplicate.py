"""Noise operator: the same record stands there twice."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import noise_op
from noise_ops._edits import chosen_targets, doubled, overlay
from noise_ops._ids import fresh_ids
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(
    level="record",
    promise="unchanged",
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(48, 63, 66, 75),
)
def exact_duplicate(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Repeat records that carry the answer, equal in everything but the number the table gives them.

    Interfaces send a message twice, an order line is printed twice, a clinic weight is copied into fourteen notes of
    one day. Nothing is lost: whoever looks at what the records say still reaches the answer, and whoever counts rows
    does not.

    Limits: a question whose answer is a number of rows changes with them; such a pair is dropped when its promise is
    checked. In a table whose records have no number of their own, the copy is equal in everything.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to repeat, at least one.

    Raises:
        NotApplicable: No record carries the answer, or no unused id is left for the copies.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> [copy, _] = exact_duplicate(first_lactate(), Random(0)).overlay.edits
        >>> copy.after["labevent_id"], copy.after["charttime"], copy.after["valuenum"]
        (90001, '2150-03-01 08:00:00', 4.2)

        >>> exact_duplicate(first_lactate().with_(records=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no record carries the answer
    """
    targets = chosen_targets(question, 1.0)
    ids = {selection.table: fresh_ids(question, selection.table) for selection in targets}
    copies = [doubled(question, s, share, rng, lambda record: {}, {}, ids[s.table]) for s in targets]
    return Noise(overlay=overlay(*copies), worlds=siblings(question, rng))
