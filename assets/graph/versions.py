"""Versions of code: hashes of the text that takes part in a product, so that other changes leave it standing."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def key_of(**parts: Any) -> str:
    """Key of what a product is made from: sha256 (64 hex digits) of the parts, whatever their order.

    >>> key_of(seed=1, code="a") == key_of(code="a", seed=1)
    True
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def code_of(*rooms: str) -> str:
    """Version of the files in some rooms: sha256 of their names and contents, cut to 16 digits.

    Read once: a process runs the code it has loaded, whatever is edited meanwhile.

    Args:
        rooms: Files and folders relative to the project: `assets/pairs/asking.py`, `data/concepts`.

    Raises:
        FileNotFoundError: One of them is not there.
    """
    total = hashlib.sha256()
    for path in sorted({file for room in rooms for file in _files(ROOT / room)}):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    if not files:
        raise FileNotFoundError(path)
    return files
