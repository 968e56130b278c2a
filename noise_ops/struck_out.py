"""Noise operator: the only number left is one that was struck out."""

from __future__ import annotations

from random import Random

from noise_ops import noise_op
from noise_ops._compose import composed, strongest
from noise_ops.audit_rows import audit_rows
from noise_ops.value_null import value_null
from schemas.noise import Noise
from schemas.questions import Question


@noise_op(level="value", promise=strongest(audit_rows, value_null), severities={"all": {}}, realism=(3, 27, 68))
def struck_out(question: Question, rng: Random) -> Noise:
    """Empty the value of every record that carries the answer, beside rows with a value that do not count.

    A rate is corrected and the new row is never filled in; what the chart still shows is the old row, `Rewritten`. A
    culture is cancelled, and the one that replaced it has no result. Whoever reads the status finds that nothing
    determines the answer; whoever takes the number that is there answers.

    Limits: those of its parts, `audit_rows` and `value_null`: the question's own selection must refuse such a status.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: One of its parts is not.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import insulin_doses
        >>> [struck, *_, emptied] = struck_out(insulin_doses(), Random(0)).overlay.edits
        >>> struck.kind, struck.after["medication"], struck.after["event_txt"]
        ('insert', 'Metoprolol Tartrate', 'Not Given')
        >>> emptied.before, emptied.after
        ({'medication': 'Insulin', 'event_txt': 'Administered'}, {'medication': None, 'event_txt': None})

        >>> struck_out(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no selection refuses a status
    """
    return composed(question, rng, audit_rows, value_null)
