"""A run on disk: read whole, or written an episode at a time so that a killed one goes on where it was.

Each episode is one line of `messages.jsonl` and then one of `episodes.jsonl`, both on the disk before the next is
begun: an episode counts once its second line is there. What a kill leaves half written is taken out before going on.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from pydantic import ValidationError

from schemas.answers import Frozen
from schemas.errors import InputError, Problem, problems_in
from schemas.runs import EpisodeRecord, Messages, RunManifest, Stop

MANIFEST, EPISODES, MESSAGES, ATIF = "manifest.json", "episodes.jsonl", "messages.jsonl", "atif.jsonl"

Line = TypeVar("Line", bound=Frozen)
Key = tuple[str, int]
"""Task and trial: what an episode is known by."""

_FREE = frozenset({"name", "started"})
"""Fields of a manifest that may differ when a run goes on."""


class Run:
    """One run, read when asked for."""

    def __init__(self, path: Path, manifest: RunManifest) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def open(cls, path: Path | str) -> Run:
        """The run in a directory.

        Raises:
            InputError: There is none, or its manifest cannot be read.
        """
        path = Path(path)
        do = "give the directory that robustgym eval wrote to"
        try:
            written = (path / MANIFEST).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            what = f"holds no {MANIFEST}, so it is not a run" if path.is_dir() else "no such directory"
            raise InputError(Problem(str(path), what, do)) from None
        try:
            manifest = RunManifest.model_validate_json(written)
        except ValidationError as error:
            if b'"harness_sha256"' not in written:
                raise InputError(Problem(str(path), f"its {MANIFEST} is not a run's", do)) from None
            raise InputError(problems_in(str(path / MANIFEST), error)) from None
        return cls(path, manifest)

    def episodes(self) -> tuple[EpisodeRecord, ...]:
        """Every episode, by task and trial; a torn last line is none.

        Raises:
            InputError: The file is damaged before its end.
        """
        records = _read(EpisodeRecord, self.path / EPISODES)
        return tuple(sorted(records, key=key_of))

    def messages(self) -> Iterator[Messages]:
        """The conversations of the episodes that are there, in the order they ended.

        Raises:
            InputError: The file is damaged before its end.
        """
        there = {key_of(record) for record in _read(EpisodeRecord, self.path / EPISODES)}
        seen: set[Key] = set()
        for line in _read(Messages, self.path / MESSAGES):
            key = (line.task_id, line.trial)
            if key in there and key not in seen:
                seen.add(key)
                yield line


def key_of(record: EpisodeRecord) -> Key:
    """What an episode is known by."""
    return record.task_id, record.trial


class Log:
    """A run being written. One process at a time; any thread of it."""

    def __init__(self, path: Path, manifest: RunManifest, lock: IO[str], done: Mapping[Key, EpisodeRecord]) -> None:
        self.path, self.manifest = path, manifest
        self.done = dict(done)
        """Episodes that need not be asked again."""
        self._lock, self._writing = lock, threading.Lock()
        # Unbuffered: what could not be written must not be tried once more when the file is closed.
        self._files = [(path / name).open("ab", buffering=0) for name in (MESSAGES, EPISODES)]

    @classmethod
    def open(cls, path: Path, manifest: RunManifest) -> Log:
        """Begin a run, or go on with one that was begun with the same manifest.

        Episodes whose endpoint failed are taken out, to be asked again.

        Args:
            path: The run's directory; made if it is not there.
            manifest: What is to be run.

        Raises:
            InputError: The directory holds something else, a run begun with other arguments, or one that another
                process is writing.
        """
        _empty_or_run(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / ".lock").open("w")
        except OSError as error:
            what = f"cannot be written ({error.strerror})"
            raise InputError(Problem(f"--out {path}", what, "name another directory")) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            what = "another process is writing to it"
            raise InputError(Problem(f"--out {path}", what, "wait for it, or name another directory")) from None
        try:
            if (path / MANIFEST).is_file():
                begun = Run.open(path).manifest
                _require_same(path, begun, manifest)
                manifest = begun
            else:
                replace(path / MANIFEST, _pretty(manifest))
            return cls(path, manifest, lock, _mended(path))
        except (InputError, OSError):
            lock.close()
            raise

    def add(self, record: EpisodeRecord, messages: Messages) -> None:
        """Put an episode on the disk.

        Raises:
            InputError: It cannot be written; what was written of it is taken back.
        """
        with self._writing:
            for file, line in zip(self._files, (messages, record), strict=True):
                with _writable(self.path / str(file.name)):
                    _append(file, line.model_dump_json().encode() + b"\n")
            self.done[key_of(record)] = record

    def saw(self, snapshot: str) -> None:
        """Note what the endpoint calls the model that answers."""
        with self._writing:
            model = self.manifest.model
            if not snapshot or model is None or snapshot in model.snapshots:
                return
            model = model.model_copy(update={"snapshots": (*model.snapshots, snapshot)})
            self.manifest = self.manifest.model_copy(update={"model": model})
            replace(self.path / MANIFEST, _pretty(self.manifest))

    def close(self) -> None:
        """Let others write to it."""
        for file in self._files:
            file.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def replace(path: Path, text: str) -> None:
    """Write a file under another name, then give it its own: nobody ever sees half of it.

    Raises:
        InputError: It cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    with _writable(path), partial.open("wb", buffering=0) as file:
        _append(file, text.encode())
        partial.replace(path)


def _append(file: FileIO, data: bytes) -> None:
    """Add to a file and have it on the disk, or leave the file as it was.

    Raises:
        OSError: The disk is full, or the like.
    """
    before, left = os.fstat(file.fileno()).st_size, memoryview(data)
    try:
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            os.ftruncate(file.fileno(), before)
        raise


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """Say it in a sentence where the disk does not take a file.

    Raises:
        InputError: It does not.
    """
    try:
        yield
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        do = "make room there, and call the same again: what has ended is kept"
        raise InputError(Problem(str(path), what, do)) from None


def _pretty(manifest: RunManifest) -> str:
    return manifest.model_dump_json(indent=2) + "\n"


def _empty_or_run(path: Path) -> None:
    """Refuse a place that holds anything but a run, or what is left of one that was killed as it began."""
    if path.is_dir():
        foreign = [c.name for c in path.iterdir() if c.name != ".lock" and not c.name.endswith(".partial")]
        if foreign and not (path / MANIFEST).is_file():
            what = f"holds other things ({', '.join(sorted(foreign)[:3])}), and no run"
            raise InputError(Problem(f"--out {path}", what, "name a directory that does not exist"))
        if foreign:
            Run.open(path)  # a release has a manifest, too, and nothing is to be put into one
    elif path.exists():
        raise InputError(Problem(f"--out {path}", "is a file", "name a directory that does not exist"))


def _require_same(path: Path, begun: RunManifest, now: RunManifest) -> None:
    """Refuse to go on with a run that was begun otherwise; says every difference."""
    was, is_ = _compared(begun), _compared(now)
    do = "call it as it was begun, or name another --out"
    problems = [
        Problem(f"--out {path}, {field}", f"the run was begun with {was.get(field)}, not {is_.get(field)}", do)
        for field in sorted({*was, *is_})
        if was.get(field) != is_.get(field)
    ]
    if problems:
        raise InputError(problems)


def _compared(manifest: RunManifest) -> dict[str, str]:
    """What must be the same, field by field, as text."""
    cells: dict[str, Any] = manifest.model_dump(mode="json", exclude=set(_FREE))
    if cells["model"] is not None:
        del cells["model"]["snapshots"]
    flat: dict[str, str] = {}
    for name, value in cells.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        flat |= {f"{name}.{part}" if part else name: json.dumps(cell) for part, cell in parts}
    return flat


def _mended(path: Path) -> dict[Key, EpisodeRecord]:
    """The episodes that count, after whatever does not was taken out of both files."""
    records: dict[Key, EpisodeRecord] = {}
    for record in _read(EpisodeRecord, path / EPISODES):
        if record.stop is not Stop.FAILED:
            records.setdefault(key_of(record), record)
    spoken: dict[Key, Messages] = {}
    for line in _read(Messages, path / MESSAGES):
        spoken.setdefault((line.task_id, line.trial), line)
    records = {key: record for key, record in records.items() if key in spoken}
    _rewrite(path / EPISODES, records.values())
    _rewrite(path / MESSAGES, (spoken[key] for key in records))
    return records


def _rewrite(path: Path, lines: Iterable[Frozen]) -> None:
    text = "".join(line.model_dump_json() + "\n" for line in lines)
    if not path.is_file() or path.read_bytes() != text.encode():
        replace(path, text)


def _read(model: type[Line], path: Path) -> list[Line]:
    """The lines of a file; none if there is no file. A last line that a kill cut short is left out.

    Raises:
        InputError: Another line is damaged.
    """
    if not path.is_file():
        return []
    lines = path.read_bytes().split(b"\n")
    found: list[Line] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(model.model_validate_json(line))
        except ValidationError as error:
            # Only what follows the last newline can be torn: a line is written at once, its newline last.
            if number == len(lines):
                break
            raise InputError(problems_in(f"{path}, line {number}", error)) from None
    return found
