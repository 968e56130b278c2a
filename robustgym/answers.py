"""Reads an answer by its contract alone, before anything is known of the gold.

So being malformed says nothing about being right, and can be told to the agent.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from schemas.answers import AnswerKind, AnswerType, Gold


class Malformed(ValueError):
    """The answer does not fit its contract; the message says what would."""


Rows = Mapping[tuple[Any, ...], Sequence[Mapping[str, Any]]]
"""Rows by key, texts in it folded: the record has rows whose keys differ in case alone ("LORazepam", "Lorazepam")."""


class OtherUnit:
    """A number in a unit that is not the one asked for. Never converted: the unit is part of the answer."""


def read(answer_json: str, contract: AnswerType) -> Any:
    """The answer in the form it is compared in.

    Args:
        answer_json: The answer as JSON text: the value, or an object with `value` (and `unit`).
        contract: What the question asks for.

    Returns:
        A Decimal, bool, folded text, code or datetime; how often each folded text is in a set; rows by key;
        `OtherUnit`; None if it abstains.

    Raises:
        Malformed: It does not fit the contract.

    Examples:
        >>> read('{"value": "2.30"}', AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1))
        Decimal('2.30')
        >>> read('["N/A"]', AnswerType(kind=AnswerKind.COUNT))
        Traceback (most recent call last):
        robustgym.answers.Malformed: a number is needed; answer null to abstain
    """
    return _read(_load(answer_json), contract)


def gold_form(gold: Gold, contract: AnswerType) -> Any:
    """A gold answer (not None) in the form answers are compared in."""
    match contract.kind:
        case AnswerKind.ROWS:
            return _read_rows(gold, contract)
        case AnswerKind.SET:
            return _read_set(gold)
        case AnswerKind.CODE if contract.with_version:
            return (_code(gold["code"]), _number(gold["version"]))
        case _:
            return _cell(gold, contract)


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
    return value if unit is None or _folded_unit(unit) in _units(contract) else OtherUnit()


def _read_set(answer: Any) -> Counter[str]:
    """Folded texts, and how often: the record spells one drug in several ways."""
    if not isinstance(answer, list):
        raise Malformed("a list of texts is needed")
    members = Counter(folded(member) for member in answer)
    if len(set(answer)) < len(answer):
        raise Malformed("a text is given twice")
    return members


def _read_rows(answer: Any, contract: AnswerType) -> Rows:
    """Rows by key; a cell may be NULL, a key may not."""
    if not isinstance(answer, list):
        raise Malformed("a list of rows is needed")
    types, found, spelt = dict(contract.columns), defaultdict[tuple[Any, ...], list[dict[str, Any]]](list), set()
    for row in answer:
        record = _keys(row, tuple(types))
        cells = {c: None if record[c] is None else _cell(record[c], kind) for c, kind in types.items()}
        key = tuple(cells[column] for column in contract.key)
        if None in key:
            raise Malformed(f"a row has no {' and '.join(contract.key)}")
        as_given = tuple(record[c] if types[c].kind is AnswerKind.CATEGORY else cells[c] for c in contract.key)
        if as_given in spelt:
            raise Malformed("a row is given twice")
        spelt.add(as_given)
        found[key].append(cells)
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
            return folded(value)


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


def folded(value: Any) -> str:
    """A text without case, doubled blanks, invisible characters and the typographer's dashes."""
    if not isinstance(value, str):
        raise Malformed("text is needed")
    folded = "".join(c for c in unicodedata.normalize("NFKC", value) if unicodedata.category(c) != "Cf")
    folded = re.sub("[\u2010-\u2015\u2212]", "-", folded)
    return re.sub(r"\s+", " ", folded).strip().casefold()


def _code(value: Any) -> str:
    """A code without its dot: MIMIC-IV writes ICD codes without, clinicians with. Leading zeros count."""
    if not isinstance(value, str):
        raise Malformed("a code is text, with its leading zeros")
    return folded(value).replace(".", "")


def _yes_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = folded(value) if isinstance(value, str) else ""
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
        raise Malformed("write a time as 2150-03-01T23:30:00, without a zone")
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
    return re.sub(r"\s*/\s*", "/", folded(unit)).replace("μ", "u")


def _units(contract: AnswerType) -> frozenset[str]:
    return frozenset(_folded_unit(unit) for unit in (contract.unit, *contract.unit_synonyms))
