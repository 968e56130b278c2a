"""A first file for an operator: it runs, keeps the contract, and says in capitals what its author must say."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from pathlib import Path

from noise_ops.registry import FRAMEWORK, ROOT, operators
from schemas.errors import InputError, Problem
from schemas.noise import Level

FOLDER = ROOT / "noise_ops"
SKELETONS = FOLDER / "skeletons"
"""One operator for each level, under the name `new_operator`."""

LONGEST = 32
"""Characters of a name: it heads a column of the coverage report."""


def write(name: str, level: str, folder: Path = FOLDER) -> Path:
    """Write `<folder>/<name>.py`, an operator of that level that passes the contract as it is.

    Args:
        name: Name of the operator and of its file.
        level: record, value or query.
        folder: Where operators lie.

    Raises:
        InputError: The name cannot be one, is taken, or there is no such level; nothing is written then.
    """
    path = folder / f"{name}.py"
    if problems := [*_faults(name, level), *_in_the_way(name, path)]:
        raise InputError(problems)
    text = (SKELETONS / f"{level}.txt").read_text(encoding="utf-8").replace("new_operator", name)
    try:
        # Never over a file that appeared in the meantime.
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise InputError(Problem(str(path), what, "work in a checkout that is yours")) from None
    return path


def _faults(name: str, level: str) -> Iterator[Problem]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name) or len(name) > LONGEST:
        what = f"is no name of an operator: lower-case words joined by `_`, {LONGEST} characters at most"
        yield Problem(f"`{name}`", what, "say what is wrong with the record, as in `value_null`")
    if level not in list(Level):
        yield Problem(f"--level {level}", "there is no such level", f"choose one of {', '.join(Level)}")


def _in_the_way(name: str, path: Path) -> Iterator[Problem]:
    if name in FRAMEWORK or name in operators() or path.exists():
        what = "exists" if path.exists() else "is the name of another operator or of the framework"
        yield Problem(str(path), what, "choose another name; no file is overwritten")
