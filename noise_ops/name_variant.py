"""Noise operator: the name of a drug is written another way."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.concept_models import Drug, Pool
from schemas.concepts import load, rows
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record, Selection, literal

DRUG_NAMES = frozenset({"drug", "medication", "product_description"})
"""Columns in which pharmacists write by hand. Codes and entries of a form have one spelling."""

MISSPELT: Mapping[str, str] = {row["name"]: row["misspelling"] for row in rows("misspellings")}
"""How people misspell the names of drugs: a vowel for another, a letter dropped or doubled, two letters swapped, a
sound spelt as it is heard (data/concepts/misspellings.csv)."""

_SQL = {"blank": "concat({0}, ' ')", "case": "CASE WHEN {0} = upper({0}) THEN lower({0}) ELSE upper({0}) END"}


@noise_op(
    level="value",
    promise="unchanged",
    severities={
        "blank": {"how": "blank"},
        "case": {"how": "case"},
        "misspelt": {"how": "misspelt", "share": 0.3},
        "listed": {"how": "listed"},
    },
    realism=(61, 62),
)
def name_variant(
    question: Question,
    rng: Random,
    *,
    how: Literal["blank", "case", "listed", "misspelt"] = "case",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Write the name of a drug in capitals, with a blank at the end, as another salt, brand or form, or misspelt.

    The demo has 631 drug strings, 598 once case and blanks are folded; 270 of its orders end in a blank, and
    hydromorphone is there with its brand, as an infusion and alone. Nothing is lost: whoever compares names as a
    pharmacist does reaches the answer, and whoever compares characters does not.

    Limits: as another salt, brand or form a drug is written only in the ways that the question itself says count. A
    misspelt name is none of those: it is harmless where it is another drug's, or where the answer rests on other
    records too. A question that gives names back changes with them. Such pairs are dropped when their promise is
    checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        how: `blank` adds one at the end, `case` writes capitals, `listed` takes another of the drug's entries, and
            `misspelt` spells it as people do.
        share: Share of the records to rewrite, at least one.

    Raises:
        NotApplicable: No target is known by the name of a drug, the drug has one entry only, or nobody misspells it.

    Examples:
        >>> from schemas.examples import first_lactate, heparin_hours
        >>> [order] = name_variant(heparin_hours(), Random(0)).overlay.edits
        >>> order.before, order.after
        ({'drug': 'Heparin'}, {'drug': 'HEPARIN'})
        >>> for how in ("listed", "misspelt"):
        ...     print(name_variant(heparin_hours(), Random(0), how=how).overlay.edits[0].after)
        {'drug': 'Heparin Sodium'}
        {'drug': 'Heparine'}

        >>> name_variant(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is known by the name of a drug
    """
    edits: list[Edit] = []
    known = False
    for selection in chosen_targets(question, 1.0):
        for column in sorted(DRUG_NAMES.intersection(selection.names)):
            known = True
            others = _entries(question, selection) if how == "listed" else ()
            row = partial(_variant, column, how, others, rng)
            edits += rewritten(question, selection, share, rng, row, _variant_sql(column, how, others))
    if not known:
        raise NotApplicable("no target is known by the name of a drug")
    return Noise(overlay=overlay(edits), worlds=siblings(question, rng))


def _entries(question: Question, selection: Selection) -> tuple[str, ...]:
    """The ways the question's drug is written in MIMIC-IV.

    Raises:
        NotApplicable: The question is not about one drug, or it is always written alike.
    """
    concept = load().of(Pool.ORDERED_DRUG).get(str(question.parameters.get("concept")))
    if not isinstance(concept, Drug):
        raise NotApplicable("the question is not about one drug")
    written = concept.administrations if selection.table == "emar" else concept.orders
    folded = {name.strip().lower(): name for name in written}
    if len(folded) < 2:
        raise NotApplicable("the drug is always written alike")
    return tuple(folded.values())


def _variant(column: str, how: str, others: tuple[str, ...], rng: Random, record: Record) -> dict[str, Value] | None:
    name = record[column]
    if name is None:
        return None
    match how:
        case "blank":
            return {column: f"{name} "}
        case "listed":
            return {column: rng.choice([other for other in others if other.lower() != name.strip().lower()])}
        case "misspelt":
            right = next((word for word in MISSPELT if word in name.lower()), None)
            return None if right is None else {column: _spelt(name, right)}
        case _:
            return {column: name.lower() if name == name.upper() else name.upper()}


def _spelt(name: str, right: str) -> str:
    """The name with one word misspelt, beginning with a capital if it did.

    >>> _spelt("Metoprolol Tartrate", "metoprolol")
    'Metropolol Tartrate'
    """
    at = name.lower().index(right)
    wrong = MISSPELT[right]
    return name[:at] + (wrong.capitalize() if name[at].isupper() else wrong) + name[at + len(right) :]


def _variant_sql(column: str, how: str, others: tuple[str, ...]) -> dict[str, str]:
    """The same of every record; of a drug's entries, each is written as the next."""
    if how == "listed":
        after = zip(others, (*others[1:], others[0]), strict=True)
        whens = " ".join(f"WHEN {literal(name.strip().lower())} THEN {literal(other)}" for name, other in after)
        return {column: f"CASE lower(trim({column})) {whens} ELSE {column} END"}
    if how == "misspelt":
        whens = " ".join(
            f"WHEN contains(lower({column}), {literal(right)}) "
            f"THEN regexp_replace({column}, {literal(right)}, {literal(wrong.capitalize())}, 'i')"
            for right, wrong in MISSPELT.items()
        )
        return {column: f"CASE {whens} ELSE {column} END"}
    return {column: _SQL[how].format(column)}
