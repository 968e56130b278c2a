"""Noise operator: the question asks for something MIMIC-IV does not hold."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._worlds import evidence_tables
from schemas.attributes import ATTRIBUTES
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=("EHRSQL", "TrustSQL"))
def schema_absent(question: Question, rng: Random) -> Noise:
    """Ask for an amount of money, an address, a name or a serial number, which no column holds.

    Hospital staff do not know what was left out when the record was made anonymous, and ask their database what it
    never held; so they did when the questions of EHRSQL were collected. Columns that sound near (a provider's number, a
    billing code) tempt an agent to answer with something else.

    Limits: no hospital could support it, so evidence is a look at the columns of the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No such attribute sounds natural for this intent, or the question reads no table.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> question = first_lactate()
        >>> noise = schema_absent(question, Random(0))
        >>> question.parameters.get("attribute"), noise.parameters, noise.schema_evidence
        (None, {'attribute': 'physician_name'}, ('icustays', 'labevents'))

        >>> schema_absent(question.with_(selections=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no table of the question could be looked at
    """
    if not (tables := evidence_tables(question)):
        raise NotApplicable("no table of the question could be looked at")
    fitting = [attribute.id for attribute in ATTRIBUTES.values() if question.intent in attribute.intents]
    if not fitting:
        raise NotApplicable(f"no attribute sounds natural among questions about {question.intent}")
    return Noise(parameters={"attribute": rng.choice(fitting)}, schema_evidence=tables)
