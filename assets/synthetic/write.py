"""Writes the synthetic hospital in PhysioNet's layout: `hosp/`, `icu/`, and `SYNTHETIC.json` last."""

from __future__ import annotations

import contextlib
import ctypes
import json
import multiprocessing
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assets.synthetic.families import FAMILIES
from assets.synthetic.gzip_parts import Part, PartWriter, join
from assets.synthetic.hospital import VERSION, Hospital
from schemas.errors import InputError, Problem
from schemas.tables import TABLES, ColumnType

Format = Literal["csv.gz", "parquet"]
Progress = Callable[[str, int, int], None]

MARK = "SYNTHETIC.json"
BLOCKS_PER_FILE = 10
"""Up to 10,240 patients a parquet table is one file, beyond that a folder of files of so many patients each."""
_MANY = 4
"""Runs of blocks for each worker from which on a worker makes all tables of a run, and each block of patients once.
With fewer runs the families are divided, so that no worker is left without work."""
_ROW_GROUP = 600_000
_DICTIONARIES = "dictionaries"


@dataclass(frozen=True)
class _Task:
    """Families of tables for a run of blocks: what one worker does at a time."""

    hospital: Hospital
    families: tuple[str, ...]
    part: int
    blocks: range
    folder: Path
    format: Format


@dataclass(frozen=True)
class _Written:
    """What a worker wrote of one table."""

    table: str
    part: int
    rows: int
    piece: Part | None = None


def write_hospital(
    out: Path,
    patients: int,
    seed: int,
    *,
    format: Format = "csv.gz",
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Generate the hospital into the folder `out`, unless the same hospital is there already.

    The folder appears when it is complete: everything is written beside it and renamed at the end. Another synthetic
    hospital in its place is replaced; anything else is left alone.

    Args:
        out: Folder to make; `hosp/`, `icu/` and `SYNTHETIC.json` appear in it.
        patients: 100 to 366,000.
        seed: 0 or more.
        format: `csv.gz`, one file per table as PhysioNet ships it; `parquet`, one file `labevents.parquet` per table up
            to 10,240 patients, beyond that a folder `labevents/` of files.
        workers: Processes; the bytes do not depend on it.
        progress: Called with a table's name, how many of its parts are written, and how many there are.

    Returns:
        Rows of each table.

    Raises:
        InputError: The size or the seed is out of range, or `out` holds something else.
    """
    hospital = Hospital(patients, seed)
    claim = {"generator": VERSION, "patients": patients, "seed": seed, "format": format}
    found = _found(out)
    if found is not None and {key: found.get(key) for key in claim} == claim:
        return {str(name): int(rows) for name, rows in found["rows"].items()}
    if found is None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(Problem(str(out), "there is something else", "name a new or an empty folder"))
    building = out.with_name(f".{out.name}.building")
    shutil.rmtree(building, ignore_errors=True)
    for module in ("hosp", "icu"):
        (building / module).mkdir(parents=True)
    rows = _generate(hospital, building, format, workers, progress)
    text = json.dumps(claim | {"rows": dict(sorted(rows.items()))}, indent=2)
    (building / MARK).write_text(text + "\n", encoding="utf-8")
    if out.exists():
        shutil.rmtree(out)
    building.rename(out)
    return rows


def _found(out: Path) -> dict[str, dict[str, int]] | None:
    """What `SYNTHETIC.json` says of a hospital that is there; None if there is none."""
    mark = out / MARK
    if not mark.is_file():
        return None
    said: dict[str, dict[str, int]] = json.loads(mark.read_text(encoding="utf-8"))
    return said


def _generate(
    hospital: Hospital, folder: Path, format: Format, workers: int, progress: Progress | None
) -> dict[str, int]:
    per_part = BLOCKS_PER_FILE if format == "parquet" else 1
    runs = [range(i, min(i + per_part, hospital.blocks)) for i in range(0, hospital.blocks, per_part)]
    together = [tuple(FAMILIES)] if len(runs) >= _MANY * workers else [(family,) for family in FAMILIES]
    # Costly families first, so that the last worker is not left alone with the largest table.
    tasks = [
        _Task(hospital, families, part, blocks, folder, format)
        for families in together
        for part, blocks in enumerate(runs)
    ]
    tasks.append(_Task(hospital, (_DICTIONARIES,), 0, range(1), folder, format))
    written: dict[str, list[_Written]] = {}
    # One block is made before a second process has started.
    for results in _done(tasks, workers if hospital.blocks > 1 else 1):
        for result in results:
            parts = written.setdefault(result.table, [])
            parts.append(result)
            total = 1 if TABLES[result.table].path in _SHARED else len(runs)
            if len(parts) == total and format == "csv.gz":
                _join_csv(folder, result.table, parts)
            if progress:
                progress(result.table, len(parts), total)
    if format == "parquet" and len(runs) == 1:
        for name in written:
            _only_file(folder, name)
    return {name: sum(part.rows for part in written[name]) for name in TABLES if name in written}


_SHARED = frozenset(
    TABLES[name].path
    for name in ("d_labitems", "d_items", "d_hcpcs", "d_icd_diagnoses", "d_icd_procedures", "provider", "caregiver")
)


def _done(tasks: list[_Task], workers: int) -> Iterator[list[_Written]]:
    """Results of the tasks, in whichever order they come."""
    if workers <= 1:
        yield from map(_work, tasks)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, initializer=_keep_memory) as pool:
        for future in as_completed([pool.submit(_work, task) for task in tasks]):
            yield future.result()


def _keep_memory() -> None:
    """Keep freed memory in the process: block after block needs as much again.

    The GNU C library otherwise gives each large array back to the system and asks for zeroed pages anew, which took a
    tenth of the time. Elsewhere nothing happens.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        libc.mallopt(_M_MMAP_THRESHOLD, _KEPT)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT = 1 << 30


def _work(task: _Task) -> list[_Written]:
    """Write some families of tables for a run of blocks."""
    if task.families == (_DICTIONARIES,):
        return [_write(task, name, [table]) for name, table in task.hospital.dictionaries().items()]
    sinks = {name: _sink(task, name) for family in task.families for name in FAMILIES[family].tables}
    for number in task.blocks:
        for family in task.families:
            for name, table in task.hospital.family(family, number).items():
                sinks[name].add(table)
    return [sink.close() for sink in sinks.values()]


def _write(task: _Task, name: str, pieces: Iterable[pa.Table]) -> _Written:
    sink = _sink(task, name)
    for piece in pieces:
        sink.add(piece)
    return sink.close()


class _ParquetSink:
    """One parquet file; row groups of at least 600,000 rows where there are as many."""

    def __init__(self, task: _Task, name: str) -> None:
        self._name, self._part = name, task.part
        directory = task.folder / TABLES[name].path
        directory.mkdir(exist_ok=True)
        self._path = directory / f"part-{task.part:03d}.parquet"
        self._waiting: list[pa.Table] = []
        self._writer: pq.ParquetWriter | None = None
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += table.num_rows
        if sum(piece.num_rows for piece in self._waiting) >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        table = pa.concat_tables(self._waiting).unify_dictionaries()
        if self._writer is None:
            # Words and measured numbers repeat, ids and times don't: plain, they are written twice as fast.
            repeated = [f.name for f in table.schema if pa.types.is_dictionary(f.type) or pa.types.is_floating(f.type)]
            self._writer = pq.ParquetWriter(
                self._path, table.schema, compression="lz4", use_dictionary=repeated,  # type: ignore[arg-type]  # pyarrow-stubs know the bool only
                write_statistics=["subject_id"],
                store_schema=False,
            )  # fmt: skip
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self._waiting = []

    def close(self) -> _Written:
        if self._waiting:
            self._flush()
        if self._writer is not None:
            self._writer.close()
        return _Written(self._name, self._part, self._rows)


class _CsvSink:
    """One compressed part of a CSV file, written as PhysioNet writes it."""

    def __init__(self, task: _Task, name: str) -> None:
        self._name, self._part = name, task.part
        self._parts = PartWriter(task.folder / f"{TABLES[name].path}.{task.part:05d}.deflate")
        self._rows = 0
        if task.part == 0:
            self._parts.write((",".join(TABLES[name].names) + "\n").encode())

    def add(self, table: pa.Table) -> None:
        self._rows += table.num_rows
        if table.num_rows:
            self._parts.write(csv_bytes(self._name, table))

    def close(self) -> _Written:
        return _Written(self._name, self._part, self._rows, self._parts.close())


def csv_bytes(name: str, table: pa.Table) -> bytes:
    r"""The rows as CSV: NULL is empty, times to the second, doubles as short as they can be, quotes only where needed.

    >>> row = pa.table({"itemid": pa.array([1], pa.int32()), "lownormalvalue": [2.0], "label": ['a "b", c']})
    >>> csv_bytes("d_items", row)
    b'1,2,"a ""b"", c"\n'
    """
    columns = []
    for column_name, column in zip(table.column_names, table.columns, strict=True):
        plain = TABLES[name][column_name].type is ColumnType.DOUBLE
        columns.append(column.cast(pa.string()) if plain else column)
    frame = pl.DataFrame(pa.table(columns, names=table.column_names))
    text: str = frame.write_csv(include_header=False, datetime_format="%Y-%m-%d %H:%M:%S", date_format="%Y-%m-%d")
    return text.encode()


def _sink(task: _Task, name: str) -> _ParquetSink | _CsvSink:
    if task.format == "parquet":
        return _ParquetSink(task, name)
    if task.format == "csv.gz":
        return _CsvSink(task, name)
    assert_never(task.format)


def _join_csv(folder: Path, name: str, parts: list[_Written]) -> None:
    pieces = [part.piece for part in sorted(parts, key=lambda part: part.part) if part.piece is not None]
    join(pieces, folder / f"{TABLES[name].path}.csv.gz")


def _only_file(folder: Path, name: str) -> None:
    """`labevents/part-000.parquet` becomes `labevents.parquet`."""
    directory = folder / TABLES[name].path
    (directory / "part-000.parquet").rename(folder / f"{TABLES[name].path}.parquet")
    directory.rmdir()
