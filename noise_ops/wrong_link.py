"""Noise operator: the question names one patient and another patient's admission or stay."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._units import TABLE, handed_to, named_unit
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.overlays import Overlay, UpdateWhere
from schemas.questions import Question, literal


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(32, "PRACTIQ"))
def wrong_link(question: Question, rng: Random) -> Noise:
    """Name an admission or ICU stay that is another patient's, together with this patient.

    Two charts are open, and the number is copied from the wrong one. Both numbers exist, and a statement that looks up
    the admission alone returns the other patient's result as this one's.

    Limits: the question has to name the patient as well; the operator sets `subject_id` and the template says it.
    Populations and questions about a whole patient name no admission.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: The question names neither admission nor stay, or no other patient's is known.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate()
        >>> noise = wrong_link(question, Random(0))
        >>> question.parameters["stay_id"], noise.parameters
        (30000007, {'subject_id': 10000007, 'stay_id': 30000011})

        In the supported world the stay has been handed over to this patient.

        >>> [edit] = noise.worlds[0].edits
        >>> edit.kind, edit.where, edit.put["subject_id"], edit.put["intime"]
        ('update_where', 'stay_id = 30000011', '10000007', "'2150-03-01 07:00:00'")
        >>> wrong_link(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question names no admission or stay
    """
    column = named_unit(question)
    if column == "subject_id":
        raise NotApplicable("the question names no admission or stay")
    others = [other for other in question.around.others if column in other]
    if not others:
        raise NotApplicable("no other patient's unit is known")
    number = rng.choice(others)[column]
    parameters = {"subject_id": question.subject_ids[0], column: number}
    table = TABLE[column]
    own = [record for record in question.records if record.table == table and record[column] != number]
    own = [record for record in own if record[column] == question.parameters[column]]
    if not own:
        return Noise(parameters=parameters, schema_evidence=evidence_tables(question))
    put = {name: literal(value) for name, value in own[0].values.items() if name != column}
    handed = UpdateWhere(table=table, where=f"{column} = {number}", put=put)
    copies = handed_to(question, column, number, without=table)
    return Noise(parameters=parameters, worlds=(Overlay(edits=(handed, *copies)),))
