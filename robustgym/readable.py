"""A tool's result as a model or a person reads it: an aligned table, and a line that says how much of it there is."""

from __future__ import annotations

import json
from typing import Any

from robustgym.shown import Shown

WIDEST = 40
"""Columns are aligned up to this width: padding a note's text would fill the page."""


def readable(tool: str, shown: Shown, seconds: float | None = None) -> str:
    """The text of a result.

    NULL is printed as NULL; texts that could be taken for it, or for nothing, stand in quotes.

    Args:
        tool: The tool that was called.
        shown: What it showed.
        seconds: How long it took. Said in three steps only, so that it tells nothing about the data's form.

    >>> print(readable("sql", Shown(("item", "n"), (("Lactate", 3), ("", None), ("NULL", 12))), 0.2))
    item    |    n
    --------+-----
    Lactate |    3
    ''      | NULL
    'NULL'  |   12
    [3 rows, in under a second]
    >>> print(readable("sql", Shown(("n",)), 4.0))
    n
    -
    [no rows, in a few seconds]
    >>> readable("sql", Shown(error="There is no table 'lab'."))
    "Error: There is no table 'lab'."
    """
    if shown.error is not None:
        return _printable(f"Error: {shown.error}")
    if tool == "submit":
        return "The answer was taken; the task is over."
    time = f", in {_duration(seconds)}" if seconds is not None else ""
    if tool == "python":
        output = "\n".join(str(cell) for row in shown.rows for cell in row).rstrip("\n")
        return _printable("\n".join(filter(None, [output or "(no output)", shown.notice, f"[done{time}]"])))
    many = {0: "no rows", 1: "1 row"}.get(len(shown.rows), f"{len(shown.rows)} rows")
    lines = [*_table(shown), *filter(None, [shown.notice]), f"[{many}{' shown' * bool(shown.notice)}{time}]"]
    return _printable("\n".join(lines))


def _printable(text: str) -> str:
    r"""The text without characters that would steer a terminal.

    >>> print(_printable("red \x1b[31m"))
    red \x1b[31m
    """
    return text.translate(_CONTROL)


_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "under a second"
    return "a few seconds" if seconds < 10 else "more than ten seconds"


def _table(shown: Shown) -> list[str]:
    texts = [[_cell(name, header=True) for name in shown.columns]]
    texts += [[_cell(cell) for cell in row] for row in shown.rows]
    width = [min(WIDEST, max(map(len, column))) for column in zip(*texts, strict=True)]
    # NULL takes the side of its column: numbers line up on their last digit.
    right = [
        any(_is_number(cell) for cell in column) and all(cell is None or _is_number(cell) for cell in column)
        for column in (zip(*shown.rows, strict=True) if shown.rows else [()] * len(shown.columns))
    ]
    lines = [
        " | ".join(
            text.rjust(wide) if on_right else text.ljust(wide)
            for text, wide, on_right in zip(row, width, right, strict=True)
        ).rstrip()
        for row in texts
    ]
    lines.insert(1, "-+-".join("-" * wide for wide in width))
    return lines


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _cell(value: Any, *, header: bool = False) -> str:
    """A cell on one line."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            text = value.replace("\\", "\\\\") if "\n" in value or "\r" in value else value
            text = text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", " ")
            plain = header or (text.strip() == text and text not in ("", "NULL"))
            return text if plain else f"'{text}'"
        case list() | dict():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)
