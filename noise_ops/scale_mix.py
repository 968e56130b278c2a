"""Noise operator: percent and fraction, or a flow, in one column."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._cells import decimals, measured, number, number_sql, plausible, written, written_sql
from noise_ops._edits import chosen_targets, overlay, rewritten, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Scope, Selection

OXYGEN = ("itemid = 50816", "itemid = 223835")
"""Inspired oxygen, on the blood gas and on the ventilator's chart: the items that also take a flow."""


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "flow": {"to": "flow"},
        "fraction": {"to": "fraction"},
    },
    realism=(21,),
)
def scale_mix(
    question: Question,
    rng: Random,
    *,
    to: Literal["fraction", "flow"] = "fraction",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Write a percentage as a fraction, 0.5 for 50, or inspired oxygen as litres a minute; the label stays `%`.

    One blood-gas analyser asks for FiO2 in percent and the next as a fraction, and a patient without a ventilator has
    a flow, which the same field takes. mimic-code's `bg.sql` and `ventilator_setting.sql` sort the three apart by their
    size. A haematocrit is 0.40 in SI units.

    Limits: only where a percentage cannot be as small as the number reads. Every question states the range in which a
    number counts, and no question has a rule that rescales one: a fraction is outside the range, so where all are
    fractions the answer is gone, and where some are, the others decide. A flow says nothing certain of FiO2 at all.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        to: `fraction` divides by 100; `flow` writes the litres a minute that go with the FiO2 by the rule of thumb of 4
            percent for each litre above room air, 15 at most (nasal cannula and mask; no unit is changed).
        share: Share of the records to spoil, at least one.

    Raises:
        NotApplicable: No target is a percentage that would be impossible so, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import highest_oxygen
        >>> [oxygen, *_] = scale_mix(highest_oxygen(), Random(0)).overlay.edits
        >>> oxygen.before, oxygen.after
        ({'valuenum': 50.0, 'value': '50'}, {'valuenum': 0.5, 'value': '0.5'})
        >>> scale_mix(highest_oxygen(), Random(0), to="flow").overlay.edits[0].after["value"]
        '8'

        >>> scale_mix(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a percentage that cannot be so small
    """
    targets = [s for s in chosen_targets(question, share) if _small(question, s, to)]
    if not targets:
        raise NotApplicable("no target is a percentage that cannot be so small")
    edits = []
    for selection in targets:
        put = written_sql(selection, _rescaled_sql(number_sql(selection), to))
        edits.append(rewritten(question, selection, share, rng, partial(_rescaled, selection, to), put))
    return Noise(overlay=overlay(*edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _small(question: Question, selection: Selection, to: str) -> bool:
    """Whether it holds percentages, all of them impossible as they will read."""
    if not measured(selection) or selection.low is None or selection.high is None:
        return False
    oxygen = selection.concept in OXYGEN
    if to == "flow":
        return oxygen
    if not oxygen and "'%'" not in selection.support:
        return False
    if question.scope is Scope.POPULATION:
        return not plausible(selection.high / 100, selection)
    values = [number(record, selection) for record in question.records_of(selection)]
    return not any(value is not None and plausible(value / 100, selection) for value in values)


def _rescaled(selection: Selection, to: str, record: Record) -> dict[str, Value] | None:
    value = number(record, selection)
    if value is None:
        return None
    if to == "flow":
        return written(selection, float(min(15, max(1, round((value - 20) / 4)))))
    return written(selection, round(value / 100, decimals(value) + 2))


def _rescaled_sql(sql: str, to: str) -> str:
    if to == "flow":
        return f"least(15.0, greatest(1.0, round(({sql} - 20) / 4)))"
    return f"round({sql} / 100, 4)"
