"""Noise operator: the question asks about "now"."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(38, "EHRSQL"))
def now_undefined(question: Question, rng: Random) -> Noise:
    """Ask about the present, which a closed archive with shifted dates does not have.

    On a ward "currently" and "in the last 24 hours" are how people speak, and 286 of the 934 test questions of
    EHRSQL-2024 rest on such a moment. In MIMIC-IV every stay is over and every calendar is shifted: there is no moment
    from which to look back, unless the question names one.

    Limits: no hospital could support it, so evidence is a look at the columns of the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness; not drawn upon.

    Raises:
        NotApplicable: No record of the question has a time.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> question = first_lactate()
        >>> question.parameters.get("now"), now_undefined(question, Random(0)).parameters
        (None, {'now': True})

        >>> now_undefined(question.with_(selections=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: nothing in the question has a time
    """
    if not any(selection.time for selection in question.selections):
        raise NotApplicable("nothing in the question has a time")
    return Noise(parameters={"now": True}, schema_evidence=evidence_tables(question))
