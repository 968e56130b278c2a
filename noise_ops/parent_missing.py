"""Noise operator: the admission or ICU stay asked about has no record of its own."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question, Role


@noise_op(level="record", promise="abstention", severities={"all": {}}, realism=(44,))
def parent_missing(question: Question, rng: Random) -> Noise:
    """Remove the admission or ICU stay the question is about, and keep the events that happened in it.

    By one user's estimate three thousand patients were in an ICU ward by `transfers` and have no row in `icustays`. The
    events are orphans: without the stay's own times nobody can say which of them belong to its first day.

    Limits: patients are kept. Events that name the stay by id still say that there was one, not when it began or ended;
    records that tell its times elsewhere are the question's declared routes and go as well.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: The question is about whole patients, or its unit has no record.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [stay] = parent_missing(first_lactate(), Random(0)).overlay.edits
        >>> stay.kind, stay.table, stay.before["intime"]
        ('delete', 'icustays', '2150-03-01 07:00:00')

        >>> parent_missing(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question is not about an admission or an ICU stay
    """
    units = [selection for selection in question.selections_of(Role.UNIT) if selection.table != "patients"]
    if not units:
        raise NotApplicable("the question is not about an admission or an ICU stay")
    removed = [question.delete(selection, 1.0, rng) for selection in units]
    return Noise(overlay=overlay(*removed, without_routes(question, rng, unit=True)), worlds=siblings(question, rng))
