"""Noise operator: the records that carry the answer are missing."""

from __future__ import annotations

import re
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Lack, NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question, Selection

EXPECTED = frozenset({"diagnoses_icd", "drgcodes", "services", "transfers"})
"""Tables of which every admission should have records: codes, billing groups, a service, wards."""


def _by_nature(selection: Selection) -> Lack:
    """An admission without any record of a sort that every admission has."""
    if selection.table not in EXPECTED or not re.fullmatch(r"TRUE|drg_type = '\w+'", selection.concept):
        raise NotApplicable("an admission without such a record is nothing unusual")
    return Lack("n = 0 AND linked = 0")


@noise_op(
    level="record",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(11, 44, 49, 56),
    natural=_by_nature,
)
def target_missing(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Remove the records that carry the answer, and those that tell the same fact elsewhere.

    Results vanish between releases, ICU stays have ward records but no row of their own, admissions lack codes or
    billing groups. Nothing in the table says that something is gone: only the absence shows. With half of the records
    gone a confident wrong answer is easier than with none.

    Limits: the `patients` table is left alone, as MIMIC-IV has a row for every patient it mentions. A count whose
    targets are not its coverage becomes 0, which is right; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to remove, at least one.

    Raises:
        NotApplicable: No record carries the answer, it lies in `patients`, or half of one record is asked for.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [first, second] = target_missing(first_lactate(), Random(0)).overlay.edits
        >>> first.kind, first.before["charttime"], first.before["valuenum"]
        ('delete', '2150-03-01 08:00:00', 4.2)

        >>> target_missing(discharge_destination(), Random(0), share=0.5)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: a single record cannot be hit in part
    """
    targets = chosen_targets(question, share)
    if any(selection.table == "patients" for selection in targets):
        raise NotApplicable("the answer lies in `patients`, which no patient is missing from")
    removed = [question.delete(selection, share, rng) for selection in targets]
    return Noise(overlay=overlay(*removed, without_routes(question, rng)), worlds=siblings(question, rng))
