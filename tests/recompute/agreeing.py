"""Whether a reference and the second computation say the same, to the last digit that the contract asks for."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from schemas.answers import AnswerKind, AnswerType


def agree(answer: AnswerType, told: Any, mine: Any) -> bool:
    """Whether both are the same answer, or both none.

    Args:
        answer: The contract.
        told: The reference's: a gold answer, or the cell of a statement that asks of every unit.
        mine: The second computation's, not rounded.
    """
    if told is None or mine is None:
        return told is None and mine is None
    match answer.kind:
        case AnswerKind.ROWS:
            return _rows(answer, told, mine)
        case AnswerKind.SET:
            return sorted(told) == sorted(mine)
        case AnswerKind.TIME:
            return _instant(told, answer.resolution) == _instant(mine, answer.resolution)
        case AnswerKind.YES_NO:
            return isinstance(mine, bool) and bool(told) is mine
        case AnswerKind.CODE | AnswerKind.CATEGORY:
            return str(told) == str(mine)
        case _:
            # The slack is for a last bit that falls on the other side of a rounding border.
            return abs(float(told) - float(mine)) <= answer.tolerance + 1e-7


def _instant(moment: Any, resolution: str) -> str:
    found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    if resolution == "day":
        return found.isoformat()[:10]
    assert isinstance(found, date)
    return found.isoformat()[:16]


def _rows(answer: AnswerType, told: list[dict[str, Any]], mine: list[dict[str, Any]]) -> bool:
    """Rows by their key: the group or the name, then the value if there is one, then the number of units."""
    (key,) = answer.key
    rest = [(name, kind) for name, kind in answer.columns if name != key]
    ours = ("value", "units")[-len(rest) :]
    theirs = {row[key]: row for row in told}
    own = {row["name"] if "name" in row else row["group"]: row for row in mine}
    return theirs.keys() == own.keys() and all(
        agree(kind, theirs[group][name], own[group][column])
        for group in own
        for (name, kind), column in zip(rest, ours, strict=True)
    )
