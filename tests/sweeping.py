"""How much of the catalogue a sweep goes through: a share of it, or all with `SWEEP=whole` in the environment.

`make test` takes a share, so that it stays within minutes; `make sweep` goes through everything.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

WHOLE = os.environ.get("SWEEP") == "whole"


def swept(items: Sequence[T], step: int) -> Sequence[T]:
    """Every `step`-th item, or all."""
    return items if WHOLE else items[::step]
