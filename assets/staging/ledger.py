"""What is known of a staged table without reading it: the sidecar beside the warehouse's parquet."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import polars
import pyarrow

from assets.staging.source import parts
from assets.staging.write import replacing
from schemas.tables import Table


@dataclass(frozen=True)
class Entry:
    """One staged table, and what it was staged from."""

    source: str
    """The file, its size and its time of change: if these are as they were, so is what it holds."""
    code: str
    """Version of the code and the declaration that staged it."""
    size: int
    """Bytes of the staged file."""
    rows: int
    fingerprint: str
    duplicates: int
    extra_columns: tuple[str, ...]
    orphans: dict[str, int]
    targets: dict[str, str]
    """Fingerprints of the tables in which orphans were looked for."""


def folder(warehouse: Path) -> Path:
    """Where the warehouse keeps its sidecars, locks and scratch."""
    return warehouse / ".staging"


def recall(table: str, warehouse: Path) -> Entry | None:
    """The table's entry; None if it was never staged or the sidecar isn't one of ours."""
    try:
        document = json.loads((folder(warehouse) / f"{table}.json").read_text(encoding="utf-8"))
        return Entry(**{**document, "extra_columns": tuple(document["extra_columns"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def note(table: str, warehouse: Path, entry: Entry) -> None:
    """Write the table's entry."""
    with replacing(folder(warehouse) / f"{table}.json") as sink:
        sink.write((json.dumps(asdict(entry), indent=2, sort_keys=True) + "\n").encode())


def forget(table: str, warehouse: Path) -> None:
    """Drop the table's entry, so that it is staged again."""
    (folder(warehouse) / f"{table}.json").unlink(missing_ok=True)


def state(path: Path) -> str:
    """The table's file, its size and its time of change, in one line; for a folder each of its files."""
    stats = [(part, part.stat()) for part in parts(path)]
    return ", ".join(f"{part.resolve()} {stat.st_size} {stat.st_mtime_ns}" for part, stat in stats)


def code_version(table: Table) -> str:
    """Version of all that decides a staged table's bytes besides its source."""
    declaration = (table.path, table.key, table.unique, table.order, [(c.name, c.type.value) for c in table.columns])
    return hashlib.sha256(f"{_code()} {declaration}".encode()).hexdigest()[:16]


@cache
def _code() -> str:
    digest = hashlib.sha256(f"polars {polars.__version__}, pyarrow {pyarrow.__version__}".encode())
    for module in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(module.read_bytes())
    return digest.hexdigest()


@contextmanager
def locked(table: str, warehouse: Path) -> Iterator[None]:
    """Keep other processes from staging the same table into the same warehouse; waits for one that does."""
    folder(warehouse).mkdir(parents=True, exist_ok=True)
    with (folder(warehouse) / f"{table}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
