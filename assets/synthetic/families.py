"""Tables that are generated together, because they share what is costly to compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from assets.synthetic import register
from assets.synthetic.block import Block


@dataclass(frozen=True)
class Family:
    """Tables that one pass over a block of patients fills."""

    tables: tuple[str, ...]
    make: Callable[[Block], dict[str, pa.Table]]


def _registered(block: Block) -> dict[str, pa.Table]:
    return {
        "patients": register.patients(block),
        "admissions": register.admissions(block),
        "transfers": register.transfers(block),
        "services": register.services(block),
        "icustays": register.icustays(block),
    }


FAMILIES: dict[str, Family] = {
    "register": Family(("patients", "admissions", "transfers", "services", "icustays"), _registered),
}
"""Costliest first, so that two workers finish together."""
