"""Noise operator: a number without its unit."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import every, number_columns
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.questions import Question, Selection
from schemas.tables import TABLES


def _by_nature(selection: Selection) -> Fault:
    """A laboratory result with a number, without a unit, and without the reference range that would tell it."""
    if selection.table != "labevents" or not selection.unit:
        raise NotApplicable("no target states a unit that nothing else fixes")
    number = every(number_columns(selection), "{} IS NOT NULL")
    gone = every((*selection.unit, "ref_range_lower", "ref_range_upper"), "{} IS NULL")
    return Fault(f"{number} AND {gone}", like_model(selection.unit))


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(8, 60),
    natural=_by_nature,
)
def unit_missing(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Empty the unit of records that carry the answer; the number stays.

    Interfaces drop the unit, or a form never had a field for it: 18 million laboratory results of MIMIC-IV 2.2 have
    none. Where a substance is reported in several units, a bare number says nothing for certain.

    Limits: offered only for laboratory results, where nothing else fixes the unit: `d_items` names that of ICU items,
    and the strength of a drug stands beside its dose. INR, pH or specific gravity have none by nature, and leaving it
    out there is no fault. The reference range beside the number goes as well, as it is
    printed in the unit that is missing.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records whose unit to empty, at least one.

    Raises:
        NotApplicable: No target states a unit that nothing else fixes, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range
        >>> [lactate, _] = unit_missing(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before["valueuom"], lactate.after["valueuom"]
        ('mmol/L', None)

        >>> unit_missing(inr_range(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target states a unit that nothing else fixes
    """
    targets = [s for s in chosen_targets(question, share) if s.unit and s.table == "labevents"]
    if not targets:
        raise NotApplicable("no target states a unit that nothing else fixes")
    emptied = []
    for selection in targets:
        beside = [c for c in ("ref_range_lower", "ref_range_upper") if c in TABLES[selection.table]]
        emptied.append(question.put(selection, dict.fromkeys([*selection.unit, *beside]), share, rng))
    return Noise(overlay=overlay(*emptied, without_routes(question, rng)), worlds=siblings(question, rng))
