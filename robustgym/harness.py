"""What works and judges episodes, pinned: the gym's own files and the libraries whose version decides what is seen."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_CODE = tuple((folder, pattern) for folder in ("robustgym", "schemas") for pattern in ("*.py", "*.md", "*.txt"))
_LIBRARIES = ("duckdb", "numpy", "openai", "pandas", "polars", "pyarrow", "pydantic")


@cache
def harness_sha256() -> str:
    """sha256 of the gym's Python files, prompts and lists. Taken once: a process runs the code it has loaded."""
    digest = hashlib.sha256()
    files = {path for folder, pattern in _CODE for path in (_ROOT / folder).rglob(pattern)}
    for name in sorted(path.relative_to(_ROOT).as_posix() for path in files):
        digest.update(f"{name} {hashlib.sha256((_ROOT / name).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def software() -> dict[str, str]:
    """Version of Python and of every library whose version decides what an agent sees; those that are there."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
