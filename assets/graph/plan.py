"""What is built from what, and where each product lies. Knows no Dagster: the command line asks it first."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import InputError, Problem
from schemas.release import Profile

DATA = Path("data")
"""Where a build keeps its files unless told otherwise, below the root."""

PATIENTS = 1000
"""Size of the default synthetic hospital: every one of the 36 cells fills, and the smoke profile takes two minutes."""

HOSPITAL_SEED = 0
"""Seed of the generated hospital: another build seed asks other questions of the same hospital."""

_SYNTHETIC = re.compile(r"synthetic(?::(?P<patients>[1-9][0-9_]*))?")
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)+")


@dataclass(frozen=True)
class Plan:
    """One build: its source, its profile and seed, and the directories of everything it makes."""

    source: Path
    """Directory of the source's files, in PhysioNet's layout."""
    patients: int | None
    """Size of the hospital to generate where the source is synthetic and not there yet; None for a real one."""
    profile: Profile
    seed: int
    version: str | None
    """Version of the release; None for the next one that is not taken."""
    out: Path
    """Directory in which releases lie."""
    warehouse: Path
    """Directory of the staged tables, and of what is computed from them on the way to a release."""
    threads: int | None = None
    confirmed: bool = False
    """Whether the user has confirmed a zero-retention agreement with the model's endpoint."""

    @classmethod
    def of(
        cls,
        *,
        source: str = "synthetic",
        profile: str = "smoke",
        seed: int = 0,
        version: str | None = None,
        out: str | Path | None = None,
        warehouse: str | Path | None = None,
        threads: int | None = None,
        confirmed: bool = False,
        root: Path = Path(),
    ) -> Plan:
        """A build as a user asks for it.

        Args:
            source: `synthetic`, `synthetic:PATIENTS`, or a directory.
            profile: A profile's name or the path of its file.
            seed: At least 0.
            version: Digits and dots; None for the next one.
            out: Directory of releases; None for `data/releases`.
            warehouse: Directory of the warehouse; None for one of its own below `data/warehouse`.
            threads: Threads and worker processes to use; None for as many as the machine has.
            confirmed: Whether a zero-retention agreement was confirmed.
            root: Where `data/` lies.

        Raises:
            InputError: Something of this cannot be.
        """
        problems = [*_in_the_way("--out", out), *_in_the_way("--warehouse", warehouse)]
        patients = None
        directory = Path(source).expanduser()
        if match := _SYNTHETIC.fullmatch(source):
            patients = int(match["patients"] or PATIENTS)
            directory = root / DATA / "raw" / f"synthetic-{patients}"
        elif source.startswith("synthetic:"):
            problems.append(
                Problem(f"--source {source}", "not a number of patients", "write for example `synthetic:500`")
            )
        elif not source or not directory.is_dir():
            problems.append(
                Problem(
                    f"--source {source}",
                    "no such directory",
                    "give the directory that holds hosp/ and icu/, or `synthetic`",
                )
            )
        if version is not None and not (_VERSION.fullmatch(version) and len(version) <= 15):
            problems.append(
                Problem(f"--version {version}", "not digits and dots, 15 at most", "write for example 1.0.0")
            )
        if seed < 0:
            problems.append(Problem(f"--seed {seed}", "below 0", "give 0 or more"))
        try:
            loaded = Profile.load(profile)
        except InputError as error:
            raise InputError([*problems, *error.problems]) from None
        if problems:
            raise InputError(problems)
        if warehouse is None:
            # Two downloads may bear the same name; the path tells them apart.
            place = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:8]
            name = directory.name if patients else f"{directory.resolve().name}-{place}"
            warehouse = root / DATA / "warehouse" / name
        return cls(
            source=directory,
            patients=patients,
            profile=loaded,
            seed=seed,
            version=version,
            out=Path(out).expanduser() if out is not None else root / DATA / "releases",
            warehouse=Path(warehouse).expanduser(),
            threads=threads,
            confirmed=confirmed,
        )

    @property
    def work(self) -> Path:
        """Directory of what is computed on the way to the release, one for each profile and seed."""
        return self.warehouse / "builds" / f"{self.profile.name}-{self.seed}"

    @property
    def model_answers(self) -> Path:
        """Where a language model's answers are kept, so that none is asked for twice."""
        return self.warehouse / "model-answers.jsonl"


def _in_the_way(option: str, directory: str | Path | None) -> Iterator[Problem]:
    """Why a directory cannot be written to: better known before a build of hours than after it."""
    if directory is None:
        return
    path = Path(directory).expanduser().absolute()
    there = next(place for place in (path, *path.parents) if place.exists())
    if not there.is_dir():
        yield Problem(f"{option} {directory}", f"{there} is a file", "name a directory")
    elif not os.access(there, os.W_OK | os.X_OK):
        yield Problem(f"{option} {directory}", f"{there} may not be written to", "name another directory")
