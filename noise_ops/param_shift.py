"""Noise operator: the question asks for one thing else."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question


@noise_op(level="query", promise="recomputed", severities={"all": {}}, realism=("Dr.Spider",))
def param_shift(question: Question, rng: Random) -> Noise:
    """Ask the same of another item, ordinal, limit or day, of which the record holds the answer just as well.

    The next question on a round is the last one with one word changed. An agent that answers from habit, or from what
    it found for a like question, repeats the old answer.

    Limits: where the answer happens to be the same, the pair is dropped. Windows belong to a template and stay.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: The question has nothing of the sort, or nothing else to put there.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate()
        >>> question.parameters["concept"], param_shift(question, Random(2)).parameters
        ('lactate', {'concept': 'glucose'})
        >>> param_shift(question, Random(0)).parameters
        {'from_day': 3}
        >>> param_shift(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: nothing in the question could be another
    """
    slots = ["concept", "threshold", "nth", "from_day"]
    for slot in rng.sample(slots, k=len(slots)):
        if others := _others(question, slot):
            return Noise(parameters={slot: rng.choice(others)})
    raise NotApplicable("nothing in the question could be another")


def _others(question: Question, slot: str) -> list[Value]:
    """What else the slot could hold."""
    present = question.parameters.get(slot)
    match slot:
        case "concept":
            return list(question.around.recorded)
        case "from_day":
            return [day for day in range(2, question.around.last.get(slot, 1) + 1) if day != present]
        case "nth" if present is not None:
            return [nth for nth in (2, 3, 4) if nth != present]
        case "threshold" if present is not None:
            return [_near(float(present), share) for share in (0.8, 0.9, 1.1, 1.25)]
    return []


def _near(limit: float, share: float) -> float:
    """A limit somewhat higher or lower, in two digits as limits are.

    >>> _near(5.5, 1.1), _near(180, 0.8), _near(0.2, 1.25)
    (6.1, 140.0, 0.25)
    """
    return float(f"{limit * share:.1e}")
