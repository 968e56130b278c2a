"""Answer Match: is what was submitted the gold answer?

An answer is read by its contract (`robustgym.answers`), then compared: decimals with half a digit of tolerance, texts
folded, records by their keys. There is no substring match and no partial credit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import permutations
from typing import Any, Literal, NamedTuple

from robustgym.answers import Malformed, OtherUnit, Rows, folded, gold_form, read
from schemas.answers import AnswerKind, AnswerType, Gold

Agreement = Literal["match", "no_match", "abstention", "malformed"]


class Matched(NamedTuple):
    """What an answer is, and why in a sentence (empty for a match)."""

    verdict: Agreement
    message: str = ""


def match(answer_json: str, contract: AnswerType, gold: Gold) -> Matched:
    """Compare an answer with the gold one.

    Args:
        answer_json: The answer as JSON text: the value, or an object with `value` (and `unit`).
        contract: What the question asks for.
        gold: The gold answer as `robustgym.gold` makes it; None where abstaining is right.

    Examples:
        >>> lactate = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)
        >>> match('{"value": 2.35, "unit": "mmol / L"}', lactate, 2.3).verdict
        'match'
        >>> match('{"value": 20.7, "unit": "mg/dL"}', lactate, 2.3)
        Matched(verdict='no_match', message='another unit than mmol/L')
        >>> match("null", lactate, 2.3).verdict
        'abstention'
        >>> match('"N/A"', lactate, 2.3)
        Matched(verdict='malformed', message='a number is needed; answer null to abstain')
    """
    try:
        given = read(answer_json, contract)
    except Malformed as error:
        return Matched("malformed", str(error))
    if given is None:
        return Matched("abstention")
    if isinstance(given, OtherUnit):
        return Matched("no_match", f"another unit than {contract.unit}")
    if gold is None:
        return Matched("no_match", "the record does not determine an answer")
    if contract.kind is AnswerKind.SET:
        return _compare_sets(given, gold_form(gold, contract))
    if contract.kind is AnswerKind.ROWS:
        return _compare_rows(given, gold_form(gold, contract), contract)
    return (
        Matched("match") if _equal(given, gold_form(gold, contract), contract) else Matched("no_match", "another value")
    )


def _equal(given: Any, gold: Any, contract: AnswerType) -> bool:
    """Whether one value equals another, NULL only NULL."""
    if given is None or gold is None:
        return given is gold
    match contract.kind:
        case AnswerKind.QUANTITY | AnswerKind.DURATION:
            # In decimals: 2.35 for 2.3 is half a digit off, and in binary floats it is more.
            return bool(abs(given - gold) <= Decimal(5).scaleb(-contract.decimals - 1))
        case AnswerKind.CATEGORY:
            synonyms = {folded(text): {folded(s) for s in same} for text, same in contract.synonyms}
            return given == gold or given in synonyms.get(gold, ())
        case _:
            return bool(given == gold)


def _compare_sets(given: Counter[str], gold: Counter[str]) -> Matched:
    """Sets of folded texts: a drug that the record spells in two ways is named by either, or by both."""
    if any(n > max(1, gold[text]) for text, n in given.items()):
        return Matched("malformed", "a text is given twice")
    return Matched("match") if given.keys() == gold.keys() else Matched("no_match", "another value")


def _compare_rows(given: Rows, gold: Rows, contract: AnswerType) -> Matched:
    if any(len(rows) > max(1, len(gold.get(key, ()))) for key, rows in given.items()):
        return Matched("malformed", "a row is given twice")
    if {key: len(rows) for key, rows in given.items()} != {key: len(rows) for key, rows in gold.items()}:
        return Matched("no_match", "other rows")
    same = all(_same_rows(given[key], rows, contract) for key, rows in gold.items())
    return Matched("match") if same else Matched("no_match", "other values in the same rows")


def _same_rows(given: Sequence[Mapping[str, Any]], gold: Sequence[Mapping[str, Any]], contract: AnswerType) -> bool:
    """Whether rows of one folded key, as many on both sides, are equal in some order; almost always it is one row."""
    return any(
        all(
            _equal(row[name], due[name], kind)
            for row, due in zip(order, gold, strict=True)
            for name, kind in contract.columns
        )
        for order in permutations(given)
    )
