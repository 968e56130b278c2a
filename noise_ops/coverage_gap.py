"""Noise operator: the ward had no electronic administration record yet."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Lack, NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Delete, Edit
from schemas.questions import Question, Record, Role, Scope, Selection, salient

ADMINISTRATION = ("emar", "emar_detail")
"""The tables of the administration record."""


def _by_nature(selection: Selection) -> Lack:
    """An admission of which nobody charted any administration of any drug."""
    if selection.table != "emar" or selection.concept != "TRUE":
        raise NotApplicable("the answer does not rest on all that was administered")
    return Lack("n = 0 AND linked = 0")


@noise_op(
    level="record",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(64, 65),
    natural=_by_nature,
)
def coverage_gap(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Remove every administration of every drug, and keep the prescriptions: ordered is all that is known.

    The electronic medication record came ward by ward between 2011 and 2013. Before, a drug was ordered on the computer
    and its doses were ticked off on paper. Whether it was given is then not "no": nothing of that time was recorded.

    Limits: only questions whose answer rests on all that was administered (was it given, how many of the doses given),
    since the doses of one drug alone leave no gap but an absence; for those see `target_missing`. Doses that were
    charted as not given stay, as no question of this sort reads them. Half a gap is the later half of the doses, or
    half of the patients of a population.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the administrations (patient) or of the patients (population) that were never recorded.

    Raises:
        NotApplicable: The answer does not rest on the whole administration record, or half of one dose is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import insulin_doses
        >>> [first, *others] = coverage_gap(insulin_doses(), Random(0)).overlay.edits
        >>> first.kind, first.table, first.before["medication"], len(others)
        ('delete', 'emar', 'Metoprolol Tartrate', 3)
        >>> [dose, _] = coverage_gap(insulin_doses(), Random(0), share=0.5).overlay.edits
        >>> dose.before["charttime"]
        '2150-03-02 08:00:00'

        >>> coverage_gap(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the answer does not rest on all that was administered
    """
    targets = [selection for selection in chosen_targets(question, share) if selection.table in ADMINISTRATION]
    if not any(selection.concept == "TRUE" for selection in targets if selection.table == "emar"):
        raise NotApplicable("the answer does not rest on all that was administered")
    deciding = question.selections_of(Role.TARGET, Role.ANCHOR, Role.CONDITION, Role.COHORT)
    recorded = [selection for selection in deciding if selection.table in ADMINISTRATION]
    if question.scope is Scope.PATIENT:
        removed = list(_later(question, recorded, share))
    else:
        # The same patients in every table: each draw begins at the same place.
        start = rng.random()
        removed = [edit for selection in recorded for edit in question.delete(selection, share, Random(start))]
    return Noise(overlay=overlay(removed), worlds=siblings(question, rng))


def _later(question: Question, recorded: Iterable[Selection], share: float) -> Iterable[Edit]:
    """Deletions of the last doses of a patient, with their details; of all doses where the share is 1."""
    rows = [(selection, record) for selection in recorded for record in question.records_of(selection)]
    charted = sorted({(str(r["charttime"]), r["emar_id"]) for _, r in rows if r.table == "emar"})
    gone = {emar_id for _, emar_id in charted[len(charted) - max(1, round(share * len(charted))) :]}

    def lost(record: Record) -> bool:
        return share >= 1 or record["emar_id"] in gone

    for selection, r in rows:
        if lost(r):
            yield Delete(table=r.table, row=r.row, subject_id=r.subject_id, before=salient(selection, r))
