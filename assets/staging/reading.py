"""One file while it is read, and what reading it brings to light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

from schemas.errors import Problem
from schemas.tables import Column, Table

ENOUGH_PROBLEMS = 20
"""A file that is wrong in so many places is not read to its end."""


@dataclass
class Reading:
    """One file while it is read. Its frames are worth something only if it ends without a problem."""

    path: Path
    where: str
    """Its name in messages: `hosp/labevents.csv.gz`."""
    table: Table
    threads: int = 2
    problems: list[Problem] = field(default_factory=list)
    extra_columns: tuple[str, ...] = ()
    """Columns that MIMIC-IV doesn't have. They are not read."""
    raw: BinaryIO | None = None
    """The open file, before decompression."""

    def blame(self, what: str, do: str, *, place: str = "") -> None:
        """Note a problem; `place` says where in the file."""
        self.problems.append(Problem(f"{self.where}, {place}" if place else self.where, what, do))

    @property
    def spent(self) -> bool:
        """Whether so much is wrong that reading on is of no use."""
        return len(self.problems) >= ENOUGH_PROBLEMS

    def cut_short(self) -> None:
        """Keep the first problems of very many, and say that there may be more."""
        if self.spent:
            del self.problems[ENOUGH_PROBLEMS:]
            self.blame(f"only the first {ENOUGH_PROBLEMS} problems are named", "correct these and run it again")

    @property
    def position(self) -> int:
        """How many bytes of the file have been read."""
        return self.raw.tell() if self.raw and not self.raw.closed else 0

    def match(self, names: Sequence[str]) -> tuple[Column | None, ...]:
        """The declared column for each of the file's, in any order and any case; None for one to pass over.

        Columns that are missing or there twice are noted as problems, and the extra ones as such.
        """
        declared = {column.name.lower(): column for column in self.table.columns}
        given = [name.strip().lower() for name in names]
        extra = [name for name, key in zip(names, given, strict=True) if key not in declared]
        missing = [column.name for key, column in declared.items() if key not in given]
        if len(missing) == len(declared):
            self.blame("the first line names none of the table's columns", "put the header back", place="line 1")
        else:
            for name in missing:
                near = get_close_matches(name.lower(), [other.lower() for other in extra], n=1, cutoff=0.6)
                renamed = next((other for other in extra if near and other.lower() == near[0]), None)
                do = f"rename `{renamed}` to `{name}`" if renamed else "add it, or download the file again"
                self.blame("the column is missing", do, place=f"column {name}")
        for key in sorted({key for key in given if key in declared and given.count(key) > 1}):
            self.blame("the column is there twice", "keep one of them", place=f"column {declared[key].name}")
        self.extra_columns = tuple(extra)
        return tuple(declared.get(key) for key in given)
