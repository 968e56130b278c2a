"""A release as a reader has it: manifest, tasks, gold rows and pairs. Needs neither the pipeline nor the hospital."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from robustgym.layout import MANIFEST, Row, path_of, read_rows
from schemas.errors import InputError, Problem, problems_in
from schemas.pairs import Condition, GoldRow, Pair, Split, Task
from schemas.release import Manifest
from schemas.version import SCHEMA_VERSION


class Release:
    """One release on disk, read when asked for.

    Everything it hands out is validated against the models of `schemas`; that the bytes are the published ones is
    `robustgym.verify`'s business.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._tasks: dict[Split, tuple[Task, ...]] = {}
        self._gold: dict[Split, tuple[GoldRow, ...]] = {}

    @classmethod
    def open(cls, path: Path | str) -> Release:
        """The release in a directory.

        Raises:
            InputError: There is none, its manifest is unreadable, or it was written in another layout.
        """
        path = Path(path)
        file = path / MANIFEST
        if not path.is_dir():
            raise InputError(Problem(str(path), "no such directory", "give the directory of a release"))
        if not file.is_file():
            inner = sorted(child.name for child in path.iterdir() if (child / MANIFEST).is_file())
            hint = f"give one of the releases in it: {', '.join(inner)}" if inner else "give the directory of a release"
            raise InputError(Problem(str(path), f"holds no {MANIFEST}, so it is not a release", hint))
        try:
            raw = json.loads(file.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise InputError(
                Problem(str(file), f"not JSON: {error}", "take the release from where it came from")
            ) from None
        written = raw.get("schema_version") if isinstance(raw, dict) else None
        if written != SCHEMA_VERSION:
            raise InputError(
                Problem(
                    str(file),
                    f"its layout has version {written}; this robustgym reads {SCHEMA_VERSION}",
                    "use the robustgym version that the manifest's code_version names",
                )
            )
        try:
            return cls(path, Manifest.model_validate(raw))
        except ValidationError as error:
            raise InputError(problems_in(str(file), error)) from None

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """What an agent may see, in the order of the ids.

        Raises:
            InputError: The file is missing or damaged.
        """
        if split not in self._tasks:
            self._tasks[split] = self._read(Task, split)
        return self._tasks[split]

    def gold(self, split: Split) -> tuple[GoldRow, ...]:
        """Everything else, one row per task, in the order of the task ids.

        Raises:
            InputError: The file is missing or damaged.
        """
        if split not in self._gold:
            self._gold[split] = self._read(GoldRow, split)
        return self._gold[split]

    @cached_property
    def rows(self) -> tuple[GoldRow, ...]:
        """The gold rows of both splits."""
        return tuple(row for split in Split for row in self.gold(split))

    def pairs(self, split: Split | None = None) -> tuple[Pair, ...]:
        """The pairs, by pair id; of one split or of both.

        Raises:
            InputError: A file is damaged, or a pair is not one clean and one noise task.
        """
        pairs = self._pairs
        return tuple(pair for pair in pairs.values() if split is None or pair.clean.split is split)

    @cached_property
    def _pairs(self) -> dict[str, Pair]:
        return pairs_of(self.rows, str(self.path))

    def pair(self, name: str) -> Pair:
        """The pair of that id; or of a task's id; or the only one for which either begins like that.

        Raises:
            InputError: There is none, or several.
        """
        exact, begins = [], []
        for pair_id, pair in self._pairs.items():
            names = (pair_id, pair.clean.task_id, pair.noise.task_id)
            if name in names:
                exact.append(pair)
            elif name and any(known.startswith(name) for known in names):
                begins.append(pair)
        found = exact or begins
        if len(found) == 1:
            return found[0]
        where = f"pair {name}"
        if not found:
            some = next(iter(self._pairs), "none at all")
            raise InputError(Problem(where, f"{self.path} has no such pair or task", f"its first pair is {some}"))
        ids = ", ".join(pair.clean.pair_id for pair in found[:5])
        raise InputError(Problem(where, f"{len(found)} pairs begin like that", f"write more of it: {ids}"))

    def _read(self, model: type[Row], split: Split) -> tuple[Row, ...]:
        path = self.path / path_of(model, split)
        try:
            return read_rows(model, path)
        except FileNotFoundError:
            raise InputError(Problem(str(path), "is missing", "take the release from where it came from")) from None
        except ValidationError as error:
            raise InputError(problems_in(str(path), error)) from None
        except (OSError, pa.ArrowException, ValueError) as error:
            what = f"cannot be read: {str(error).splitlines()[0]}"
            raise InputError(Problem(str(path), what, "take the release from where it came from")) from None


def pairs_of(rows: tuple[GoldRow, ...], where: str) -> dict[str, Pair]:
    """Pairs by id, sorted, from their rows.

    Raises:
        InputError: A pair is not exactly one clean and one noise task. `where` names the release.
    """
    halves: dict[str, list[GoldRow]] = {}
    for row in rows:
        halves.setdefault(row.pair_id, []).append(row)
    pairs, problems = {}, []
    for pair_id in sorted(halves):
        half = {row.condition: row for row in halves[pair_id]}
        if len(halves[pair_id]) == len(half) == len(Condition):
            pairs[pair_id] = Pair(half[Condition.CLEAN], half[Condition.NOISE])
        else:
            found = ", ".join(sorted(row.condition for row in halves[pair_id]))
            problems.append(Problem(f"{where}, pair {pair_id}", f"its tasks are {found}, not one clean and one noise"))
    if problems:
        raise InputError(problems)
    return pairs
