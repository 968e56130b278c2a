"""The register of kinds: each a function from a hospital, and a concept if it is about one, to its records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.recompute.hospital import Records

Reader = Callable[..., Records]
"""`(hospital)` or `(hospital, concept)` to records."""

KINDS: dict[str, Reader] = {}


def kind(read: Reader, name: str = "") -> Any:
    """Register a reader under its own name, or another."""
    KINDS[name or read.__name__] = read
    return read
