"""From the rows a reference returns to the gold answer: one JSON form for each kind of answer.

The build, `verify` and the oracle all go through here, so a gold answer is compared with `==` and printed with
`canonical`. None is abstention: the reference returned no row, or NULL. 0, false, "" and [] are answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from schemas.answers import AnswerKind, AnswerType, Gold


class GoldError(ValueError):
    """The reference returned something its answer type does not allow. The template is wrong, not the record."""


def gold_from_rows(answer: AnswerType, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Gold:
    """The gold answer in its JSON form.

    Args:
        answer: What the question asks to be given back.
        columns: Names of the reference's columns, in order.
        rows: What it returned, as DuckDB's Python client gives cells.

    Returns:
        Numbers rounded to `answer.decimals`, times as ISO text cut to `answer.resolution`, sets sorted, rows as
        objects sorted by key, a code with its version as `{"code": ..., "version": ...}`; None where the reference
        determines nothing.

    Raises:
        GoldError: More than one row for a single answer, a column too many or too few, or a cell of the wrong type.

    Examples:
        >>> from schemas.answers import AnswerKind, AnswerType
        >>> potassium = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)
        >>> gold_from_rows(potassium, ["valuenum"], [(4.249999,)])
        4.2
        >>> gold_from_rows(potassium, ["valuenum"], []) is None
        True

        A tie under a single answer is an error, never a choice.

        >>> gold_from_rows(potassium, ["valuenum"], [(4.2,), (4.4,)])
        Traceback (most recent call last):
        robustgym.gold.GoldError: the reference returned 2 rows for a single answer
    """
    if answer.kind is AnswerKind.ROWS:
        return _rows(answer, columns, rows)
    width = 2 if answer.kind is AnswerKind.CODE and answer.with_version else 1
    if len(columns) != width:
        raise GoldError(f"the reference returned the columns {', '.join(columns)}; {width} belong to {answer.kind}")
    if answer.kind is AnswerKind.SET:
        return _set(rows)
    if not rows:
        return None
    if len(rows) > 1:
        raise GoldError(f"the reference returned {len(rows)} rows for a single answer")
    return _cell(answer, *rows[0])


def canonical(gold: Gold) -> str:
    """The gold answer as JSON text: the same text for the same answer.

    >>> canonical(None), canonical({"version": 9, "code": "4019"})
    ('null', '{"code":"4019","version":9}')
    """
    return json.dumps(gold, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _set(rows: Sequence[Sequence[Any]]) -> Gold:
    # One list cell says that the list was looked for: then [] is an answer. Rows of texts say nothing when there are
    # none.
    if len(rows) == 1 and isinstance(rows[0][0], list | tuple):
        return sorted({_text(member) for member in rows[0][0]})
    members = [cell for (cell,) in rows]
    if all(member is None for member in members):
        return None
    return sorted({_text(member) for member in members})


def _rows(answer: AnswerType, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Gold:
    types = dict(answer.columns)
    if sorted(columns) != sorted(types):
        raise GoldError(f"the reference returned the columns {', '.join(columns)}; asked for are {', '.join(types)}")
    if not rows:
        return None
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    golds = [{name: _cell(kind, record[name]) for name, kind in types.items()} for record in records]
    keys = [tuple(gold[name] for name in answer.key) for gold in golds]
    if any(part is None for key in keys for part in key):
        raise GoldError(f"a row has no {' and '.join(answer.key)}, and they are its key")
    if len(set(keys)) < len(keys):
        raise GoldError(f"two rows share one key ({', '.join(answer.key)})")
    return [gold for _, gold in sorted(zip(keys, golds, strict=True), key=lambda pair: pair[0])]


def _cell(answer: AnswerType, cell: Any, version: Any = None) -> Gold:
    if cell is None:
        return None
    match answer.kind:
        case AnswerKind.QUANTITY | AnswerKind.DURATION:
            return _number(cell, answer.decimals)
        case AnswerKind.COUNT:
            return _whole(cell)
        case AnswerKind.YES_NO:
            if not isinstance(cell, bool):
                raise GoldError(f"{cell!r} is not yes or no")
            return cell
        case AnswerKind.CATEGORY:
            return _text(cell)
        case AnswerKind.CODE if answer.with_version:
            if version is None:
                raise GoldError(f"the code {cell!r} has no icd_version")
            return {"code": _text(cell), "version": _whole(version)}
        case AnswerKind.CODE:
            return _text(cell)
        case AnswerKind.TIME:
            return _moment(cell, answer.resolution)
    raise GoldError(f"{answer.kind} cannot stand in a cell")


def _number(cell: Any, decimals: int) -> int | float:
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        raise GoldError(f"{cell!r} is not a number")
    if not math.isfinite(cell):
        raise GoldError(f"{cell!r} is not a finite number")
    # `+ 0.0` turns -0.0 into 0.0: the two compare equal and print differently.
    return round(float(cell), decimals) + 0.0 if decimals else round(cell)


def _whole(cell: Any) -> int:
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal) or cell != cell or cell % 1:
        raise GoldError(f"{cell!r} is not a whole number")
    return int(cell)


def _text(cell: Any) -> str:
    if not isinstance(cell, str):
        raise GoldError(f"{cell!r} is not text")
    return cell


def _moment(cell: Any, resolution: str) -> str:
    if isinstance(cell, str):
        try:
            cell = datetime.fromisoformat(cell)
        except ValueError:
            raise GoldError(f"{cell!r} is not a time") from None
    if isinstance(cell, date) and not isinstance(cell, datetime):
        cell = datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001 - MIMIC-IV's calendar has no zone
    if not isinstance(cell, datetime) or cell.tzinfo is not None:
        raise GoldError(f"{cell!r} is not a naive time")
    match resolution:
        case "day":
            return cell.date().isoformat()
        case "minute":
            return cell.replace(second=0, microsecond=0).isoformat()
        case _:
            return cell.replace(microsecond=0).isoformat()
