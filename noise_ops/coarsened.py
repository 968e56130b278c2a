"""Noise operator: an age or a date of death that de-identification has coarsened."""

from __future__ import annotations

from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record, Role, Scope, Selection

ABOVE_89 = 91
"""What MIMIC-IV writes for every age above 89 (mimic.mit.edu, hosp.patients: anchor_age)."""

OLD = 70
"""Age in years from which a patient whose other records stay as they are may pass for one of those."""


def _by_nature(selection: Selection) -> Fault:
    """A patient whose age stands for any above 89. A missing date of death may mean that there was no death."""
    if "anchor_age" not in selection.value:
        raise NotApplicable("no target is an age")
    return Fault("anchor_age > 89", like_model(["anchor_age"]))


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(35, 36),
    natural=_by_nature,
)
def coarsened(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Write age 91, which stands for any above 89, for the age of an old patient; or leave out when a patient died.

    The privacy rule of HIPAA has no exact age above 89, and MIMIC-IV gives a date of death only up to a year after the
    last discharge. 91 looks like a number and is a class; a missing date means alive, lost, or dead for more than a
    year. Neither how old the patient was nor how long they lived can be told.

    Limits: only ages and dates of death in `patients`. A patient under 70 is left as they are, as what else is recorded
    of them would not fit, and so is one who died in hospital, where `deathtime` tells the same. A population keeps its
    younger patients: some answer remains, and half of the old at most are hidden.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the patients to coarsen.

    Raises:
        NotApplicable: No target is an age or a date of death, the patient is too young or died in hospital, half of one
            patient or an entire population is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_registered import age_on_admission
        >>> coarsened(age_on_admission(), Random(0)).overlay.edits[0].after
        {'anchor_age': 91}
        >>> coarsened(age_on_admission(54), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the patient is too young

        >>> coarsened(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is an age or a date of death
    """
    targets = [selection for selection in chosen_targets(question, share) if selection.table == "patients"]
    if not targets:
        raise NotApplicable("no target is an age or a date of death")
    if question.scope is Scope.POPULATION and share == 1.0:
        raise NotApplicable("a population is never entirely old, nor lost")
    edits: list[Edit] = []
    for selection in targets:
        if "dod" in selection.time:
            if any(question.count(route) for route in question.selections_of(Role.ROUTE)):
                raise NotApplicable("the patient died in hospital")
            edits += question.put(selection, {"dod": None}, share, rng)
        elif "anchor_age" in selection.value:
            edits += _aged(question, selection, share, rng)
    return Noise(overlay=overlay(edits), worlds=siblings(question, rng))


def _aged(question: Question, selection: Selection, share: float, rng: Random) -> tuple[Edit, ...]:
    """Edits that hide the ages of the old behind 91."""

    def row(record: Record) -> dict[str, Value] | None:
        return {"anchor_age": ABOVE_89} if record["anchor_age"] >= OLD else None

    put = {"anchor_age": f"CASE WHEN anchor_age >= {OLD} THEN {ABOVE_89} ELSE anchor_age END"}
    edits = rewritten(question, selection, share, rng, row, put)
    if not edits:
        raise NotApplicable("the patient is too young")
    return edits
