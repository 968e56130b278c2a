"""Noise operator: the name of a drug is written another way."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record

DRUG_NAMES = frozenset({"drug", "medication", "product_description"})
"""Columns in which pharmacists write by hand. Codes and entries of a form have one spelling."""

_SQL = {"blank": "concat({0}, ' ')", "case": "CASE WHEN {0} = upper({0}) THEN lower({0}) ELSE upper({0}) END"}


@noise_op(
    level="value",
    promise="unchanged",
    severities={"blank": {"how": "blank"}, "case": {"how": "case"}},
    realism=(61, 62),
)
def name_variant(
    question: Question,
    rng: Random,
    *,
    how: Literal["blank", "case"] = "case",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Write drug names in capitals, or with a blank at the end.

    The demo has 631 drug strings, 598 once case and blanks are folded, and 270 of its orders end in a blank. Nothing is
    lost: whoever compares names as a pharmacist does reaches the answer, and whoever compares characters does not.

    Limits: no salts or brands, as whether those are the same is a question of its own. A question that gives names
    back, or demands one exact spelling, changes with them; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        how: `blank` adds one at the end, `case` writes capitals.
        share: Share of the records to rewrite, at least one.

    Raises:
        NotApplicable: No target is known by the name of a drug.

    Examples:
        >>> from schemas.examples import first_lactate, heparin_hours
        >>> [order] = name_variant(heparin_hours(), Random(0)).overlay.edits
        >>> order.before, order.after
        ({'drug': 'Heparin'}, {'drug': 'HEPARIN'})

        >>> name_variant(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is known by the name of a drug
    """
    edits: list[Edit] = []
    for selection in chosen_targets(question, 1.0):
        for column in sorted(DRUG_NAMES.intersection(selection.names)):
            put = {column: _SQL[how].format(column)}
            edits += rewritten(question, selection, share, rng, partial(_variant, column, how), put)
    if not edits:
        raise NotApplicable("no target is known by the name of a drug")
    return Noise(overlay=overlay(edits), worlds=siblings(question, rng))


def _variant(column: str, how: str, record: Record) -> dict[str, Value] | None:
    name = record[column]
    if name is None:
        return None
    if how == "blank":
        return {column: f"{name} "}
    return {column: name.lower() if name == name.upper() else name.upper()}
