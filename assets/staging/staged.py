"""Staging: a source's tables as typed, sorted parquet, each read again only when it changed."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import polars as pl

from assets.staging import ledger
from assets.staging.keys import KeyCount, count_orphans, references, staged_path
from assets.staging.order import NotGrouped, Sizes, ordered_pieces
from assets.staging.read_csv import csv_frames
from assets.staging.read_parquet import parquet_frames
from assets.staging.reading import Reading
from assets.staging.source import Source, parts
from assets.staging.write import TableWriter, replacing
from schemas.errors import InputError, Problem
from schemas.tables import TABLES, Table

Progress = Callable[[str, float], None]
"""Called with a table's name and the share of the source's bytes that is done, from 0 to 1."""

_SMALLEST_PIECE = 1 << 20
_SHOWN_KEYS = 3


@dataclass(frozen=True)
class StagedTable:
    """A table in the warehouse."""

    table: str
    path: Path
    """`<warehouse>/hosp/<table>.parquet`; a record's row number is its position in it."""
    rows: int
    fingerprint: str
    """SHA-256 of types and values in total order; not of the file's bytes."""
    duplicates: int
    """Records whose documented key another record of the same patient has."""
    orphans: dict[str, int]
    """`hadm_id -> admissions` to the records that name one which isn't there. Only targets that are staged."""
    extra_columns: tuple[str, ...]
    """The source's columns that MIMIC-IV doesn't have; left out."""
    unchanged: bool
    """The source was as it had been, and was not read."""


def stage(source: Source, warehouse: Path, progress: Progress | None = None) -> dict[str, StagedTable]:
    """Stage every table of the source; tables of an earlier source that this one lacks are removed.

    Args:
        source: The files.
        warehouse: Directory for the staged tables, made if it isn't there.
        progress: Told how far it is.

    Returns:
        The staged tables by name, each after those it refers to.

    Raises:
        InputError: Everything that is wrong with any table, at once. The tables that are right are staged.
    """
    sizes = {name: source.size_of(name) for name in source.files}
    total, done = max(sum(sizes.values()), 1), 0
    staged, problems = dict[str, StagedTable](), list[Problem]()
    with _disk_errors("the tables of an earlier source", warehouse):
        for name in source.missing:
            ledger.forget(name, warehouse)
            staged_path(TABLES[name], warehouse).unlink(missing_ok=True)
    for name, size in sizes.items():

        def tell(position: int, name: str = name, before: int = done) -> None:
            if progress is not None:
                progress(name, (before + position) / total)

        try:
            staged[name] = stage_table(source, TABLES[name], warehouse, tell=tell)
        except InputError as error:
            problems += error.problems
        done += size
        tell(size)
    if problems:
        raise InputError(problems)
    return staged


def stage_table(
    source: Source,
    table: Table,
    warehouse: Path,
    *,
    memory_limit: str = "3GB",
    threads: int = 2,
    tell: Callable[[int], None] = lambda _: None,
) -> StagedTable:
    """Stage one table, unless the source's file is as it was when it was last staged.

    Args:
        source: The files; it must have the table.
        table: The declaration.
        warehouse: Directory for the staged tables. What the table refers to should be staged before it: orphans are
            counted among the tables that are there.
        memory_limit: About how much memory to use, as `3GB`. The bytes don't depend on it.
        threads: How many blocks to parse side by side. The bytes don't depend on it.
        tell: Called with the number of the file's bytes read so far.

    Raises:
        InputError: Everything that is wrong with the file, or the disk is full. What was staged before stays.
    """
    with _disk_errors(source.name_of(table.name), warehouse), ledger.locked(table.name, warehouse):
        state, code = ledger.state(source.files[table.name]), ledger.code_version(table)
        path, entry = staged_path(table, warehouse), ledger.recall(table.name, warehouse)
        unchanged = (
            entry is not None
            and (entry.source, entry.code) == (state, code)
            and path.exists()
            and path.stat().st_size == entry.size
        )
        with _scratch(table, warehouse) as scratch:
            if entry is None or not unchanged:
                reading = Reading(source.files[table.name], source.name_of(table.name), table, threads)
                entry = _write(reading, path, scratch, _bytes(memory_limit), tell)
                entry = replace(entry, source=state, code=code)
            targets = _fingerprints(table, warehouse)
            if not unchanged or entry.targets != targets:
                orphans = count_orphans(table, warehouse, memory_limit=memory_limit, threads=threads, scratch=scratch)
                entry = replace(entry, orphans=orphans, targets=targets)
                ledger.note(table.name, warehouse, entry)
    return StagedTable(
        table.name,
        path,
        entry.rows,
        entry.fingerprint,
        entry.duplicates,
        entry.orphans,
        entry.extra_columns,
        unchanged,
    )


def _write(reading: Reading, path: Path, scratch: Path, memory: int, tell: Callable[[int], None]) -> ledger.Entry:
    """Read, sort and write a table, all or nothing."""
    sizes = Sizes(max(memory // 128, _SMALLEST_PIECE), max(memory // 8, _SMALLEST_PIECE))
    frames = _frames(reading, tell)
    try:
        return _write_pieces(reading, path, ordered_pieces(frames, reading.table, sizes, scratch))
    except NotGrouped:
        frames.close()
        reading.problems.clear()
        pieces = ordered_pieces(_frames(reading, tell), reading.table, sizes, scratch, merge=True)
        return _write_pieces(reading, path, pieces)


def _write_pieces(reading: Reading, path: Path, pieces: Iterator[pl.DataFrame]) -> ledger.Entry:
    keys = KeyCount(reading.table)
    with replacing(path) as sink, TableWriter(reading.table, sink) as writer:
        for piece in pieces:
            keys.add(piece)
            writer.write(piece)
        fingerprint = writer.finish()
        if problems := reading.problems or _key_problems(reading, keys, writer.rows):
            raise InputError(problems)
    size = path.stat().st_size
    return ledger.Entry("", "", size, writer.rows, fingerprint, keys.duplicates, reading.extra_columns, {}, {})


def _frames(reading: Reading, tell: Callable[[int], None]) -> Generator[pl.DataFrame, None, None]:
    """The table's records, file after file; the files after one that has a problem are not read."""
    folder, before = reading.path.is_dir(), 0
    for path in parts(reading.path):
        where = f"{reading.where}/{path.name}" if folder else reading.where
        part = replace(reading, path=path, where=where)
        for frame in parquet_frames(part) if path.suffix == ".parquet" else csv_frames(part):
            tell(before + part.position)
            yield frame
        before += path.stat().st_size
        reading.extra_columns += tuple(name for name in part.extra_columns if name not in reading.extra_columns)
        if reading.problems:
            return


def _key_problems(reading: Reading, keys: KeyCount, rows: int) -> list[Problem]:
    """What makes a table that everything stands on unusable: no records, or a key that occurs twice."""
    table = reading.table
    if table.indispensable and not rows:
        return [Problem(reading.where, "the table has a header and no records", "download it again")]
    repeated = keys.repeated()
    return [
        Problem(
            f"{reading.where}, column {', '.join(table.key)}",
            f"the key {', '.join(map(str, key))} occurs {records} times"
            + (f"; {repeated.height} keys in all occur more than once" if repeated.height > 1 else ""),
            "remove the records that are there twice",
        )
        for *key, records in repeated.head(_SHOWN_KEYS).iter_rows()
    ]


def _fingerprints(table: Table, warehouse: Path) -> dict[str, str]:
    entries = {name: ledger.recall(name, warehouse) for name in references(table, warehouse)}
    return {name: entry.fingerprint for name, entry in entries.items() if entry}


@contextmanager
def _scratch(table: Table, warehouse: Path) -> Iterator[Path]:
    """An empty directory for what doesn't fit into memory, gone afterwards."""
    path = ledger.folder(warehouse) / f"{table.name}.scratch"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _disk_errors(where: str, warehouse: Path) -> Iterator[None]:
    """Say what went wrong on the disk instead of failing with a traceback."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        full = getattr(error, "errno", None) == errno.ENOSPC or "No space left on device" in str(error)
        if full:
            problem = Problem(where, f"the disk of {warehouse} is full", "free some space, or name another warehouse")
        elif isinstance(error, OSError):
            reason = (error.strerror or str(error)).lower()
            problem = Problem(where, f"{error.filename or warehouse}: {reason}", "check permissions and the disk")
        else:
            raise
        raise InputError(problem) from error


def _bytes(limit: str) -> int:
    """A size in bytes, said as a user says it.

    >>> _bytes("3GB"), _bytes("512 MiB")
    (3000000000, 536870912)
    """
    match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)(i?)B\s*", limit, re.IGNORECASE)
    if match is None:
        raise InputError(Problem("memory limit", f"`{limit}` is not a size", "write it as 3GB"))
    base = 1024 if match[3] else 1000
    return int(float(match[1]) * base ** " KMGT".index(match[2].upper() or " "))
