"""Staging of what is wrong: one clear message for each fault, all of a run together, no table left half-made."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.staging import Source, blocks, find_source, stage, stage_table
from schemas.errors import InputError, Problem
from schemas.tables import TABLES

HEADER = b"subject_id,chartdate,seq_num,result_name,result_value\n"
GOOD = HEADER + b"1,2150-01-01,1,Weight (Lbs),150\n"


def put(root: Path, name: str, data: bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def hospital(root: Path, **files: bytes) -> Path:
    """A source that is right, but for these files: `hosp/omr.csv` is written `omr`."""
    put(
        root,
        "hosp/patients.csv",
        b"subject_id,gender,anchor_age,anchor_year,anchor_year_group,dod\n1,F,50,2150,2011 - 2013,\n",
    )
    names = ",".join(TABLES["admissions"].names)
    put(root, "hosp/admissions.csv", f"{names}\n1,11,2150-01-01 00:00:00,,,URGENT,,,,,,,,,,0\n".encode())
    for name, data in files.items():
        put(root, f"{TABLES[name].path}.csv", data)
    return root


def problems_of(root: Path, warehouse: Path) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        stage(find_source(root), warehouse)
    left = [path for path in warehouse.rglob("*") if path.suffix in (".tmp", ".scratch", ".arrow")]
    assert left == []
    return caught.value.problems


def omr_problems(tmp_path: Path, data: bytes, suffix: str = "csv") -> tuple[Problem, ...]:
    hospital(tmp_path / "raw")
    put(tmp_path / "raw", f"hosp/omr.{suffix}", data)
    problems = problems_of(tmp_path / "raw", tmp_path / "w")
    assert (tmp_path / "w/hosp/patients.parquet").exists(), "what is right is staged"
    assert not (tmp_path / "w/hosp/omr.parquet").exists(), "what is wrong is not"
    assert all(problem.do for problem in problems)
    return problems


# ---- archives and files ----------------------------------------------------------------------------------------------


def noise(n: int) -> bytes:
    return GOOD + b"".join(b"%d,2150-01-01,%d,Weight (Lbs),%d\n" % (i % 9 + 1, i, i * 7919 % 1000) for i in range(n))


@pytest.mark.parametrize("kept", [5, 0.5, -9])
def test_truncated_gzip(tmp_path: Path, kept: float) -> None:
    data = gzip.compress(noise(5000))
    [problem] = omr_problems(tmp_path, data[: int(kept * len(data)) if kept == 0.5 else int(kept)], "csv.gz")
    assert problem.where == "hosp/omr.csv.gz"
    assert "breaks off" in problem.what


@pytest.mark.parametrize("place", [0, 0.5, -6])
def test_corrupt_gzip(tmp_path: Path, place: float) -> None:
    data = bytearray(gzip.compress(noise(5000)))
    data[int(place * len(data)) if place == 0.5 else int(place)] ^= 0x5A
    [problem] = omr_problems(tmp_path, bytes(data), "csv.gz")
    assert "damaged" in problem.what or "breaks off" in problem.what


def test_a_damaged_archive_is_one_problem_however_much_it_garbles(tmp_path: Path) -> None:
    garbled = bytearray(gzip.compress(noise(50) + b"garbled,records\n" * 50 + noise(5000), mtime=0))
    garbled[-6] ^= 0x5A
    [problem] = omr_problems(tmp_path, bytes(garbled), "csv.gz")
    assert "damaged" in problem.what


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_empty_file(tmp_path: Path, suffix: str) -> None:
    [problem] = omr_problems(tmp_path, b"", suffix)
    assert problem == Problem(f"hosp/omr.{suffix}", "the file is empty", "download it again")


def test_empty_archive(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, gzip.compress(b""), "csv.gz")
    assert problem.what == "the file is empty"


def test_not_parquet(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD, "parquet")
    assert "not a readable parquet file" in problem.what


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def refuse(self: Path, *args: Any, **kwargs: Any) -> Any:
        if self.name == "omr.csv" and args == ("rb",):
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return real(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    [problem] = omr_problems(tmp_path, GOOD)
    assert (problem.where, problem.what) == ("hosp/omr.csv", "it can't be read: permission denied")


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_missing_column(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, b"subject_id,chartdate,seq_num,result_name\n1,2150-01-01,1,a\n")
    assert (problem.where, problem.what) == ("hosp/omr.csv, column result_value", "the column is missing")


def test_renamed_column(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD.replace(b"result_value", b"Result_Val"))
    assert problem.do == "rename `Result_Val` to `result_value`"


def test_column_twice(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, b"seq_num," + HEADER)
    assert (problem.where, problem.what) == ("hosp/omr.csv, column seq_num", "the column is there twice")


def test_no_header(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD.removeprefix(HEADER))
    assert problem.where == "hosp/omr.csv, line 1"


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "column", "value", "what"),
    [
        ("labevents", "itemid", "abc", "is not a whole number"),
        ("labevents", "itemid", "1.0", "is not a whole number"),
        ("labevents", "itemid", "3000000000", "is beyond a 32-bit whole number"),
        ("labevents", "valuenum", "1.2.3", "is not a number"),
        ("labevents", "valuenum", "nan", "is not a number"),
        ("labevents", "valuenum", "1e999", "is beyond a 64-bit number"),
        ("labevents", "charttime", "yesterday", "is not a date and time as 2150-05-06 22:23:00"),
        ("labevents", "charttime", "2150-02-30 00:00:00", "is not a day and time of the calendar"),
        ("labevents", "charttime", "2150-02-03 00:00:00Z", "is not a date and time as 2150-05-06 22:23:00"),
        ("labevents", "charttime", "2150-02-03 00:00:00.1234567", "is finer than a microsecond"),
        ("omr", "chartdate", "2150-02-03 04:00:00", "has a time of day, and a date is expected"),
        ("omr", "chartdate", "03/02/2150", "is not a date as 2150-05-06"),
    ],
)
def test_value_that_is_none(tmp_path: Path, table: str, column: str, value: str, what: str) -> None:
    names = TABLES[table].names
    good = dict.fromkeys(names, "") | {"subject_id": "1"}
    lines = [",".join(names), ",".join(good.values()), ",".join({**good, column: value}.values())]
    hospital(tmp_path / "raw", **{table: "\n".join(lines).encode()})
    [problem] = problems_of(tmp_path / "raw", tmp_path / "w")
    assert problem.where == f"hosp/{table}.csv, line 3, column {column}"
    assert problem.what == f"`{value}` {what}"


def test_line_numbers_count_line_ends_in_fields_and_go_on_over_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks.cut, "__defaults__", (60,))
    rows = b"".join(b'1,2150-01-01,%d,"two\nlines",5\n' % n for n in range(50))
    [problem] = omr_problems(tmp_path, HEADER + rows + b'1,2150-01-01,"x",a,b\n' + rows)
    assert problem.where == "hosp/omr.csv, line 102, column seq_num"


def test_every_wrong_value_is_named(tmp_path: Path) -> None:
    problems = omr_problems(tmp_path, GOOD + b"1,2150-01-01,x,a,b\n1,no,1,a,b\n")
    assert [problem.where for problem in problems] == [
        "hosp/omr.csv, line 3, column seq_num",
        "hosp/omr.csv, line 4, column chartdate",
    ]


def test_enough_is_enough(tmp_path: Path) -> None:
    problems = omr_problems(tmp_path, HEADER + b"1,2150-01-01,x,a,b\n" * 1000)
    assert len(problems) == 21
    assert any("only the first 20" in problem.what for problem in problems)


@pytest.mark.parametrize(("record", "fields"), [(b"1,2150-01-01,1,a\n", 4), (b"1,2150-01-01,1,a,b,c\n", 6)])
def test_record_of_another_length(tmp_path: Path, record: bytes, fields: int) -> None:
    [problem] = omr_problems(tmp_path, GOOD + record)
    assert problem.where == "hosp/omr.csv, line 3"
    assert problem.what == f"the record has {fields} fields, the header 5"


def test_quote_that_is_not_closed(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD + b'1,2150-01-01,1,"a,b\n1,2150-01-01,1,a,b\n')
    assert problem.where == "hosp/omr.csv, line 3"
    assert "not valid CSV" in problem.what


def test_record_without_a_patient(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD + b",2150-01-01,1,a,b\n")
    assert problem.where == "hosp/omr.csv, line 3, column subject_id"
    assert "missing" in problem.what


def test_wrong_encoding(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD + "1,2150-01-01,1,Größe,5\n".encode("latin-1"))
    assert (problem.where, problem.what) == ("hosp/omr.csv, line 3", "byte 0xf6 is not UTF-8 text")


def test_wrong_encoding_from_the_start(tmp_path: Path) -> None:
    [problem] = omr_problems(tmp_path, GOOD.decode().encode("utf-16"))
    assert "UTF-8" in problem.what


# ---- parquet ---------------------------------------------------------------------------------------------------------


def omr_parquet(tmp_path: Path, **columns: pa.Array) -> tuple[Problem, ...]:
    good = {
        "subject_id": pa.array([1, 2]),
        "chartdate": pa.array(["2150-01-01", "2150-01-02"]).cast(pa.date32()),
        "seq_num": pa.array([1, 1]),
        "result_name": pa.array(["a", "b"]),
        "result_value": pa.array(["1", "2"]),
    }
    path = tmp_path / "omr.parquet"
    pq.write_table(pa.table({**good, **columns}), path)
    return omr_problems(tmp_path, path.read_bytes(), "parquet")


def test_parquet_with_numbers_for_text(tmp_path: Path) -> None:
    [problem] = omr_parquet(tmp_path, result_value=pa.array([1, 2]))
    assert "leading zeros are lost" in problem.what


def test_parquet_with_single_precision(tmp_path: Path) -> None:
    [problem] = omr_parquet(tmp_path, seq_num=pa.array([1, 2], pa.float32()))
    assert "lost digits" in problem.what


def test_parquet_with_a_zone(tmp_path: Path) -> None:
    [problem] = omr_parquet(tmp_path, chartdate=pa.array([0, 0], pa.timestamp("us", "UTC")))
    assert "no zone" in problem.what


@pytest.mark.parametrize(
    ("column", "values", "shown"),
    [
        ("seq_num", pa.array([1, 2**31]), "`2147483648` is not a 32-bit whole number"),
        ("seq_num", pa.array([1, 1.5]), "`1.5` is not a 32-bit whole number"),
        ("chartdate", pa.array([0, 1], pa.timestamp("s")), "`1970-01-01 00:00:01` is not a date without a time of day"),
    ],
)
def test_parquet_with_a_value_that_does_not_fit(tmp_path: Path, column: str, values: pa.Array, shown: str) -> None:
    [problem] = omr_parquet(tmp_path, **{column: values})
    assert problem.where == f"hosp/omr.parquet, row 2, column {column}"
    assert problem.what == shown


# ---- keys ------------------------------------------------------------------------------------------------------------


def test_duplicate_keys_where_everything_stands_on_them(tmp_path: Path) -> None:
    root = hospital(tmp_path / "raw")
    for name in ("patients", "admissions"):
        path = root / f"hosp/{name}.csv"
        header, record = path.read_bytes().splitlines()
        path.write_bytes(b"\n".join([header, record, record, record]))
    stays = "\n".join([",".join(TABLES["icustays"].names), "1,11,31,a,a,,,1", "1,11,31,b,b,,,1"])
    put(root, "icu/icustays.csv", stays.encode())
    found = {problem.where: problem.what for problem in problems_of(root, tmp_path / "w")}
    assert found == {
        "hosp/patients.csv, column subject_id": "the key 1 occurs 3 times",
        "hosp/admissions.csv, column hadm_id": "the key 11 occurs 3 times",
        "icu/icustays.csv, column stay_id": "the key 31 occurs 2 times",
    }


@pytest.mark.parametrize("name", ["patients", "admissions"])
def test_header_only_where_everything_stands_on_it(tmp_path: Path, name: str) -> None:
    root = hospital(tmp_path / "raw", **{name: ",".join(TABLES[name].names).encode()})
    [problem] = problems_of(root, tmp_path / "w")
    assert (problem.where, problem.what) == (f"hosp/{name}.csv", "the table has a header and no records")


def test_problems_of_several_tables_come_together(tmp_path: Path) -> None:
    root = hospital(tmp_path / "raw", omr=b"", services=b"x,y\n")
    assert [p.where.split(",")[0] for p in problems_of(root, tmp_path / "w")] == ["hosp/omr.csv", "hosp/services.csv"]


def test_what_was_staged_before_stays(tmp_path: Path) -> None:
    root = hospital(tmp_path / "raw", omr=GOOD)
    before = stage(find_source(root), tmp_path / "w")["omr"].path.read_bytes()
    put(root, "hosp/omr.csv", GOOD + b"x\n")
    problems_of(root, tmp_path / "w")
    assert (tmp_path / "w/hosp/omr.parquet").read_bytes() == before


# ---- the disk --------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_disk_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def full(self: Path, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        if self.name == ".omr.parquet.tmp":
            real(self, mode).close()
            return open("/dev/full", mode)
        return real(self, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", full)
    [problem] = omr_problems(tmp_path, GOOD)
    assert problem.where == "hosp/omr.csv"
    assert "is full" in problem.what


def test_warehouse_that_cannot_be_written(tmp_path: Path) -> None:
    put(tmp_path, "w", b"a file in the way")
    with pytest.raises(InputError) as caught:
        stage(find_source(hospital(tmp_path / "raw")), tmp_path / "w")
    assert all("not a directory" in p.what or "file exists" in p.what for p in caught.value.problems)


def test_memory_limit_that_is_none(tmp_path: Path) -> None:
    source = find_source(hospital(tmp_path / "raw"))
    with pytest.raises(InputError, match="`lots` is not a size"):
        stage_table(source, TABLES["patients"], tmp_path / "w", memory_limit="lots")


# ---- the directory ---------------------------------------------------------------------------------------------------


def source_problems(directory: Path) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        find_source(directory)
    return caught.value.problems


def test_no_such_directory_and_a_file(tmp_path: Path) -> None:
    [problem] = source_problems(tmp_path / "nowhere")
    assert problem.what == "there is no such directory"
    [problem] = source_problems(put(tmp_path, "file", b""))
    assert problem.what == "this is a file"


def test_outer_folder(tmp_path: Path) -> None:
    inner = hospital(tmp_path / "physionet.org/files/mimiciv/3.1")
    assert find_source(tmp_path).root == inner
    assert find_source(inner).root == inner


def test_outer_folder_of_several(tmp_path: Path) -> None:
    hospital(tmp_path / "2.2")
    hospital(tmp_path / "3.1")
    [problem] = source_problems(tmp_path)
    assert problem.what == "it holds 2 sources"
    assert str(tmp_path / "2.2") in problem.do


def test_inner_folder_and_flat_folder_and_nothing(tmp_path: Path) -> None:
    hospital(tmp_path / "one")
    [problem] = source_problems(tmp_path / "one/hosp")
    assert problem.do == "give the directory above it"
    [problem] = source_problems(put(tmp_path, "flat/patients.csv", b"").parent)
    assert "no hosp/ or icu/" in problem.what
    (tmp_path / "empty").mkdir()
    [problem] = source_problems(tmp_path / "empty")
    assert "no MIMIC-IV tables" in problem.what


def test_same_table_twice_and_no_patients_together(tmp_path: Path) -> None:
    root = hospital(tmp_path)
    put(root, "hosp/admissions.csv.gz", b"")
    (root / "hosp/patients.csv").unlink()
    twice, missing = sorted(source_problems(root), key=lambda problem: problem.where)
    assert twice.what == "the table is there 2 times: admissions.csv.gz, admissions.csv"
    assert missing.where.endswith("hosp/patients")


def test_folder_of_a_table_beside_its_file_and_folder_without_files(tmp_path: Path) -> None:
    root = hospital(tmp_path)
    (root / "hosp/admissions").mkdir()
    (root / "hosp/omr.parquet").mkdir()
    twice, empty = sorted(source_problems(root), key=lambda problem: problem.where)
    assert twice.what.startswith("the table is there 2 times: admissions.csv")
    assert (empty.where, empty.what) == (str(root / "hosp/omr.parquet"), "the folder holds no parquet files")


def test_a_problem_in_one_of_several_files_names_the_file(tmp_path: Path) -> None:
    root = hospital(tmp_path)
    put(root, "hosp/omr/part-000.parquet", b"no parquet")
    [problem] = problems_of(root, tmp_path / "w")
    assert problem.where == "hosp/omr/part-000.parquet"


def test_unreadable_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = hospital(tmp_path)

    def refuse(path: Path) -> list[str]:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "listdir", refuse)
    [problem] = source_problems(root)
    assert (problem.where, problem.what) == (str(root / "hosp"), "it can't be read: permission denied")


@pytest.mark.parametrize(
    ("beside", "kind", "version"),
    [
        ({}, "credentialed", "unknown"),
        ({"SYNTHETIC.json": b'{"generator": "1"}'}, "synthetic", "1"),
        ({"SYNTHETIC.json": b"[]"}, "synthetic", "unknown"),
        ({"demo_subject_id.csv": b""}, "demo", "demo"),
        ({"LICENSE.txt": b"ODC Open Database License (ODbL)"}, "demo", "demo"),
        (
            {"LICENSE.txt": b"The PhysioNet Credentialed Health Data License", "SYNTHETIC.json": b""},
            "credentialed",
            "unknown",
        ),
        ({"CHANGELOG.txt": b"Changes in MIMIC-IV v3.1, against MIMIC-IV v3.0"}, "credentialed", "v3.1"),
    ],
)
def test_kind_and_version(tmp_path: Path, beside: dict[str, bytes], kind: str, version: str) -> None:
    root = hospital(tmp_path)
    for name, data in beside.items():
        put(root, name, data)
    source = find_source(root)
    assert (source.kind, source.version) == (kind, version)
    assert list(source.files) == ["patients", "admissions"]
    assert len(source.missing) == 29


def test_a_source_is_what_it_says(tmp_path: Path) -> None:
    source = Source(tmp_path, "demo", "demo", {"omr": put(tmp_path, "hosp/omr.csv", GOOD)})
    assert stage_table(source, TABLES["omr"], tmp_path / "w").rows == 1
