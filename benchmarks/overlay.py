"""What an overlay costs: CPU under it, and under its placebo, as a ratio to the clean read.

python -m benchmarks overlay
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb

from assets.staging import find_source, stage
from robustgym.hospital import Hospital, Session
from schemas.overlays import CopyWhere, Delete, DeleteWhere, Insert, Overlay, RowEdit, Update, UpdateWhere
from schemas.tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
LABS, PATIENTS = 2_000_000, 5_000
PATIENT_MORE = 5.0
"""Milliseconds by which a patient's query may be slower, where 1.3 times is less."""

PATIENT = {
    "a patient's item": "SELECT charttime, valuenum, valueuom FROM labevents "
    "WHERE subject_id = {subject} AND itemid = 50912 ORDER BY charttime",
    "a patient's records": "SELECT * FROM labevents WHERE subject_id = {subject} ORDER BY charttime",
    "an admission's records": "SELECT count(*), max(valuenum) FROM labevents WHERE hadm_id = {hadm}",
}
POPULATION = {
    "an item": "SELECT count(*), avg(valuenum), max(charttime) FROM labevents WHERE itemid = 50912",
    "by item": "SELECT itemid, count(*), avg(valuenum) FROM labevents GROUP BY itemid",
    "by patient": "SELECT subject_id, max(valuenum), min(charttime) FROM labevents GROUP BY subject_id",
    "joined": "SELECT a.insurance, avg(l.valuenum) FROM labevents AS l JOIN admissions AS a USING (hadm_id) "
    "WHERE l.itemid = 50912 GROUP BY ALL",
}


def run() -> list[dict[str, object]]:
    """Measure, and give one row per figure: name, value, unit, bar, and whether the bar is kept."""
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        demo = Path(os.environ.get("MIMIC_IV_DEMO", ROOT.parent / "shared" / "mimic-iv-demo-2.2"))
        if demo.is_dir():
            stage(find_source(demo), scratch / "demo")
            with Hospital.open(scratch / "demo") as hospital:
                rows += _reset(hospital)
        with Hospital.open(write_warehouse(scratch / "large"), memory_limit="3GB") as hospital:
            rows += _ratios(hospital)
    return rows


def write_warehouse(folder: Path) -> Path:
    """A warehouse of a few thousand patients with labs alone, in the tables' order."""
    made = {
        "patients": f"SELECT 10000000 + i AS subject_id, 'F' AS gender FROM range({PATIENTS}) AS r(i)",
        "admissions": "SELECT 10000000 + i // 2 AS subject_id, 20000000 + i AS hadm_id, "
        f"['Medicare', 'Medicaid', 'Other'][1 + i % 3] AS insurance FROM range({2 * PATIENTS}) AS r(i)",
        "labevents": f"SELECT i AS labevent_id, 10000000 + i * {PATIENTS} // {LABS} AS subject_id, "
        f"CASE WHEN i % 4 > 0 THEN 20000000 + 2 * (i * {PATIENTS} // {LABS}) + i % 2 END AS hadm_id, "
        "50800 + hash(i) % 300 AS itemid, "
        "TIMESTAMP '2150-01-01' + to_minutes(CAST(hash(i + 1) % 900000 AS BIGINT)) AS charttime, "
        f"round((hash(i + 2) % 10000) / 100, 1) AS valuenum, 'mg/dL' AS valueuom FROM range({LABS}) AS r(i)",
    }
    with duckdb.connect(config={"threads": 2, "memory_limit": "3GB"}) as connection:
        for name, statement in made.items():
            table = TABLES[name]
            connection.execute(f"CREATE TABLE made AS {statement}")
            there = {column for column, *_ in connection.execute("SELECT * FROM made LIMIT 0").description or ()}
            cells = ", ".join(
                f"CAST({c.name if c.name in there else 'NULL'} AS {c.type.duckdb}) AS {c.name}" for c in table.columns
            )
            file = folder / f"{table.path}.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            order = ", ".join(f"{column} NULLS LAST" for column in table.order)
            connection.execute(f"COPY (SELECT {cells} FROM made ORDER BY {order}) TO '{file}' (FORMAT parquet)")
            connection.execute("DROP TABLE made")
    return folder


def _reset(hospital: Hospital) -> list[dict[str, object]]:
    """A new session and its first query about a patient, on the demo."""
    with hospital.session(row_ids=True) as session:
        _, found = session.fetch("SELECT row_id, subject_id, valuenum FROM labevents WHERE itemid = 50912")
    subject = found[0][1]
    edits: list[RowEdit] = [
        Update(table="labevents", row=row, subject_id=subject, before={"valuenum": v}, after={"valuenum": 99.5})
        for row, of, v in found
        if of == subject
    ]
    statement = PATIENT["a patient's item"].format(subject=subject)
    rows = []
    for name, overlay in (("clean", Overlay()), ("overlay", Overlay(edits=tuple(edits)))):

        def first(overlay: Overlay = overlay) -> None:
            with hospital.session(overlay) as session:
                session.show(statement)

        rows.append(_row(f"reset and first query about a patient, demo, {name}: CPU", _median(first, 60), "ms", 10.0))
    return rows


def _ratios(hospital: Hospital) -> list[dict[str, object]]:
    """Queries over millions of records, clean and under overlays of both forms."""
    with hospital.session(row_ids=True) as session:
        columns = "SELECT row_id, subject_id, hadm_id, valuenum FROM labevents WHERE itemid = 50912"
        _, found = session.fetch(f"{columns} AND valuenum IS NOT NULL AND hadm_id IS NOT NULL ORDER BY row_id")
    _, subject, hadm, _ = found[len(found) // 2]
    rows: list[dict[str, object]] = []
    for name, overlay in _overlays(found).items():
        of_patient = isinstance(overlay.edits[0], Update | Delete | Insert)
        with (
            hospital.session() as clean,
            hospital.session(overlay) as noisy,
            hospital.session(overlay, placebo=True) as p,
        ):
            for asked, statement in (PATIENT | POPULATION).items():
                sql = statement.format(subject=subject, hadm=hadm)
                base, under, placebo = _medians((clean, noisy, p), sql, 40 if asked in PATIENT else 9)
                label = f"{name}: {asked}"
                if asked in PATIENT:
                    ok = under <= 1.3 * base or under <= base + PATIENT_MORE
                    more = f" ({under - base:+.1f} ms)"
                    rows.append(_row(label + more, under / base, "×", 1.3, ok))
                else:
                    # Twice an item's records are twice the work for whoever asks for the item.
                    twice = name == "item doubled" and "itemid = 50912" in sql
                    rows.append(_row(label, under / base, "×", None if twice else 1.5))
                if of_patient:
                    rows.append(_row(f"{label}, against its placebo", under / placebo, "×", None))
    return rows


def _overlays(found: list[tuple[int, int, int, float]]) -> dict[str, Overlay]:
    def updates(rows: list[tuple[int, int, int, float]]) -> Overlay:
        return Overlay(
            edits=tuple(
                Update(table="labevents", row=row, subject_id=s, before={"valuenum": v}, after={"valuenum": 99.5})
                for row, s, _, v in rows
            )
        )

    middle = found[len(found) // 2]
    item = "itemid = 50912"
    return {
        "1 record": updates([middle]),
        "100 records of 100 patients": updates(found[:: len(found) // 100][:100]),
        "1,000 records": updates(found[:1000]),
        "value of an item": Overlay(
            edits=(UpdateWhere(table="labevents", where=item, put={"valuenum": "valuenum * 10"}),)
        ),
        "item gone": Overlay(edits=(DeleteWhere(table="labevents", where=item),)),
        "admission of an item gone": Overlay(
            edits=(UpdateWhere(table="labevents", where=item, put={"hadm_id": "NULL"}),)
        ),
        "item doubled": Overlay(edits=(CopyWhere(table="labevents", where=item, put={"valuenum": "valuenum + 1"}),)),
    }


def _medians(sessions: Sequence[Session], sql: str, times: int) -> list[float]:
    """Median CPU milliseconds of a statement in each session, by turns, so that a busy moment hits all of them."""
    taken: list[list[float]] = [[] for _ in sessions]
    for number in range(times + 1):
        for session, figures in zip(sessions, taken, strict=True):
            before = time.process_time()
            session.fetch(sql)
            if number:  # the first time makes the views
                figures.append((time.process_time() - before) * 1000)
    return [statistics.median(figures) for figures in taken]


def _median(work: Callable[[], object], times: int) -> float:
    """Median CPU milliseconds."""
    taken = []
    for _ in range(times):
        before = time.process_time()
        work()
        taken.append((time.process_time() - before) * 1000)
    return statistics.median(taken)


def _row(name: str, value: float, unit: str, bar: float | None, ok: bool | None = None) -> dict[str, object]:
    kept = ok if ok is not None or bar is None else value <= bar
    return {"name": name, "value": round(value, 2), "unit": unit, "bar": bar, "ok": kept}


if __name__ == "__main__":
    for figure in run():
        print(figure)
