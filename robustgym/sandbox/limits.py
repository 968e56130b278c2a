"""What a cell of Python and its interpreter may use."""

from __future__ import annotations

from dataclasses import dataclass

from robustgym.shown import TOTAL


@dataclass(frozen=True, slots=True)
class Limits:
    """Beyond the first group a cell is told no, or is cut; beyond the second its interpreter is ended."""

    queries: int = 50
    """Statements of one cell."""
    querying: float = 120.0
    """Seconds that all queries of one cell may take together; each has the limit of the hospital's sessions besides."""
    characters: int = TOTAL
    """Of a cell's output; more is cut, and it says so."""
    code: int = 100_000
    """Characters of a cell."""

    seconds: float = 30.0
    """Wall time of one cell, without the time its queries take."""
    memory: int = 2 << 30
    """Bytes of address space. An allocation that fails is a MemoryError, if Python sees it at all."""
    cpu: int = 600
    """Seconds of CPU, over all cells."""
    threads: int = 64
    """Threads at a time."""
