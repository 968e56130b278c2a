"""Answer Match: is what was submitted the gold answer?

An answer is first read by its contract alone, so that being malformed says nothing about being right, and can be told
the agent. Then it is compared: decimals with half a digit of tolerance, texts folded, records by their keys. There is
no substring match and no partial credit.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple

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
        given = _read(_load(answer_json), contract)
    except Malformed as error:
        return Matched("malformed", str(error))
    if given is None:
        return Matched("abstention")
    if isinstance(given, _OtherUnit):
        return Matched("no_match", f"another unit than {contract.unit}")
    if gold is None:
        return Matched("no_match", "the record does not determine an answer")
    if contract.kind is AnswerKind.ROWS:
        return _compare_rows(given, _read_rows(gold, contract), contract)
    return Matched("match") if _equal(given, _gold(gold, contract), contract) else Matched("no_match", "another value")


def malformed(answer_json: str, contract: AnswerType) -> str | None:
    """What is wrong with the form of an answer, whatever the gold is; None if nothing."""
    try:
        _read(_load(answer_json), contract)
    except Malformed as error:
        return str(error)
    return None


class Malformed(ValueError):
    """The answer does not fit its contract; the message says what would."""


class _OtherUnit:
    """A number in a unit that is not the one asked for. Never converted: the unit is part of the answer."""


# -- reading ----------------------------------------------------------------------------------------------------------


def _load(text: str) -> Any:
    """JSON with exact numbers, each key once."""

    def refuse(constant: str) -> None:
        raise Malformed(f"{constant} is not a number")

    try:
        return json.loads(text, parse_float=Decimal, parse_int=Decimal, parse_constant=refuse, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise Malformed(f"the answer is not JSON: {error}") from None
    except (RecursionError, InvalidOperation):
        raise Malformed("the answer can't be read") from None


def _once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in items}) != len(items):
        raise Malformed("a key is given twice")
    return dict(items)


def _read(answer: Any, contract: AnswerType) -> Any:
    """The answer in the form it is compared in; None if it abstains."""
    if answer is None:
        return None
    match contract.kind:
        case AnswerKind.ROWS:
            # Some models encode a list twice; it says the same.
            return _read_rows(_load(answer) if isinstance(answer, str) else answer, contract)
        case AnswerKind.SET:
            return _read_set(answer)
        case AnswerKind.CODE if contract.with_version:
            record = _keys(answer, ("code", "version"))
            return None if record["code"] is None else (_code(record["code"]), _number(record["version"]))
        case _:
            return _read_single(answer, contract)


def _read_single(answer: Any, contract: AnswerType) -> Any:
    if not isinstance(answer, dict):
        return _cell(answer, contract)
    optional = ("unit",) if contract.kind in (AnswerKind.QUANTITY, AnswerKind.DURATION) else ()
    record = _keys(answer, ("value",), optional)
    if record["value"] is None:
        return None
    value = _cell(record["value"], contract)
    unit = record.get("unit")
    return value if unit is None or _folded_unit(unit) in _units(contract) else _OtherUnit()


def _read_set(answer: Any) -> frozenset[str]:
    if not isinstance(answer, list):
        raise Malformed("a list of texts is needed")
    members = [_text(member) for member in answer]
    if len(set(members)) < len(members):
        raise Malformed("a text is given twice")
    return frozenset(members)


def _read_rows(answer: Any, contract: AnswerType) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Rows by key; a cell may be NULL, a key may not."""
    if not isinstance(answer, list):
        raise Malformed("a list of rows is needed")
    types, found = dict(contract.columns), dict[tuple[Any, ...], dict[str, Any]]()
    for row in answer:
        record = _keys(row, tuple(types))
        cells = {c: None if record[c] is None else _cell(record[c], kind) for c, kind in types.items()}
        key = tuple(cells[column] for column in contract.key)
        if None in key:
            raise Malformed(f"a row has no {' and '.join(contract.key)}")
        if key in found:
            raise Malformed("a row is given twice")
        found[key] = cells
    return found


def _cell(value: Any, contract: AnswerType) -> Any:
    """One value in the form it is compared in."""
    match contract.kind:
        case AnswerKind.QUANTITY | AnswerKind.DURATION | AnswerKind.COUNT:
            return _number(value)
        case AnswerKind.YES_NO:
            return _yes_no(value)
        case AnswerKind.CODE:
            return _code(value)
        case AnswerKind.TIME:
            return _moment(value, contract.resolution)
        case _:
            return _text(value)


def _gold(gold: Gold, contract: AnswerType) -> Any:
    """The gold answer in the form answers are compared in."""
    if contract.kind is AnswerKind.SET:
        return frozenset(_text(member) for member in gold)
    if contract.kind is AnswerKind.CODE and contract.with_version:
        return (_code(gold["code"]), _number(gold["version"]))
    return _cell(gold, contract)


def _keys(answer: Any, required: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, Any]:
    if not isinstance(answer, dict):
        raise Malformed(f"an object with {', '.join(required)} is needed")
    if unknown := sorted(set(answer) - {*required, *optional}):
        raise Malformed(f"unknown: {', '.join(unknown)}; give {', '.join(required)}")
    if missing := sorted(set(required) - set(answer)):
        raise Malformed(f"missing: {', '.join(missing)}")
    return answer


_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LARGEST_EXPONENT = 300


def _number(value: Any) -> Decimal:
    """A number; also as plain text, and a whole one as a float, as data frames write ids beside NULLs."""
    number: Decimal | None = None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = Decimal(value.strip())
    elif isinstance(value, Decimal):
        number = value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = Decimal(str(value))
    if number is None:
        raise Malformed("a number is needed; answer null to abstain")
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise Malformed("a finite number is needed")
    return number


def _text(value: Any) -> str:
    """Text without case, doubled blanks, invisible characters and the typographer's dashes."""
    if not isinstance(value, str):
        raise Malformed("text is needed")
    folded = "".join(c for c in unicodedata.normalize("NFKC", value) if unicodedata.category(c) != "Cf")
    folded = re.sub("[\u2010-\u2015\u2212]", "-", folded)
    return re.sub(r"\s+", " ", folded).strip().casefold()


def _code(value: Any) -> str:
    """A code without its dot: MIMIC-IV writes ICD codes without, clinicians with. Leading zeros count."""
    if not isinstance(value, str):
        raise Malformed("a code is text, with its leading zeros")
    return _text(value).replace(".", "")


def _yes_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _text(value) if isinstance(value, str) else ""
    if word in {"yes", "true", "y"}:
        return True
    if word in {"no", "false", "n"}:
        return False
    raise Malformed("answer true or false")


_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ Tt](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(?:[Zz]|\+00:00)?)?", re.ASCII)


def _moment(value: Any, resolution: str) -> datetime:
    """A time cut to its resolution. A `Z` is tolerated; MIMIC-IV's times have no zone, so no other is."""
    found = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise Malformed("write a time as 2180-05-06T23:30:00, without a zone")
    day, clock, seconds = found.groups()
    if clock is None and resolution != "day":
        raise Malformed("the time of day is missing")
    try:
        moment = datetime.fromisoformat(f"{day} {clock or '00:00'}:{seconds or '00'}")
    except ValueError:
        raise Malformed("there is no such time") from None
    if resolution == "day":
        return moment.replace(hour=0, minute=0, second=0)
    return moment.replace(second=0) if resolution == "minute" else moment


def _folded_unit(unit: Any) -> str:
    return re.sub(r"\s*/\s*", "/", _text(unit)).replace("μ", "u")


def _units(contract: AnswerType) -> frozenset[str]:
    return frozenset(_folded_unit(unit) for unit in (contract.unit, *contract.unit_synonyms))


# -- comparing --------------------------------------------------------------------------------------------------------


def _equal(given: Any, gold: Any, contract: AnswerType) -> bool:
    """Whether one value equals another, NULL only NULL."""
    if given is None or gold is None:
        return given is gold
    match contract.kind:
        case AnswerKind.QUANTITY | AnswerKind.DURATION:
            # In decimals: 2.35 for 2.3 is half a digit off, and in binary floats it is more.
            return bool(abs(given - gold) <= Decimal(5).scaleb(-contract.decimals - 1))
        case AnswerKind.CATEGORY:
            synonyms = {_text(text): {_text(s) for s in same} for text, same in contract.synonyms}
            return given == gold or given in synonyms.get(gold, ())
        case _:
            return bool(given == gold)


def _compare_rows(
    given: Mapping[tuple[Any, ...], Mapping[str, Any]],
    gold: Mapping[tuple[Any, ...], Mapping[str, Any]],
    contract: AnswerType,
) -> Matched:
    if given.keys() != gold.keys():
        return Matched("no_match", "other rows")
    same = (_equal(given[key][name], gold[key][name], kind) for key in gold for name, kind in contract.columns)
    return Matched("match") if all(same) else Matched("no_match", "other values in the same rows")
