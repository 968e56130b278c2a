"""Sessions over a warehouse: what they read, what they cost, and that the two conditions look alike."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from robustgym import watchdog
from robustgym.hospital import Hospital
from robustgym.shown import Shown
from robustgym.warehouse import Warehouse
from schemas.errors import InputError
from schemas.overlays import CopyWhere, Delete, DeleteWhere, Insert, Overlay, Update, UpdateWhere
from schemas.tables import TABLES
from tests.shared_cases import cases
from tests.tiny_hospital import build, rows, write

CLEAN = rows()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    with Hospital.open(build(tmp_path_factory.mktemp("tiny"))) as found:
        yield found


# -- the warehouse ----------------------------------------------------------------------------------------------------


def test_a_folder_that_is_no_warehouse(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        Warehouse.open(tmp_path / "nowhere")
    with pytest.raises(InputError) as raised:
        Warehouse.open(tmp_path)
    assert {problem.where.split(", ")[1] for problem in raised.value.problems} == {
        "hosp/patients.parquet",
        "hosp/admissions.parquet",
    }


def test_row_numbers_are_positions_in_the_files(tmp_path: Path) -> None:
    build(tmp_path)
    (tmp_path / "hosp" / "labevents.parquet").unlink()
    labs = CLEAN["labevents"]
    for number in range(3):
        write(
            tmp_path,
            "labevents",
            labs[number * 20 : (number + 1) * 20 if number < 2 else None],
            f"part-{number}.parquet",
        )
    with Hospital.open(tmp_path) as hospital, hospital.session(row_ids=True) as session:
        assert session.fetch("SELECT * FROM labevents")[1] == [(*row, i) for i, row in enumerate(labs)]


def test_the_native_copy_is_made_once_and_follows_the_tables(tmp_path: Path) -> None:
    build(tmp_path)
    told: list[str] = []
    first = Warehouse.open(tmp_path).native(lambda name, number, of: told.append(f"{name} {number}/{of}"))
    assert len(told) == 4
    written = first.stat().st_mtime_ns
    assert Warehouse.open(tmp_path).native() == first
    assert first.stat().st_mtime_ns == written
    write(tmp_path, "d_labitems", CLEAN["d_labitems"][:2])
    second = Warehouse.open(tmp_path).native()
    assert second != first
    assert [file.name for file in second.parent.glob("*.duckdb")] == [second.name]
    assert not (second.parent / "building").exists()


def test_staging_names_the_content(tmp_path: Path) -> None:
    build(tmp_path)
    by_bytes = Warehouse.open(tmp_path).fingerprint
    (tmp_path / ".staging").mkdir()
    for name in CLEAN:
        (tmp_path / ".staging" / f"{name}.json").write_text(json.dumps({"fingerprint": f"f-{name}"}))
    noted = Warehouse.open(tmp_path).fingerprint
    assert noted != by_bytes
    write(tmp_path, "d_labitems", CLEAN["d_labitems"][:2])
    assert Warehouse.open(tmp_path).fingerprint == noted


def test_a_parquet_file_of_another_shape(tmp_path: Path) -> None:
    build(tmp_path)
    for name in ("d_labitems", "labevents"):
        with duckdb.connect() as connection:
            connection.execute(f"COPY (SELECT 'abc' AS itemid) TO '{tmp_path}/hosp/{name}.parquet'")
    with pytest.raises(InputError) as raised:
        Hospital.open(tmp_path)
    assert len(raised.value.problems) == 2
    assert not list((tmp_path / ".native").glob("*.duckdb"))


def test_two_at_once_build_one_copy(tmp_path: Path) -> None:
    build(tmp_path)
    made: list[Path] = []
    threads = [threading.Thread(target=lambda: made.append(Warehouse.open(tmp_path).native())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3
    assert len(set(made)) == 1


# -- sessions ---------------------------------------------------------------------------------------------------------


def test_the_pipeline_reads_everything(tiny: Hospital) -> None:
    with tiny.session() as session:
        columns, found = session.fetch("SELECT * FROM labevents")
    assert tuple(columns) == TABLES["labevents"].names
    assert found == CLEAN["labevents"]
    assert isinstance(found[0][columns.index("charttime")], datetime)


def test_sessions_do_not_see_each_other(tiny: Hospital) -> None:
    gone = Overlay(edits=(DeleteWhere(table="labevents", where="TRUE"),))
    with tiny.session() as clean, tiny.session(gone) as empty:
        assert empty.show("SELECT count(*) FROM labevents").rows == ((0,),)
        assert clean.show("SELECT count(*) FROM labevents").rows == ((len(CLEAN["labevents"]),),)


@pytest.mark.parametrize(
    "statement",
    [
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM '{folder}/secret.csv'",
        "ATTACH '{folder}/x.duckdb'",
        "EXPORT DATABASE '{folder}/x'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "CREATE TABLE w.x AS SELECT 1",
        "DELETE FROM w.labevents",
    ],
)
def test_the_engine_itself_is_shut(tiny: Hospital, tmp_path: Path, statement: str) -> None:
    """The second line: what the guard refuses would not work without it either."""
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    with tiny.session() as session, pytest.raises(duckdb.Error):
        session.fetch(statement.format(folder=tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["secret.csv"]


def test_threads_share_a_hospital(tiny: Hospital) -> None:
    counts: list[Shown] = []

    def work(subject: int) -> None:
        gone = DeleteWhere(table="labevents", where=f"subject_id <> {subject}")
        with tiny.session(Overlay(edits=(gone,))) as session:
            counts.extend(session.show("SELECT count(DISTINCT subject_id) FROM labevents") for _ in range(20))

    threads = [threading.Thread(target=work, args=(10_000_001 + i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [shown.rows for shown in counts] == [((1,),)] * 80


def test_what_takes_too_long_is_stopped_and_nothing_else(tmp_path: Path) -> None:
    with (
        Hospital.open(build(tmp_path), seconds=0.2) as hospital,
        hospital.session() as slow,
        hospital.session() as other,
    ):
        endless = "WITH RECURSIVE t AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t"
        for _ in range(2):
            assert "took too long" in str(slow.show(endless).error)
            assert slow.show("SELECT count(*) FROM patients").rows == ((12,),)
            assert other.show("SELECT count(*) FROM patients").rows == ((12,),)
            time.sleep(watchdog._LOOK * (watchdog._IDLE + 5))  # long enough for the watchdog to fall asleep


# -- the two conditions look alike ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(demo_warehouse: Path) -> Iterator[Hospital]:
    with Hospital.open(demo_warehouse) as found:
        yield found


def of_patient(hospital: Hospital) -> Overlay:
    """One patient's records of several tables, and a dictionary row, changed, gone and new."""
    edits: list[Any] = []
    with hospital.session(row_ids=True) as session:
        for table, column, value in (
            ("labevents", "valuenum", 99.5),
            ("prescriptions", "drug", "___"),
            ("admissions", "insurance", None),
            ("icustays", "outtime", None),
            ("emar", "medication", None),
            ("omr", "result_value", ""),
        ):
            subject = "SELECT min(subject_id) FROM icustays"
            _, found = session.fetch(
                f"SELECT row_id, subject_id, {column} FROM {table} WHERE subject_id = ({subject}) "
                "ORDER BY row_id LIMIT 2"
            )
            for row, subject_id, before in found[:1]:
                told = str(before) if isinstance(before, datetime) else before
                edits.append(
                    Update(table=table, row=row, subject_id=subject_id, before={column: told}, after={column: value})
                )
            edits += [
                Delete(table=table, row=row, subject_id=subject_id, before={}) for row, subject_id, _ in found[1:]
            ]
        edits.append(Insert(table="labevents", after={"subject_id": found[0][1], "itemid": 50813, "valuenum": 1.0}))
        _, [(row, label)] = session.fetch("SELECT row_id, label FROM d_labitems WHERE itemid = 50813")
        edits.append(Update(table="d_labitems", row=row, before={"label": label}, after={"label": "Delete"}))
    return Overlay(edits=tuple(edits))


BY_PREDICATE = Overlay(
    edits=(
        UpdateWhere(table="labevents", where="itemid = 50912", put={"valuenum": "NULL", "valueuom": "'mg/L'"}),
        DeleteWhere(table="prescriptions", where="drug ILIKE 'hep%'"),
        UpdateWhere(table="icustays", where="los > 5", put={"hadm_id": "NULL"}),
        CopyWhere(table="admissions", where="insurance = 'Medicare'", put={"race": "NULL"}),
    )
)


FLOAT = re.compile(r"-?\d+\.\d{6,}")


def alike(a: Shown, b: Shown) -> bool:
    """Equal up to the last digits of floats: the order of a sum moves them."""

    def same(x: Any, y: Any) -> bool:
        if isinstance(x, str) and isinstance(y, str) and FLOAT.fullmatch(x) and FLOAT.fullmatch(y):
            x, y = float(x), float(y)  # SUMMARIZE gives numbers as text
        if isinstance(x, float) and isinstance(y, float):
            return math.isclose(x, y, rel_tol=1e-10, abs_tol=1e-12)
        if isinstance(x, list) and isinstance(y, list):
            return len(x) == len(y) and all(same(*pair) for pair in zip(x, y, strict=True))
        return bool(x == y)

    return (a.columns, a.notice, a.error, len(a.rows)) == (b.columns, b.notice, b.error, len(b.rows)) and all(
        same(list(x), list(y)) for x, y in zip(a.rows, b.rows, strict=True)
    )


@pytest.mark.parametrize("form", ["by row", "by predicate"])
def test_placebo_is_answered_as_the_clean_hospital(real: Hospital, form: str) -> None:
    overlay = of_patient(real) if form == "by row" else BY_PREDICATE
    # Of two records at one time, ASOF takes the one that comes last, and that the placebo moves (as the noise does).
    found = [case["sql"] for case in cases("legit.jsonl") if case["tag"] != "asof"]
    assert len(found) >= 58
    different = []
    with real.session() as clean, real.session(overlay, placebo=True) as placebo:
        for sql in found:
            # Without an order, the patient's rows come last under the placebo, as they do under the noise.
            if "order by" in sql.lower() or "limit" not in sql.lower():
                a, b = clean.show(sql), placebo.show(sql)
                if not alike(a, b) and not alike(a, sorted_as(a, b)):
                    different.append(sql)
    assert different == []


def sorted_as(a: Shown, b: Shown) -> Shown:
    """The second result in the order of the first, where its rows are the same."""
    return a if sorted(map(repr, a.rows)) == sorted(map(repr, b.rows)) else b


@pytest.mark.parametrize("form", ["by row", "by predicate"])
def test_describe_tells_nothing(real: Hospital, form: str) -> None:
    overlay = of_patient(real) if form == "by row" else BY_PREDICATE
    with real.session() as clean, real.session(overlay) as noisy, real.session(overlay, placebo=True) as placebo:
        for name in sorted(real.tables):
            statement = f"DESCRIBE {name}"
            assert clean.show(statement) == noisy.show(statement) == placebo.show(statement)


@pytest.mark.parametrize("form", ["by row", "by predicate"])
def test_plans_are_the_same(real: Hospital, form: str) -> None:
    overlay = of_patient(real) if form == "by row" else BY_PREDICATE
    with real.session(overlay) as noisy, real.session(overlay, placebo=True) as placebo:
        [(patient,)] = placebo.fetch("SELECT min(subject_id) FROM icustays")[1]
        statement = f"EXPLAIN SELECT count(*), avg(valuenum) FROM labevents WHERE subject_id = {patient}"
        plans = [shape(session.fetch(statement)[1][0][1]) for session in (noisy, placebo)]
    assert plans[0] == plans[1]


def shape(plan: str) -> list[str]:
    """The operators of a plan, in their order."""
    return [word for word in plan.replace("│", " ").split() if word.isupper() and "_" in word]


def test_errors_are_the_same(real: Hospital) -> None:
    overlay = of_patient(real)
    with real.session(overlay) as noisy, real.session(overlay, placebo=True) as placebo:
        for case in cases("attacks.jsonl"):
            if case.get("then") == "error":
                assert noisy.show(case["sql"]).ok == placebo.show(case["sql"]).ok


def test_no_expression_sees_a_deleted_row(real: Hospital) -> None:
    """An agent's expression must not be evaluated on rows the overlay has removed: its error would be an oracle."""
    gone = Overlay(edits=(DeleteWhere(table="labevents", where="valuenum > 4"),))
    throws = (
        "SELECT sum(CASE WHEN valuenum > 4 THEN 'x'::INTEGER ELSE 0 END) FROM labevents",
        "SELECT count(*) FROM labevents WHERE (CASE WHEN valuenum > 4 THEN 'x' || value ELSE '1' END)::INTEGER = 1",
        "SELECT max(exp(valuenum * 200)::DECIMAL(18, 2)) FROM labevents WHERE valuenum > 4",
        "SELECT count(*) FROM labevents l JOIN d_labitems d ON l.itemid = d.itemid + "
        "CASE WHEN l.valuenum > 4 THEN 'x'::INTEGER ELSE 0 END",
    )
    with real.session(gone) as session:
        for statement in throws:
            assert session.show(statement).ok, statement
