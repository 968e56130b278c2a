"""Answers whose rightness is known: the gold answer in the forms agents write it, and near and far misses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from robustgym.answers import folded
from robustgym.gold import canonical
from schemas.answers import AnswerKind, AnswerType
from schemas.pairs import GoldRow

Calls = tuple[tuple[str, dict[str, Any]], ...]
Made = tuple[str, bool, str, Calls]
"""Sort, whether it must succeed, the answer as JSON text, the calls before it."""

_NUMBERS = (AnswerKind.QUANTITY, AnswerKind.DURATION, AnswerKind.COUNT)
_STRANGE_UNIT = "furlong"


def of(row: GoldRow, others: Sequence[GoldRow], clean: GoldRow | None = None) -> Iterator[Made]:
    """Answers to a task that has one.

    Args:
        row: The task.
        others: Clean tasks of the same template, itself perhaps among them.
        clean: The clean task of its pair, itself perhaps.
    """
    for sort, answer in _right(row.gold, row.answer):
        yield f"right: {sort}", True, answer, ()
    if clean is not None and _differs(clean.gold, row.gold, row.answer):
        yield "wrong: as if nothing were wrong with the record", False, canonical(clean.gold), ()
    for sort, answer in _wrong(row, others):
        yield f"wrong: {sort}", False, answer, ()
    yield "wrong: abstains at once", False, "null", ()
    yield "wrong: abstains, having looked", False, "null", (("sql", {"statement": row.witness_sql}),)


def _right(gold: Any, contract: AnswerType) -> Iterator[tuple[str, str]]:
    yield "as the reference writes it", canonical(gold)
    match contract.kind:
        case kind if kind in _NUMBERS:
            yield from _right_numbers(Decimal(str(gold)), contract)
        case AnswerKind.YES_NO:
            yield "as a word", json.dumps("Yes" if gold else "no")
            yield "as value", json.dumps({"value": gold})
        case AnswerKind.CATEGORY:
            yield "in another case, with blanks", json.dumps(f"  {gold.swapcase()} ")
            yield "as value", json.dumps({"value": gold})
        case AnswerKind.CODE if contract.with_version:
            yield "version as text", json.dumps({"version": str(gold["version"]), "code": gold["code"].lower()})
            yield "with its dot", json.dumps({**gold, "code": _dotted(gold["code"])})
        case AnswerKind.CODE:
            yield "with its dot", json.dumps(_dotted(gold))
        case AnswerKind.TIME:
            yield "with Z", json.dumps(f"{gold}Z" if len(gold) > 10 else gold)
            yield "with a blank for T", json.dumps(gold.replace("T", " "))
            yield "as value", json.dumps({"value": gold})
        case AnswerKind.SET:
            yield "in another order", json.dumps(gold[::-1])
        case AnswerKind.ROWS:
            turned = [dict(reversed(record.items())) for record in gold[::-1]]
            yield "in another order", json.dumps(turned)
            yield "encoded twice", json.dumps(json.dumps(gold))


def _right_numbers(gold: Decimal, contract: AnswerType) -> Iterator[tuple[str, str]]:
    yield "as text", json.dumps(str(gold))
    yield "as value", f'{{"value": {gold}}}'
    yield "with more zeros", f"{gold:.{contract.decimals + 3}f}"
    if contract.kind is AnswerKind.COUNT:
        return
    yield "with its unit", f'{{"value": {gold}, "unit": {json.dumps(contract.unit)}}}'
    for unit in contract.unit_synonyms[:2]:
        yield "with its unit, spelt otherwise", f'{{"value": {gold}, "unit": {json.dumps(unit)}}}'
    half = Decimal(5).scaleb(-contract.decimals - 1)
    yield "half a digit more", str(gold + half)
    yield "half a digit less", str(gold - half)


def _wrong(row: GoldRow, others: Sequence[GoldRow]) -> Iterator[tuple[str, str]]:
    gold, contract = row.gold, row.answer
    stranger = next((o for o in others if o.subject_ids != row.subject_ids and _differs(o.gold, gold, contract)), None)
    if stranger is not None:
        yield "another patient's, or another cohort's", canonical(stranger.gold)
    same = next((o for o in others if o.subject_ids == row.subject_ids and _differs(o.gold, gold, contract)), None)
    if same is not None:
        yield "another record's of the same patient", canonical(same.gold)
    yield "a sentence about it", json.dumps(f"The answer is {canonical(gold)}.")
    yield "the word null", '"null"'
    match contract.kind:
        case kind if kind in _NUMBERS:
            yield from _wrong_numbers(Decimal(str(gold)), contract)
        case AnswerKind.YES_NO:
            yield "the other one", json.dumps(not gold)
            yield "a number for it", json.dumps(int(gold))
        case AnswerKind.CATEGORY:
            yield "part of it", json.dumps(gold[: len(gold) // 2])
            yield "more than it", json.dumps(f"{gold} or other")
            yield "nothing", '""'
        case AnswerKind.CODE if contract.with_version:
            yield "the other version", json.dumps({**gold, "version": 19 - gold["version"]})
            yield "without its version", json.dumps(gold["code"])
            yield "cut to its category", json.dumps({**gold, "code": gold["code"][:-1]})
        case AnswerKind.CODE:
            yield "cut to its category", json.dumps(gold[:-1])
            if gold.isdigit():
                yield "as a number", str(int(gold))
        case AnswerKind.TIME:
            yield from _wrong_times(gold, contract)
        case AnswerKind.SET:
            yield "one more", json.dumps([*gold, "something else"])
            if gold:
                yield "one less", json.dumps(gold[1:])
                yield "one twice", json.dumps([*gold, gold[0]])
        case AnswerKind.ROWS:
            yield from _wrong_rows(gold, contract)


def _wrong_numbers(gold: Decimal, contract: AnswerType) -> Iterator[tuple[str, str]]:
    digit = Decimal(1).scaleb(-contract.decimals)
    yield "a digit more", str(gold + digit)
    yield "a digit less", str(gold - digit)
    if contract.kind is not AnswerKind.COUNT:
        yield "just outside the tolerance", str(gold + digit * Decimal("0.51"))
        yield "another unit", f'{{"value": {gold}, "unit": "{_STRANGE_UNIT}"}}'
    if gold:
        yield "ten times as much", str(gold * 10)
        yield "its negative", str(-gold)
        yield "nothing counted", "0" if abs(gold) > digit else str(gold + 5 * digit)
    yield "not a number", "NaN"
    yield "a list of it", f"[{gold}]"


def _wrong_times(gold: str, contract: AnswerType) -> Iterator[tuple[str, str]]:
    step = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1)}.get(contract.resolution, timedelta(days=1))
    moment = datetime.fromisoformat(gold)
    for sort, other in (("a step later", moment + step), ("a year earlier", moment - timedelta(days=365))):
        yield sort, json.dumps(other.isoformat() if len(gold) > 10 else other.date().isoformat())
    if len(gold) > 10:
        yield "in another zone", json.dumps(f"{gold}+02:00")
        yield "without its time of day", json.dumps(gold[:10])


def _wrong_rows(gold: list[dict[str, Any]], contract: AnswerType) -> Iterator[tuple[str, str]]:
    if not gold:
        return
    yield "one row less", json.dumps(gold[1:])
    yield "one row twice", json.dumps([*gold, gold[0]])
    yield (
        "without a column",
        json.dumps([{k: v for k, v in row.items() if k != contract.columns[-1][0]} for row in gold]),
    )
    values = [name for name, _ in contract.columns if name not in contract.key]
    if values and gold[0][values[0]] is not None:
        emptied = [{**gold[0], values[0]: None}, *gold[1:]]
        yield "a value left empty", json.dumps(emptied)
    if values and len({canonical(row[values[0]]) for row in gold}) > 1:
        # Right values, each at another record.
        moved = [{**row, values[0]: other[values[0]]} for row, other in zip(gold, [*gold[1:], gold[0]], strict=True)]
        yield "right values at the wrong records", json.dumps(moved)


def _differs(one: Any, other: Any, contract: AnswerType) -> bool:
    """Whether two gold answers are further apart than the tolerance, however they are spelt."""
    if one is None:
        return False
    if contract.kind in _NUMBERS:
        return abs(Decimal(str(one)) - Decimal(str(other))) > Decimal(1).scaleb(-contract.decimals)
    return folded(canonical(one)) != folded(canonical(other))


def _dotted(code: str) -> str:
    """A code with the dot that clinicians write after its category."""
    return f"{code[:3]}.{code[3:]}" if len(code) > 3 else code
