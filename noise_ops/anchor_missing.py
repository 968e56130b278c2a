"""Noise operator: the event that opens or closes the window is missing."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question, Role


@noise_op(level="record", promise="abstention", severities={"all": {}}, realism=(11, 49, 65))
def anchor_missing(question: Question, rng: Random) -> Noise:
    """Remove the event that a question counts from, and keep everything that happened before and after it.

    The first dose was given in the operating theatre and charted elsewhere, the ventilator was never charted, the
    admission was never coded. The values asked for are all there; nobody can say which of them lie "within six hours
    of" something that has no time.

    Limits: where the targets lie in the same table and sort as the anchor, removing it moves the window to another
    event instead; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: The question has no anchor, or its anchor has no record.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [code] = anchor_missing(discharge_destination(), Random(0)).overlay.edits
        >>> code.kind, code.before["icd_code"], code.before["hadm_id"]
        ('delete', 'I5023', 20000007)

        >>> anchor_missing(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question counts from no event
    """
    anchors = question.selections_of(Role.ANCHOR)
    if not anchors:
        raise NotApplicable("the question counts from no event")
    removed = [question.delete(selection, 1.0, rng) for selection in anchors]
    return Noise(overlay=overlay(*removed, without_routes(question, rng)), worlds=siblings(question, rng))
