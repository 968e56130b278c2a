"""What an agent is shown of a result: capped by rows, by cell and as a whole, and every cut is announced."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import duckdb

ROWS = 200
"""Rows of a result."""
CELL = 500
"""Characters of a cell."""
TOTAL = 16_000
"""Characters of a result, as JSON."""
HEADER = 64
"""Characters of a column's name: `SELECT 'xxxx…'` puts its text there."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A result or an error, exactly as an agent sees it."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    """Cells as JSON has them; times are text."""
    notice: str | None = None
    """What was cut."""
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the statement was answered."""
        return self.error is None

    def as_dict(self) -> dict[str, Any]:
        """As a transcript keeps it.

        >>> Shown(("n",), ((3,),)).as_dict()
        {'columns': ['n'], 'rows': [[3]], 'n': 1}
        >>> Shown(error="There is no table 'lab'.").as_dict()
        {'error': "There is no table 'lab'."}
        """
        if self.error is not None:
            return {"error": self.error}
        shown: dict[str, Any] = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        shown["n"] = len(self.rows)
        return shown | ({"notice": self.notice} if self.notice else {})

    @classmethod
    def from_dict(cls, shown: dict[str, Any]) -> Shown:
        """As a transcript kept it.

        >>> Shown.from_dict({"columns": ["n"], "rows": [[3]], "n": 1}).rows
        ((3,),)
        """
        return cls(
            tuple(shown.get("columns", ())),
            tuple(tuple(row) for row in shown.get("rows", ())),
            shown.get("notice"),
            shown.get("error"),
        )


def cut(columns: Sequence[str], rows: Sequence[Sequence[Any]], *, more: bool) -> Shown:
    """A result cut to size.

    Args:
        columns: Names of its columns.
        rows: Its first rows, as the engine gives them.
        more: Whether there are others.
    """
    kept: list[tuple[Any, ...]] = []
    room, cells_cut = TOTAL, 0
    for row in rows:
        line = tuple(_cell(value) for value in row)
        room -= len(json.dumps([text for text, _ in line], ensure_ascii=False))
        if room < 0:
            more = True
            break
        cells_cut += sum(was_cut for _, was_cut in line)
        kept.append(tuple(text for text, _ in line))
    notices = []
    if more and not kept:
        notices.append("The first row is too long to show; select fewer columns, or parts of them.")
    elif more:
        notices.append(f"Only the first {len(kept)} rows are shown; there are more. Aggregate, filter or use LIMIT.")
    if cells_cut:
        notices.append(f"{cells_cut} cells are cut to {CELL} characters.")
    header = tuple(name if len(name) <= HEADER else name[: HEADER - 1] + "…" for name in columns)
    return Shown(header, tuple(kept), " ".join(notices) or None)


def _cell(value: Any) -> tuple[Any, bool]:
    """A cell as JSON has it, and whether it was cut."""
    plain = _plain(value)
    if not isinstance(plain, str | list | dict):
        return plain, False
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    if len(text) > CELL:
        return f"{text[:CELL]}… [{len(text):,} characters]", True
    return plain, False


def _plain(value: Any) -> Any:
    """A value of the engine as JSON has it, times as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            number = float(value)
            return number if math.isfinite(number) and Decimal(repr(number)) == value else str(value)
        case bytes():
            return value.hex()
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case _:
            return str(value)


_INTERNAL = (duckdb.IOException, duckdb.InternalException, duckdb.FatalException, duckdb.PermissionException)
TOO_LONG = (
    "The statement took too long and was stopped. Narrow it by subject_id, itemid or time, or aggregate less at once."
)
TOO_LARGE = (
    "The statement needs more memory than a session has. "
    "Select fewer columns or narrow it by subject_id, itemid or time."
)
UNSHOWABLE = "A value of the result is too large or too deeply nested to be shown; cast it to VARCHAR, or take a part."
# A path, or the name of a catalogue, schema or patch that the agent's tables are made of.
_WITHIN = re.compile(
    r"""["']?(?:/[\w.+-]+){2,}["']?|\b(?:w|memory|temp|system|main)\.(?:main\.)?(?=[\w"])|\bpatch_(?=\w)"""
)


def scrub(error: Exception) -> str:
    """An engine's error without a trace of what lies behind the session's tables.

    >>> scrub(duckdb.CatalogException('Table "w.main.labevents" is locked in /srv/cache/ab12.duckdb'))
    'Table "labevents" is locked in'
    """
    if isinstance(error, duckdb.InterruptException):
        return TOO_LONG
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return TOO_LARGE
    if isinstance(error, _INTERNAL):
        return "The statement could not be run (internal error); it counts as no result."
    text = re.split(r'\nPossible solutions|\s*Use "?SET ', str(error))[0]
    return _WITHIN.sub("", text).strip()
