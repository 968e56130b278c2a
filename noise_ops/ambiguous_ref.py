"""Noise operator: the question uses a name that fits several things."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import chosen_targets
from schemas.noise import Noise
from schemas.overlays import Overlay
from schemas.questions import Question


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(13, "AmbiQT"))
def ambiguous_ref(question: Question, rng: Random) -> Noise:
    """Call what is asked for by a name that several items share, and leave out which of them is meant.

    "The glucose" is a chemistry result to the internist, a blood gas to the anaesthetist; "the systolic" comes from the
    cuff or from the arterial line. Each of them has records, and they disagree, so there is no one answer.

    Limits: names and what they fit are listed in `assets/questions/bare_names.csv`, in one unit. The reference asks
    each of them: where all that have an answer agree, the pair is dropped. The words alone show the fault, and a
    classifier finds it.

    Args:
        question: The clean question.
        rng: The only source of randomness; needed where the supported world is made of a population.

    Raises:
        NotApplicable: The question has no concept, or no record carries the answer.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> noise = ambiguous_ref(first_lactate(), Random(0))
        >>> noise.parameters
        {'bare_name': True}

        In the supported world only the other items of that name have records.

        >>> [edit.kind for edit in noise.worlds[0].edits]
        ['delete', 'delete']
        >>> ambiguous_ref(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question has no concept
    """
    if "concept" not in question.parameters:
        raise NotApplicable("the question has no concept")
    gone = tuple(edit for s in chosen_targets(question, 1.0) for edit in question.delete(s, 1.0, rng))
    return Noise(parameters={"bare_name": True}, worlds=(Overlay(edits=gone),))
