"""Staging of what is right: exact values, one order, the same bytes whatever the format, the threads and the memory."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import math
import os
import random
import string
import subprocess
import sys
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.staging import Source, blocks, find_source, order, stage, stage_table
from schemas.tables import TABLES, ColumnType, Table

ROOT = Path(__file__).resolve().parents[1]
Record = dict[str, Any]
at = datetime.fromisoformat

EXAMPLES: dict[ColumnType, Any] = {
    ColumnType.INTEGER: 1,
    ColumnType.DOUBLE: 1.5,
    ColumnType.TEXT: "x",
    ColumnType.TIMESTAMP: at("2150-01-02 03:04:05"),
    ColumnType.DATE: date(2150, 1, 2),
}


def as_csv(table: Table, records: Sequence[Record], names: Sequence[str] | None = None) -> bytes:
    """CSV that tells an empty text, quoted, from NULL, which is nothing."""
    names = names or table.names
    lines = [",".join(names)]
    for record in records:
        fields = []
        for name in names:
            value = record.get(name)
            text = "" if value is None else str(value)
            quote = value == "" or any(c in text for c in ',"\n\r')
            fields.append('"' + text.replace('"', '""') + '"' if quote else text)
        lines.append(",".join(fields))
    return ("\n".join(lines) + "\n").encode()


def source_of(root: Path, **files: bytes) -> Source:
    """A source with these tables; the suffix of a name comes after `__`: `labevents__csv_gz`."""
    found: dict[str, Path] = {}
    for name, data in files.items():
        table, _, suffix = name.partition("__")
        path = root / f"{TABLES[table].path}.{(suffix or 'csv').replace('_', '.')}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        found[table] = path
    return Source(root, "synthetic", "unknown", found)


def staged_records(path: Path) -> list[Record]:
    with duckdb.connect(config={"threads": 1}) as con:
        rows = con.execute("SELECT * FROM read_parquet(?, file_row_number=true) ORDER BY file_row_number", [str(path)])
        names = [description[0] for description in rows.description]
        return [dict(zip(names[:-1], row[:-1], strict=True)) for row in rows.fetchall()]


def in_total_order(table: Table, records: Sequence[Record]) -> list[Record]:
    """The declared order, worked out without the code under test."""

    def key(record: Record) -> list[tuple[bool, Any]]:
        values = [record.get(name) for name in table.order]
        return [(v is None, 0 if v is None else v.encode() if isinstance(v, str) else v) for v in values]

    return sorted(records, key=key)


def lab(rng: random.Random) -> Record:
    time = at("2150-01-01") + timedelta(minutes=rng.randrange(50))
    return {
        "labevent_id": rng.randrange(1, 400),
        "subject_id": 10_000_000 + rng.randrange(60),
        "hadm_id": rng.choice([None, 20_000_000]),
        "specimen_id": rng.randrange(3),
        "itemid": rng.choice([50801, 50813]),
        "charttime": rng.choice([None, time]),
        "value": rng.choice([None, "", "___", "1,5", 'say "hi"', "line\nend", " blank "]),
        "valuenum": rng.choice([None, 0.1, 7.7025115740740739, 1e-7]),
        "comments": rng.choice([None, "", "".join(rng.choices(string.printable.strip(), k=12))]),
    }


def labs(n: int, seed: int = 1) -> list[Record]:
    rng = random.Random(seed)
    return [lab(rng) for _ in range(n)]


def full(table: Table, record: Record) -> Record:
    return {name: record.get(name) for name in table.names}


# ---- exact values ----------------------------------------------------------------------------------------------------

VALUES: dict[ColumnType, st.SearchStrategy[Any]] = {
    ColumnType.INTEGER: st.integers(-(2**31), 2**31 - 1),
    ColumnType.DOUBLE: st.floats(allow_nan=False, allow_infinity=False),
    # A carriage return alone ends a line for some readers of CSV, not for others: no promise is made about it.
    ColumnType.TEXT: st.text(st.characters(exclude_characters="\r\0", exclude_categories=("Cs",))),
    ColumnType.TIMESTAMP: st.datetimes(at("1900-01-01"), at("2300-01-01")),
    ColumnType.DATE: st.dates(date(1900, 1, 1), date(2300, 1, 1)),
}


@st.composite
def tables_of_records(draw: st.DrawFn) -> tuple[Table, list[Record]]:
    table = TABLES[draw(st.sampled_from(["omr", "microbiologyevents", "pharmacy", "icustays", "d_items"]))]
    never_null = {table.sort[0], *(table.key if table.unique else ())}
    record = st.fixed_dictionaries(
        {c.name: VALUES[c.type] if c.name in never_null else st.none() | VALUES[c.type] for c in table.columns}
    )
    unique = (lambda r: tuple(r[name] for name in table.key)) if table.unique else None
    return table, draw(st.lists(record, max_size=8, unique_by=unique))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(tables_of_records(), st.randoms(use_true_random=False))
def test_any_values_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[Table, list[Record]], rng: random.Random
) -> None:
    table, records = case
    root = tmp_path_factory.mktemp("exact")
    names = rng.sample(table.names, len(table.names))
    staged = stage_table(source_of(root, **{table.name: as_csv(table, records, names)}), table, root / "warehouse")
    assert staged.rows == len(records)
    assert staged_records(staged.path) == in_total_order(table, records)


def test_types_are_the_declared_ones(tmp_path: Path) -> None:
    for table in TABLES.values():
        record = {c.name: EXAMPLES[c.type] for c in table.columns}
        staged = stage_table(source_of(tmp_path, **{table.name: as_csv(table, [record])}), table, tmp_path / "w")
        with duckdb.connect() as con:
            described = con.execute("DESCRIBE FROM read_parquet(?)", [str(staged.path)]).fetchall()
        assert [row[:2] for row in described] == [(c.name, c.type.duckdb) for c in table.columns]
        assert staged_records(staged.path) == [record]


def test_text_stays_text(tmp_path: Path) -> None:
    text = b'code,category,long_description,short_description\n0090,,,""\nTD   ,1," a\nb, ""c""",caf\xc3\xa9\n'
    staged = stage_table(source_of(tmp_path, d_hcpcs=text), TABLES["d_hcpcs"], tmp_path / "w")
    assert [tuple(record.values()) for record in staged_records(staged.path)] == [
        ("0090", None, None, ""),
        ("TD   ", 1, ' a\nb, "c"', "café"),
    ]


def test_times_keep_their_seconds_and_fractions_and_dates_may_have_a_midnight(tmp_path: Path) -> None:
    text = (
        b"subject_id,hadm_id,chartdate,hcpcs_cd,seq_num,short_description\n"
        b"1,2,2150-01-02 00:00:00,x,1,\n1,2,2150-01-03,x,2,\n"
    )
    staged = stage_table(source_of(tmp_path, hcpcsevents=text), TABLES["hcpcsevents"], tmp_path / "w")
    assert [r["chartdate"] for r in staged_records(staged.path)] == [date(2150, 1, 2), date(2150, 1, 3)]
    text = (
        b"subject_id,hadm_id,transfertime,prev_service,curr_service\n"
        b"1,2,2150-01-02 03:04:05.387,,MED\n1,2,2150-01-02,,MED"
    )
    staged = stage_table(source_of(tmp_path, services=text), TABLES["services"], tmp_path / "w")
    assert [r["transfertime"] for r in staged_records(staged.path)] == [
        at("2150-01-02"),
        at("2150-01-02 03:04:05.387"),
    ]


def test_a_mark_at_the_start_windows_line_ends_and_any_case_are_fine(tmp_path: Path) -> None:
    table = TABLES["procedureevents"]
    record = {c.name: EXAMPLES[c.type] for c in table.columns}
    text = as_csv(table, [record]).replace(b"ORIGINALAMOUNT", b"originalAmount")
    text = b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")
    staged = stage_table(source_of(tmp_path, procedureevents=text), table, tmp_path / "w")
    assert staged_records(staged.path) == [record]


def test_extra_columns_are_reported_and_left_out(tmp_path: Path) -> None:
    text = b'note,provider_id,x\n"a, b",P1,\xff\n'
    staged = stage_table(source_of(tmp_path, provider=text), TABLES["provider"], tmp_path / "w")
    assert staged.extra_columns == ("note", "x")
    assert staged_records(staged.path) == [{"provider_id": "P1"}]


def test_quotes_around_everything_mean_no_number_where_there_is_none(tmp_path: Path) -> None:
    text = b'"itemid","label","fluid","category"\n"5","","Blood",""\n'
    staged = stage_table(source_of(tmp_path, d_labitems=text), TABLES["d_labitems"], tmp_path / "w")
    assert staged_records(staged.path) == [{"itemid": 5, "label": "", "fluid": "Blood", "category": ""}]
    text = b'"code","category","long_description","short_description"\n"A","","",""\n'
    staged = stage_table(source_of(tmp_path, d_hcpcs=text), TABLES["d_hcpcs"], tmp_path / "w")
    assert staged_records(staged.path)[0]["category"] is None


def test_a_header_alone_is_a_table_without_records(tmp_path: Path) -> None:
    staged = stage_table(source_of(tmp_path, omr=as_csv(TABLES["omr"], [])), TABLES["omr"], tmp_path / "w")
    assert staged.rows == 0
    assert staged_records(staged.path) == []


# ---- one order, the same bytes ---------------------------------------------------------------------------------------


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def as_parquet(table: Table, records: Sequence[Record], **types: pa.DataType) -> bytes:
    plain = {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.DOUBLE: pa.float64(),
        ColumnType.TEXT: pa.large_string(),
        ColumnType.TIMESTAMP: pa.timestamp("ns"),
        ColumnType.DATE: pa.timestamp("ms"),
    }
    schema = pa.schema([(c.name, types.get(c.name, plain[c.type])) for c in table.columns])
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([full(table, r) for r in records], schema=schema), sink, row_group_size=100)
    return sink.getvalue()


def test_formats_order_and_folder_change_no_byte(tmp_path: Path) -> None:
    table, records = TABLES["labevents"], labs(500)
    shuffled = random.Random(2).sample(records, len(records))
    staged = [
        stage_table(source_of(tmp_path / str(number), **{f"labevents__{suffix}": data}), table, tmp_path / f"w{number}")
        for number, (suffix, data) in enumerate(
            {
                "csv": as_csv(table, records),
                "csv_gz": as_csv(table, shuffled, table.names[::-1]),
                "parquet": as_parquet(
                    table, shuffled[::-1], itemid=pa.uint64(), value=pa.dictionary(pa.int8(), pa.string())
                ),
            }.items()
        )
    ]
    assert len({digest(one.path) for one in staged}) == 1
    assert len({one.fingerprint for one in staged}) == 1
    assert staged_records(staged[0].path) == in_total_order(table, [full(table, r) for r in records])


@pytest.mark.parametrize("folder", ["labevents", "labevents.parquet"])
def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path, folder: str) -> None:
    table, records = TABLES["labevents"], labs(300)
    source = source_of(tmp_path / "raw", patients__csv=b"", admissions__csv=b"")
    (source.root / "hosp" / folder).mkdir()
    for number, begin in enumerate(range(0, 300, 100)):
        part = as_parquet(table, records[begin : begin + 100])
        (source.root / "hosp" / folder / f"part-{number:03d}.parquet").write_bytes(part)
    (source.root / "hosp" / folder / "_SUCCESS").write_bytes(b"")
    source = find_source(tmp_path / "raw")
    told = list[int]()
    staged = stage_table(source, table, tmp_path / "w", tell=told.append)
    whole = stage_table(
        source_of(tmp_path / "one", labevents__parquet=as_parquet(table, records)), table, tmp_path / "w1"
    )
    assert digest(staged.path) == digest(whole.path)
    assert told == sorted(told)
    assert told[-1] <= source.size_of("labevents")
    assert stage_table(source, table, tmp_path / "w").unchanged
    (source.root / "hosp" / folder / "part-002.parquet").write_bytes(as_parquet(table, records[200:299]))
    assert stage_table(find_source(tmp_path / "raw"), table, tmp_path / "w").rows == 299


@pytest.mark.parametrize("arrangement", ["shuffled", "grouped", "grouped at first"])
def test_a_table_too_large_for_memory_gives_the_same_bytes(
    tmp_path: Path, arrangement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, records = TABLES["labevents"], labs(4_000)
    if arrangement != "shuffled":
        records.sort(key=lambda r: r["subject_id"])
    if arrangement == "grouped at first":
        records[-1], records[10] = records[10], records[-1]
        records.append(records.pop(20))
    source = source_of(tmp_path, labevents__csv_gz=as_csv(table, records))
    whole = stage_table(source, table, tmp_path / "whole")
    monkeypatch.setattr(blocks.cut, "__defaults__", (20_000,))
    monkeypatch.setattr("assets.staging.staged._SMALLEST_PIECE", 40_000)
    monkeypatch.setattr(order, "_BATCH_ROWS", 100)
    merged: list[int] = []
    between = order._Run.between
    monkeypatch.setattr(order._Run, "between", lambda *a: merged.append(1) or between(*a))
    pieces = [stage_table(source, table, tmp_path / f"{n}", memory_limit="1KB", threads=n) for n in (1, 2, 4)]
    assert bool(merged) == (arrangement != "grouped")
    assert {digest(one.path) for one in pieces} == {digest(whole.path)}
    assert {(one.fingerprint, one.duplicates) for one in pieces} == {(whole.fingerprint, whole.duplicates)}
    assert whole.duplicates > 0
    assert staged_records(whole.path) == in_total_order(table, [full(table, r) for r in records])
    assert not list(tmp_path.rglob("*.scratch"))


def test_threads_of_the_engine_change_no_byte(tmp_path: Path) -> None:
    source_of(tmp_path, labevents=as_csv(TABLES["labevents"], labs(3_000)))
    code = (
        "import sys; from pathlib import Path; from assets.staging import Source, stage_table;"
        "from schemas.tables import TABLES; root, out = map(Path, sys.argv[1:]);"
        "s = Source(root, 'synthetic', 'unknown', {'labevents': root / 'hosp/labevents.csv'});"
        "print(stage_table(s, TABLES['labevents'], out).path)"
    )
    digests = set()
    for threads in ("1", "4"):
        run = [sys.executable, "-c", code, str(tmp_path), str(tmp_path / threads)]
        done = subprocess.run(
            run, cwd=ROOT, env={**os.environ, "POLARS_MAX_THREADS": threads}, check=True, capture_output=True, text=True
        )
        digests.add(digest(Path(done.stdout.strip())))
    assert len(digests) == 1


def test_row_groups_are_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets.staging.write.ROW_GROUP_ROWS", 64)
    table = TABLES["labevents"]
    staged = stage_table(source_of(tmp_path, labevents=as_csv(table, labs(200))), table, tmp_path / "w")
    with pq.ParquetFile(staged.path) as file:
        groups = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
    assert groups == [64, 64, 64, 8]


def test_zero_has_no_sign(tmp_path: Path) -> None:
    table = TABLES["labevents"]
    text = as_csv(table, [{**labs(1)[0], "valuenum": "-0.0"}])
    staged = stage_table(source_of(tmp_path, labevents=text), table, tmp_path / "w")
    assert math.copysign(1, staged_records(staged.path)[0]["valuenum"]) == 1


# ---- counts and memory of what was done ------------------------------------------------------------------------------


def hospital(root: Path, **more: bytes) -> Source:
    patients = [{"subject_id": s, "gender": "F", "anchor_age": 50, "anchor_year": 2150} for s in (1, 2, 3)]
    admissions = [{"subject_id": s, "hadm_id": 10 + s, "admittime": at(f"2150-01-0{s}")} for s in (1, 2)]
    tables = {
        "patients": as_csv(TABLES["patients"], patients),
        "admissions": as_csv(TABLES["admissions"], admissions),
        **more,
    }
    source_of(root, **tables)
    return find_source(root)


def test_duplicates_and_orphans_are_counted_not_refused(tmp_path: Path) -> None:
    diagnosis = {"subject_id": 1, "hadm_id": 11, "seq_num": 1, "icd_code": "0090", "icd_version": 9}
    records = [diagnosis, diagnosis, {**diagnosis, "hadm_id": 99}, {**diagnosis, "subject_id": 8, "icd_code": None}]
    staged = stage(hospital(tmp_path, diagnoses_icd=as_csv(TABLES["diagnoses_icd"], records)), tmp_path / "w")
    assert staged["diagnoses_icd"].duplicates == 1
    assert staged["diagnoses_icd"].orphans == {"subject_id -> patients": 1, "hadm_id -> admissions": 1}


def test_what_is_unchanged_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = hospital(tmp_path / "raw")
    told: list[tuple[str, float]] = []
    first = stage(source, tmp_path / "w", lambda name, share: told.append((name, share)))
    assert [one.unchanged for one in first.values()] == [False, False]
    assert told[-1] == ("admissions", 1.0)
    assert [share for _, share in told] == sorted(share for _, share in told)
    monkeypatch.setattr("assets.staging.staged.csv_frames", lambda _: pytest.fail("read again"))
    again = stage(source, tmp_path / "w")
    assert [one.unchanged for one in again.values()] == [True, True]
    assert [(one.fingerprint, one.rows, one.orphans) for one in again.values()] == [
        (one.fingerprint, one.rows, one.orphans) for one in first.values()
    ]


def test_only_the_changed_table_is_read_and_orphans_follow(tmp_path: Path) -> None:
    source = hospital(tmp_path / "raw")
    stage(source, tmp_path / "w")
    patient = {"subject_id": 1, "gender": "F", "anchor_age": 50, "anchor_year": 2150}
    source.files["patients"].write_bytes(as_csv(TABLES["patients"], [patient]))
    staged = stage(source, tmp_path / "w")
    assert [one.unchanged for one in staged.values()] == [False, True]
    assert staged["admissions"].orphans["subject_id -> patients"] == 1


def test_a_staged_file_that_was_tampered_with_is_made_again(tmp_path: Path) -> None:
    source = hospital(tmp_path / "raw")
    path = stage(source, tmp_path / "w")["patients"].path
    before = path.read_bytes()
    path.write_bytes(before[:-10])
    (tmp_path / "w/.staging/admissions.json").write_text("{}")
    staged = stage(source, tmp_path / "w")
    assert [one.unchanged for one in staged.values()] == [False, False]
    assert path.read_bytes() == before


def test_tables_of_an_earlier_source_go(tmp_path: Path) -> None:
    stage(hospital(tmp_path / "one", omr=as_csv(TABLES["omr"], [])), tmp_path / "w")
    assert (tmp_path / "w/hosp/omr.parquet").exists()
    stage(hospital(tmp_path / "two"), tmp_path / "w")
    assert not (tmp_path / "w/hosp/omr.parquet").exists()


# ---- the real thing --------------------------------------------------------------------------------------------------


def test_the_demo_is_staged_exactly(demo: Path, tmp_path: Path) -> None:
    source = find_source(demo)
    assert (source.kind, source.version) == ("demo", "demo-v2.2")
    staged = stage(source, tmp_path)
    assert set(staged) | set(source.missing) == set(TABLES)
    with duckdb.connect(config={"threads": 2}) as con:
        for name, one in staged.items():
            columns = {c.name: c.type.duckdb for c in TABLES[name].columns}
            con.execute(
                f"CREATE OR REPLACE TABLE expected AS FROM read_csv('{source.files[name]}', columns={columns}, "
                "header=true, delim=',', quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false)"
            )
            con.execute(f"CREATE OR REPLACE TABLE found AS FROM '{one.path}'")
            for one_side, other in (("expected", "found"), ("found", "expected")):
                [(difference,)] = con.execute(
                    f"SELECT count(*) FROM (FROM {one_side} EXCEPT ALL FROM {other})"
                ).fetchall()
                assert difference == 0, name
            ordered = pl.read_parquet(one.path)
            assert ordered.equals(ordered.sort(TABLES[name].order, nulls_last=True)), name
    assert all(one.duplicates == 0 for one in staged.values())
    assert staged["pharmacy"].orphans["poe_id -> poe"] == 19


def test_csv_written_by_python_reads_back(tmp_path: Path) -> None:
    """A writer of its own kind: everything quoted that need not be."""
    table, records = TABLES["omr"], [{"subject_id": 1, "chartdate": date(2150, 1, 1), "seq_num": 1, "result_name": "a"}]
    sink = io.StringIO()
    writer = csv.DictWriter(sink, table.names, quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows({**record, "result_value": "120/80"} for record in records)
    staged = stage_table(source_of(tmp_path, omr=sink.getvalue().encode()), table, tmp_path / "w")
    assert staged_records(staged.path) == [{**records[0], "result_value": "120/80"}]
