"""Noise operator: the question names an admission, stay or patient that does not exist."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._units import handed_to, named_unit
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.overlays import Overlay
from schemas.questions import Question


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=("EHRSQL", "PRACTIQ"))
def entity_absent(question: Question, rng: Random) -> Noise:
    """Name a number that no admission, ICU stay or patient bears.

    A digit is mistyped, or the number comes from another hospital's system or another release. The number looks like
    any other; only looking it up shows that nobody has it.

    Limits: populations name nobody. Without associated records to copy there is no supported world, and evidence is a
    look at the columns of the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: The question names no unit, or no unused number is left.

    Examples:
        >>> from schemas.examples import first_lactate, median_glucose
        >>> question = first_lactate()
        >>> noise = entity_absent(question, Random(0))
        >>> question.parameters["stay_id"], noise.parameters["stay_id"]
        (30000007, 30000113)
        >>> [(insert.table, insert.after["stay_id"], insert.after["intime"]) for insert in noise.worlds[0].edits]
        [('icustays', 30000113, '2150-03-01 07:00:00')]

        >>> entity_absent(median_glucose(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question names no patient, admission or stay
    """
    column = named_unit(question)
    unused = question.around.unused.get(column, ())
    if not unused:
        raise NotApplicable(f"no unused {column} is left")
    number = unused[rng.randrange(len(unused))]
    copies = tuple(handed_to(question, column, number))
    if not copies:
        return Noise(parameters={column: number}, schema_evidence=evidence_tables(question))
    return Noise(parameters={column: number}, worlds=(Overlay(edits=copies),))
