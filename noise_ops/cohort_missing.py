"""Noise operator: the records that decide who or what counts are missing."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._edits import overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question, Role


@noise_op(
    level="record",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(49, 56, 65),
)
def cohort_missing(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Remove the records by which patients belong to the cohort, or events to the condition; keep what is measured.

    Admissions without codes, emergency visits without billing, wards that had no electronic medication record before
    2011: the measurements are complete, and whom they belong to is not. What remains is a cohort of nobody, or half a
    cohort that looks like a whole one.

    Limits: a cohort decided by the unit's own record (age, admission type) is left alone, as the unit would go too.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the patients whose records to remove (population), or of the records.

    Raises:
        NotApplicable: The question has neither cohort nor condition with records of its own.

    Examples:
        >>> from schemas.examples import first_lactate, median_glucose
        >>> [edit] = cohort_missing(median_glucose(), Random(0)).overlay.edits
        >>> edit.kind, edit.table, edit.where
        ('delete_where', 'diagnoses_icd', "(icd_version = 10 AND icd_code LIKE 'E11%')")

        >>> cohort_missing(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no records of their own decide who or what counts
    """
    units = {selection.table for selection in question.selections_of(Role.UNIT)} | {"patients"}
    deciding = [s for s in question.selections_of(Role.COHORT, Role.CONDITION) if s.table not in units]
    if not deciding:
        raise NotApplicable("no records of their own decide who or what counts")
    removed = [question.delete(selection, share, rng) for selection in deciding]
    return Noise(overlay=overlay(*removed, without_routes(question, rng)), worlds=siblings(question, rng))
