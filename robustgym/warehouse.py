"""The staged tables of one source, and the native copy of them that sessions read."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import InputError, Problem
from schemas.tables import TABLES, Table

Progress = Callable[[str, int, int], None]
"""Called before each table of a long build with its name, its number from 0, and how many there are."""

_LAYOUT = "1"
"""Raise it when `_build` writes something else from the same tables."""

_BLOCK = 1 << 22


@dataclass(frozen=True)
class Warehouse:
    """A folder that holds MIMIC-IV's tables as `hosp/<table>.parquet` and `icu/<table>.parquet`.

    Each of them is a file, or a folder of files whose names sort in the order of the rows.
    """

    path: Path
    files: Mapping[str, tuple[Path, ...]]
    """The parquet files of every table that is there, in the order of the table's rows."""

    @classmethod
    def open(cls, path: Path | str) -> Warehouse:
        """Find the tables of a warehouse.

        Raises:
            InputError: There is no such folder, or it lacks patients or admissions.
        """
        root = Path(path)
        if not root.is_dir():
            raise InputError(Problem(str(path), "there is no such folder", "build a warehouse first, or name another"))
        files = {name: found for name, table in TABLES.items() if (found := _files(root, table))}
        missing = [table for table in TABLES.values() if table.indispensable and table.name not in files]
        if missing:
            raise InputError(
                Problem(f"{path}, {table.path}.parquet", "the table is missing", "nothing can be asked without it")
                for table in missing
            )
        return cls(root, files)

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables that are there."""
        return frozenset(self.files)

    @property
    def fingerprint(self) -> str:
        """Names the content of all tables: 64 hex digits, the same for the same tables wherever they lie."""
        digest = hashlib.sha256()
        for name in sorted(self.files):
            digest.update(f"{name} {self._fingerprint(name)}\n".encode())
        return digest.hexdigest()

    def _fingerprint(self, table: str) -> str:
        """Fingerprint of one table: as staging noted it, else of its files' bytes."""
        note = self.path / ".staging" / f"{table}.json"
        if note.is_file():
            noted = json.loads(note.read_text(encoding="utf-8")).get("fingerprint")
            if isinstance(noted, str) and noted:
                return noted
        digest = hashlib.sha256()
        for file in self.files[table]:
            with file.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    digest.update(block)
        return digest.hexdigest()

    def native(self, progress: Progress | None = None, *, threads: int = 2, memory_limit: str = "4GB") -> Path:
        """The tables as one DuckDB file, made once: a patient's rows are found without opening files.

        A record's `rowid` in it is its row number. The file is a cache: it is keyed by the tables' content, a copy of
        other content is removed, and it may be deleted at any time that nobody reads it.

        Raises:
            InputError: A parquet file lacks a column, holds another type, or the folder can't be written.
        """
        key = hashlib.sha256(f"{_LAYOUT} {duckdb.__version__} {self.fingerprint}".encode()).hexdigest()[:16]
        folder = self.path / ".native"
        wanted = folder / f"{key}.duckdb"
        if wanted.is_file():
            return wanted
        try:
            folder.mkdir(exist_ok=True)
            with _alone(folder / "lock"):
                if not wanted.is_file():
                    building = folder / "building"
                    # Whoever held the lock before and left this behind was killed.
                    shutil.rmtree(building, ignore_errors=True)
                    building.mkdir()
                    self._build(building / wanted.name, progress, threads, memory_limit)
                    for stale in folder.glob("*.duckdb"):
                        stale.unlink()
                    (building / wanted.name).replace(wanted)
                    shutil.rmtree(building)
        except OSError as error:
            what = f"the native copy of the tables can't be written ({error.strerror or error})"
            raise InputError(Problem(str(folder), what, "make room, or make the folder writable")) from error
        return wanted

    def _build(self, file: Path, progress: Progress | None, threads: int, memory_limit: str) -> None:
        # Rows keep the order of the files only with `preserve_insertion_order`; row numbers depend on it.
        settings: dict[str, Any] = {"threads": threads, "memory_limit": memory_limit, "preserve_insertion_order": True}
        problems: list[Problem] = []
        with duckdb.connect(str(file), config=settings) as connection:
            for number, (name, files) in enumerate(self.files.items()):
                if progress:
                    progress(name, number, len(self.files))
                columns = ", ".join(f'CAST("{c.name}" AS {c.type.duckdb}) AS "{c.name}"' for c in TABLES[name].columns)
                try:
                    connection.execute(
                        f"CREATE TABLE {name} AS SELECT {columns} FROM read_parquet($files)",
                        {"files": [str(f) for f in files]},
                    )
                except duckdb.Error as error:
                    if isinstance(error, duckdb.IOException) and "space" in str(error):
                        raise OSError(str(error)) from error
                    where = f"{self.path / TABLES[name].path}.parquet"
                    problems.append(Problem(where, str(error).splitlines()[0], "stage the table again"))
        if problems:
            raise InputError(problems)


def _files(root: Path, table: Table) -> tuple[Path, ...]:
    """Parquet files of a table, in the order of its rows."""
    for place in (root / f"{table.path}.parquet", root / table.path):
        if place.is_file():
            return (place,)
        if place.is_dir():
            return tuple(sorted(f for f in place.glob("*.parquet") if not f.name.startswith((".", "_"))))
    return ()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock that is freed with the process, however it ends."""
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
