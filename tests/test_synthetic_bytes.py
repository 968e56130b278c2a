"""The same hospital has the same bytes: every time, with any number of workers, in either format."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Literal

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from assets.synthetic import Hospital, tables, write_hospital
from assets.synthetic.columns import pick, words
from assets.synthetic.write import MARK
from schemas.errors import InputError
from schemas.tables import TABLES

TWO_BLOCKS = 1_060
SMALL = 200


def hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def differing(left: Path, right: Path) -> list[str]:
    """Names of the files that are not the same in both."""
    return sorted(name for name, _ in hashes(left).items() ^ hashes(right).items())


@pytest.fixture(scope="module")
def csv_hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("synthetic") / "csv"
    write_hospital(out, SMALL, 3)
    return out


@pytest.fixture(scope="module")
def parquet_hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("synthetic") / "parquet"
    write_hospital(out, SMALL, 3, format="parquet")
    return out


@pytest.mark.parametrize("format", ["csv.gz", "parquet"])
def test_one_and_two_workers_write_the_same_bytes(format: Literal["csv.gz", "parquet"], tmp_path: Path) -> None:
    for workers in (1, 2):
        write_hospital(tmp_path / str(workers), TWO_BLOCKS, 3, format=format, workers=workers)
    assert differing(tmp_path / "1", tmp_path / "2") == []


def test_another_seed_is_another_hospital(csv_hospital: Path, tmp_path: Path) -> None:
    write_hospital(tmp_path / "other", 100, 4, workers=1)
    other = gzip.decompress((tmp_path / "other" / "hosp" / "patients.csv.gz").read_bytes()).splitlines()
    mine = gzip.decompress((csv_hospital / "hosp" / "patients.csv.gz").read_bytes()).splitlines()
    assert other[1:100] != mine[1:100]


@pytest.mark.parametrize("name", TABLES)
def test_csv_and_parquet_hold_the_same_rows(name: str, csv_hospital: Path, parquet_hospital: Path) -> None:
    table = TABLES[name]
    types = {column.name: column.type.duckdb for column in table.columns}
    text = f"read_csv('{csv_hospital / table.path}.csv.gz', header = true, columns = {types}, nullstr = '')"
    both = duckdb.connect()
    [(left,)] = both.sql(
        f"SELECT count(*) FROM (FROM {text} EXCEPT ALL FROM '{parquet_hospital / table.path}.parquet')"
    ).fetchall()
    [(rows,)] = both.sql(f"SELECT count(*) FROM '{parquet_hospital / table.path}.parquet'").fetchall()
    [(lines,)] = both.sql(f"SELECT count(*) FROM {text}").fetchall()
    assert (left, lines) == (0, rows)


def test_pieces_of_a_long_word_list_go_together() -> None:
    """A full-size hospital has more providers than a 16-bit position holds, though one block of it has fewer."""
    names = words([f"P{i}" for i in range(40_000)])
    pieces = [pa.table({"provider": pick(np.arange(begin, begin + 20_000), names)}) for begin in (0, 20_000)]
    assert pa.concat_tables(pieces).unify_dictionaries()["provider"].to_pylist() == names.to_pylist()


def test_no_word_list_holds_a_word_twice() -> None:
    """Parquet's writer leaves bytes unset where one does."""
    for name, table in tables(100, 1):
        for column in table.column_names:
            for chunk in table[column].chunks:
                if isinstance(chunk, pa.DictionaryArray):
                    assert len(chunk.dictionary.unique()) == len(chunk.dictionary), (name, column)


def test_csv_is_written_as_physionet_writes_it(csv_hospital: Path) -> None:
    data = (csv_hospital / "hosp" / "labevents.csv.gz").read_bytes()
    assert data[:4] == b"\x1f\x8b\x08\x00"
    assert data[4:8] == b"\x00\x00\x00\x00"  # no time in the header
    lines = gzip.decompress(data).decode().splitlines()
    assert lines[0] == ",".join(TABLES["labevents"].names)
    potassium = next(line for line in lines if ",50971," in line and line.split(",")[8].endswith(".0"))
    fields = potassium.split(",")
    assert len(fields[6]) == len("2180-08-06 20:35:00")
    assert fields[9] == fields[8].removesuffix(".0")


def test_the_same_hospital_is_not_made_twice(csv_hospital: Path) -> None:
    before = (csv_hospital / MARK).stat().st_mtime_ns
    rows = write_hospital(csv_hospital, SMALL, 3)
    assert (csv_hospital / MARK).stat().st_mtime_ns == before
    assert rows["patients"] == SMALL


def test_progress_counts_up_to_all_parts(tmp_path: Path) -> None:
    seen: dict[str, tuple[int, int]] = {}
    write_hospital(
        tmp_path / "h", 100, 1, workers=1, progress=lambda name, done, total: seen.update({name: (done, total)})
    )
    assert set(seen) == set(TABLES)
    assert all(done == total for done, total in seen.values())


def test_other_peoples_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not touch", encoding="utf-8")
    with pytest.raises(InputError, match="something else"):
        write_hospital(tmp_path, 100, 1, workers=1)
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.parametrize(("patients", "seed"), [(99, 1), (400_000, 1), (100, -1)])
def test_impossible_hospitals_are_refused(patients: int, seed: int) -> None:
    with pytest.raises(InputError):
        Hospital(patients, seed)
