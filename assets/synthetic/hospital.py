"""The synthetic hospital as a whole: families of tables, generated block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import pyarrow as pa

from assets.synthetic import families
from assets.synthetic.block import Block, make_block
from assets.synthetic.dictionaries import dictionaries
from assets.synthetic.identifiers import BLOCK, MOST_PATIENTS
from schemas.errors import InputError, Problem

LEAST_PATIENTS = 100


def _digest() -> str:
    """Hash of the generator's own code and word lists: another text, another hospital."""
    here = Path(__file__).parent
    hashed = sha256()
    for path in sorted([*here.glob("*.py"), *(here / "data").iterdir()]):
        hashed.update(path.name.encode())
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]


VERSION = f"1-{_digest()}"
"""The generator's version: a hospital is reused only if it was made by this one."""


@dataclass(frozen=True)
class Hospital:
    """A hospital that has not been written yet: its size and its seed decide every byte.

    Raises:
        InputError: The size is outside 100 to 366,000 patients, or the seed is negative.
    """

    patients: int
    seed: int

    def __post_init__(self) -> None:
        problems = []
        if not LEAST_PATIENTS <= self.patients <= MOST_PATIENTS:
            problems.append(
                Problem(
                    "synthetic hospital, patients",
                    f"{self.patients:,} is out of range",
                    f"choose between {LEAST_PATIENTS} and {MOST_PATIENTS:,}",
                )
            )
        if self.seed < 0:
            problems.append(Problem("synthetic hospital, seed", f"{self.seed} is negative", "choose 0 or more"))
        if problems:
            raise InputError(problems)

    @cached_property
    def blocks(self) -> int:
        """Number of blocks of patients."""
        return -(-self.patients // BLOCK)

    def block(self, number: int) -> Block:
        """Everything the tables of one block have in common."""
        return make_block(self.seed, number, self.patients)

    def dictionaries(self) -> dict[str, pa.Table]:
        """d_items, d_labitems, d_icd_*, d_hcpcs, provider, caregiver."""
        first = self.block(0)
        return dictionaries(first.providers, first.caregivers)

    def family(self, name: str, number: int) -> dict[str, pa.Table]:
        """The rows that one block of patients adds to each table of a family."""
        make: Callable[[Block], dict[str, pa.Table]] = families.FAMILIES[name].make
        return make(self.block(number))


def tables(patients: int, seed: int) -> Iterator[tuple[str, pa.Table]]:
    """Every table of the hospital as (name, rows), in pieces: a table's pieces follow each other by subject_id.

    >>> names = {name for name, _ in tables(100, 1)}
    >>> len(names)
    31
    """
    hospital = Hospital(patients, seed)
    yield from hospital.dictionaries().items()
    for number in range(hospital.blocks):
        for family in families.FAMILIES:
            yield from hospital.family(family, number).items()
