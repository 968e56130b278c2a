"""Noise operator: the question's conditions exclude each other."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.questions import Question, Role


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=("TrustSQL",))
def contradictory(question: Question, rng: Random) -> Noise:
    """Add a condition that contradicts another, so that no record can meet both.

    A filter is left over from an earlier question, "before" and "after" are swapped, two inclusion criteria of a study
    do not go together. Each half is fine, and a statement that drops one half returns a convincing number.

    Limits: no hospital could support it, so evidence is a look at the columns of the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness; not drawn upon.

    Raises:
        NotApplicable: The question has neither a unit nor a target to contradict.

    Examples:
        >>> from schemas.examples import median_glucose
        >>> question = median_glucose()
        >>> question.parameters.get("contradiction"), contradictory(question, Random(0)).parameters
        (None, {'contradiction': True})

        >>> contradictory(question.with_(selections=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: there is no selection to contradict
    """
    if not question.selections_of(Role.UNIT, Role.TARGET):
        raise NotApplicable("there is no selection to contradict")
    return Noise(parameters={"contradiction": True}, schema_evidence=evidence_tables(question))
