"""Noise operator: a patient's admissions disagree about who the patient is."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Scope, Selection

OTHERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "race": {
        "WHITE": ("OTHER", "WHITE - OTHER EUROPEAN", "PORTUGUESE", "HISPANIC OR LATINO"),
        "BLACK/AFRICAN AMERICAN": ("OTHER", "BLACK/CAPE VERDEAN", "BLACK/AFRICAN"),
        "HISPANIC/LATINO - CUBAN": ("HISPANIC OR LATINO", "OTHER", "WHITE"),
        "": ("WHITE", "OTHER", "BLACK/AFRICAN AMERICAN"),
    },
    "marital_status": {
        "SINGLE": ("DIVORCED", "MARRIED", "WIDOWED"),
        "MARRIED": ("SINGLE", "WIDOWED", "DIVORCED"),
        "WIDOWED": ("SINGLE", "MARRIED"),
        "": ("SINGLE", "MARRIED"),
    },
    "insurance": {"Medicare": ("Other", "Medicaid"), "": ("Medicare", "Other")},
    "language": {"": ("ENGLISH",)},
}
"""By column and what is stated: what another admission of the same patient states instead. The pairs are those of the
demo (4 of 100 patients have two races, 8 two marital statuses, 5 two insurances), the kin of a group among them."""

UNKNOWN: Mapping[str, tuple[str | None, ...]] = {
    "race": ("UNKNOWN", "UNABLE TO OBTAIN"),
    "language": ("?",),
    "marital_status": (None,),
}
"""By column: how registration writes that it was not said (23, 20 and 12 of the demo's 275 admissions)."""


def _by_nature(selection: Selection) -> Fault:
    """An admission of a patient whose admissions state different values."""
    columns = [column for column in selection.names if column in OTHERS]
    if selection.table != "admissions" or not columns:
        raise NotApplicable("no target states who the patient is")
    differing = (
        f"SELECT subject_id FROM admissions WHERE {selection.test} "
        f"GROUP BY subject_id HAVING count(DISTINCT {columns[0]}) > 1"
    )
    return Fault(f"({selection.support}) AND subject_id IN ({differing})", like_model(columns), usable=True)


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "unknown": Severity({"said": "unknown"}, promise="unchanged"),
        "conflict": {"said": "another"},
    },
    realism=(39, 40, 41),
    natural=_by_nature,
)
def attribute_conflict(
    question: Question,
    rng: Random,
    *,
    said: Literal["another", "unknown"] = "another",
    share: Annotated[float, Interval(gt=0, lt=1)] = 0.5,
) -> Noise:
    """Let a part of a patient's admissions state another race, marital status, language or insurance, or none.

    Registration asks anew at every admission, of whoever came along, and writes what it understands: 4 of the demo's
    100 patients have two races, 20 of its 275 admissions the language `?`. Who the patient is cannot then be told, if
    nobody says which admission to believe. What was stated at one admission still can, and an admission at which it was
    not said contradicts nothing.

    Limits: a list of all that was stated is only longer by another value; such a pair is dropped when its promise is
    checked, and a question for the one value of a patient is kept. One admission cannot disagree with itself, and a
    population has no one value.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        said: At the admissions that are hit: `another` value, or that it is `unknown`.
        share: Share of the admissions to hit, at least one and never all.

    Raises:
        NotApplicable: No target states such a value, or only one does.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_registered import agreed_race
        >>> attribute_conflict(agreed_race(), Random(0)).overlay.edits[0].after
        {'race': 'OTHER'}
        >>> attribute_conflict(agreed_race(), Random(0), said="unknown").overlay.edits[0].after
        {'race': 'UNKNOWN'}

        >>> attribute_conflict(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target states who the patient is
    """
    if question.scope is Scope.POPULATION:
        raise NotApplicable("a population has no one value")
    stated = [
        (s, c) for s in chosen_targets(question, share) for c in s.names if s.table == "admissions" and c in OTHERS
    ]
    if not stated:
        raise NotApplicable("no target states who the patient is")
    [(selection, column)] = stated
    if said == "unknown" and column not in UNKNOWN:
        raise NotApplicable("it is always stated")

    def row(record: Record) -> dict[str, Value]:
        others = OTHERS[column]
        choice = UNKNOWN[column] if said == "unknown" else others.get(record[column], others[""])
        return {column: rng.choice([value for value in choice if value != record[column]] or choice)}

    # All but one at most: where two admissions are hit and both were changed alike, they would agree again.
    hit = min(share, 1 - 1 / max(question.count(selection), 2))
    return Noise(overlay=overlay(rewritten(question, selection, hit, rng, row, {})), worlds=siblings(question, rng))
