"""Noise operator: the question wants a unit that nothing converts to."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import chosen_targets
from schemas.noise import Noise
from schemas.overlays import Overlay
from schemas.questions import Question, Selection
from schemas.units import UNDERIVABLE, spellings


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(8, "TrustSQL"))
def unit_underivable(question: Question, rng: Random) -> Noise:
    """Ask for the value in a unit that it cannot be converted to with anything on record.

    A guideline gives creatine kinase by mass and the laboratory reports its activity; a pump is set in millilitres and
    the dose is on record in micrograms, without the strength of the bag. A factor from memory gives a confident number.

    Limits: only where a column names the unit; units and what they cannot become are listed in `schemas/units.py`. A
    unit with a declared conversion is never asked for. The words alone show the fault.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No record carries the answer, or the unit of the answer has no such other.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate()
        >>> noise = unit_underivable(question, Random(0))
        >>> question.answer.unit, noise.parameters
        ('mmol/L', {'asked_unit': 'mmol'})

        In the supported world the laboratory reports in that unit.

        >>> [(edit.before["valueuom"], edit.after["valueuom"]) for edit in noise.worlds[0].edits]
        [('mmol/L', 'mmol'), ('mmol/L', 'mmol')]
        >>> unit_underivable(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no column names the unit of the answer
    """
    targets = [selection for selection in chosen_targets(question, 1.0) if selection.unit]
    if not targets:
        raise NotApplicable("no column names the unit of the answer")
    offered = _underivable(question.answer.unit or "", targets[0])
    if not offered:
        raise NotApplicable(f"whatever {question.answer.unit} could not be converted to, nobody asks for")
    unit = rng.choice(offered)
    edits = tuple(edit for s in targets for edit in question.put(s, {s.unit[0]: unit}, 1.0, rng))
    return Noise(parameters={"asked_unit": unit}, worlds=(Overlay(edits=edits),))


def _underivable(unit: str, selection: Selection) -> list[str]:
    """Units that a value in this one cannot be converted to: none that has a declared factor, in any spelling."""
    declared = {spelling for other, _ in selection.alternatives for spelling in spellings(other)}
    # The unit of pH is written like that of insulin: "units".
    usual = next((known for known in UNDERIVABLE if unit != "units" and known in spellings(unit)), "")
    return [other for other in UNDERIVABLE.get(usual, ()) if other not in declared]
