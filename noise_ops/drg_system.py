"""Noise operator: a billed group is filed under the other system."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.concepts import rows
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, literal

APR, HCFA = "APR", "HCFA"

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    system: {row["drg_code"]: row[f"{system.lower()}_description"] for row in rows("shared_drgs")}
    for system in (APR, HCFA)
}
"""By system and number: what it calls a group whose number the other system has too (data/concepts/shared_drgs.csv)."""

LEVELS = ((3, 3), (4, 4), (2, 1), (3, 2), (2, 2), (4, 3), (1, 1))
"""Severity and risk of mortality of an APR group, the commonest first: 199 of the demo's 221."""


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(55,),
)
def drg_system(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """File a billed group under the other DRG system: the number stays, what it means and its levels do not.

    Hospitals are paid by HCFA-DRG and compared by APR-DRG, and both count to 999: 194 is heart failure in the one and
    pneumonia in the other; 18 numbers of the demo mean two things. Filed under the wrong system, a group gets the
    other's description; an HCFA group has no severity and no risk of mortality (233 of the demo's 233 are NULL).
    Whoever reads the number without its system answers for another disease.

    Limits: only numbers that both systems have. The admission may then have two groups of one system and none of the
    other. For many patients at once, a level is put beside an APR group by its number.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the groups to file wrongly, at least one.

    Raises:
        NotApplicable: No target is a billed group whose number both systems have, or half of one is asked for.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_registered import severity_level
        >>> [group] = drg_system(severity_level(), Random(0)).overlay.edits
        >>> group.before["description"], group.before["drg_severity"]
        ('HEART FAILURE', 3)
        >>> group.after["drg_type"], group.after["description"], group.after["drg_severity"]
        ('HCFA', 'SIMPLE PNEUMONIA & PLEURISY W CC', None)

        >>> drg_system(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a billed group
    """
    targets = [selection for selection in chosen_targets(question, share) if selection.table == "drgcodes"]
    if not targets:
        raise NotApplicable("no target is a billed group")

    def row(record: Record) -> dict[str, Value] | None:
        system = HCFA if record["drg_type"] == APR else APR
        if record["drg_code"] not in DESCRIPTIONS[system]:
            raise NotApplicable("the other system has no group of that number")
        severity, mortality = rng.choice(LEVELS) if system == APR else (None, None)
        return {
            "drg_type": system,
            "description": DESCRIPTIONS[system][record["drg_code"]],
            "drg_severity": severity,
            "drg_mortality": mortality,
        }

    return Noise(
        overlay=overlay(*(rewritten(question, s, share, rng, row, _filed_otherwise()) for s in targets)),
        worlds=siblings(question, rng),
    )


def _filed_otherwise() -> dict[str, str]:
    """The same of every group, as SQL. A number the other system lacks keeps its description."""

    def described(system: str) -> str:
        whens = " ".join(f"WHEN {literal(n)} THEN {literal(text)}" for n, text in DESCRIPTIONS[system].items())
        return f"CASE drg_code {whens} ELSE description END"

    place = f"TRY_CAST(drg_code AS INTEGER) % {len(LEVELS)}"

    def level(part: int) -> str:
        whens = " ".join(f"WHEN {i} THEN {pair[part]}" for i, pair in enumerate(LEVELS))
        return f"CASE WHEN drg_type = '{HCFA}' THEN CASE {place} {whens} END END"

    return {
        "drg_type": f"CASE WHEN drg_type = '{APR}' THEN '{HCFA}' ELSE '{APR}' END",
        "description": f"CASE WHEN drg_type = '{APR}' THEN {described(HCFA)} ELSE {described(APR)} END",
        "drg_severity": level(0),
        "drg_mortality": level(1),
    }
