"""Staging against the bars of docs: CPU as a ratio to DuckDB's plain copy of the same file, peak memory, same bytes.

Each measurement is a process of its own, so that its CPU and its peak memory are its own. Ratios are of figures taken
in the same run, one after the other; seconds depend on the machine and only the demo's bar is in them.

    python -m benchmarks.staging
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
from isal import igzip

from assets.staging import Source, find_source, stage, stage_table
from schemas.tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
ROWS = 3_000_000
_LAB_PATIENT_ROWS = 400
_BLOCK_ROWS = 500_000


def run() -> list[dict[str, object]]:
    """Measure, and give one row per figure: name, value, unit, bar, and whether the bar is kept."""
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for shuffled in (False, True):
            kind = "shuffled" if shuffled else "grouped by patient"
            file = scratch / kind.split()[0] / "hosp" / "labevents.csv.gz"
            write_labevents(file, ROWS, shuffled=shuffled)
            plain = _measured("copy", file, scratch / "copy.parquet")
            ours = [_measured("stage", file, scratch / f"warehouse-{threads}", threads) for threads in (2, 1, 4)]
            tight = _measured("stage", file, scratch / "warehouse-tight", 2, "400MB")
            ratio = ours[0]["cpu"] / plain["cpu"]
            rows += [
                _row(f"staging {ROWS:,} labevents, {kind}: CPU / DuckDB's unsorted copy", ratio, "×", 1.25),
                _row(f"staging {ROWS:,} labevents, {kind}: peak memory", ours[0]["peak"], "GiB", 4.0),
                _row(
                    f"staging, {kind}: different files over 1, 2, 4 threads and 0.4 GB",
                    len({figures["sha256"] for figures in (*ours, tight)}),
                    "",
                    1,
                ),
            ]
        demo = Path(os.environ.get("MIMIC_IV_DEMO", ROOT.parent / "shared" / "mimic-iv-demo-2.2"))
        if demo.is_dir():
            first = _measured("demo", demo, scratch / "demo")
            again = _measured("demo", demo, scratch / "demo")
            rows += [
                _row("staging the MIMIC-IV demo: CPU", first["cpu"], "s", 10.0),
                _row("the same again, unchanged: wall time", again["wall"], "s", 3.0),
            ]
    return rows


def write_labevents(path: Path, rows: int, *, shuffled: bool, seed: int = 7) -> None:
    """Write a table shaped as MIMIC-IV's labevents: a few hundred rows a patient, a quarter without an admission.

    Args:
        path: A `.csv.gz`.
        rows: Number of records.
        shuffled: Whether patients are mixed; as they come in MIMIC-IV's own file if not.
        seed: Of the values.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    subjects = np.sort(np.random.default_rng(seed).choice(10_000_000, -(-rows // _LAB_PATIENT_ROWS), replace=False))
    places = np.arange(rows)
    if shuffled:
        np.random.default_rng(seed + 1).shuffle(places)
    with igzip.open(path, "wb", compresslevel=1) as sink:
        for start in range(0, rows, _BLOCK_ROWS):
            block = _labevents(places[start : start + _BLOCK_ROWS], subjects, np.random.default_rng([seed, start]))
            text = block.write_csv(include_header=start == 0, datetime_format="%Y-%m-%d %H:%M:%S")
            sink.write(text.encode())


def _labevents(place: np.ndarray, subjects: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    n = len(place)
    subject = 10_000_000 + subjects[place // _LAB_PATIENT_ROWS]
    minute = np.datetime64("2150-01-01") + rng.integers(0, 5_000_000, n).astype("timedelta64[m]")
    value = np.round(rng.gamma(2.0, 20.0, n), 1)
    comment = 'IF AA, "UNITS" mL/MIN/1.73M2.\nESTIMATED GFR, SEE CHART'
    frame = pl.DataFrame(
        {
            "labevent_id": place + 1,
            "subject_id": subject,
            "hadm_id": subject + 10_000_000,
            "specimen_id": rng.integers(1, 99_999_999, n),
            "itemid": rng.integers(50_801, 51_600, n),
            "order_provider_id": rng.integers(10_000, 50_000, n),
            "charttime": minute.astype("datetime64[us]"),
            "storetime": (minute + np.timedelta64(95, "m")).astype("datetime64[us]"),
            "valuenum": value,
        }
    )

    def some(share: float, expression: pl.Expr) -> pl.Expr:
        return pl.when(pl.Series(rng.random(n) < share)).then(expression)

    return frame.select(
        "labevent_id",
        "subject_id",
        some(0.6, pl.col("hadm_id")).alias("hadm_id"),
        "specimen_id",
        "itemid",
        some(0.7, pl.format("P{}", "order_provider_id")).alias("order_provider_id"),
        "charttime",
        "storetime",
        pl.col("valuenum").cast(pl.String).alias("value"),
        some(0.9, pl.col("valuenum")).alias("valuenum"),
        some(0.9, pl.lit("mg/dL")).alias("valueuom"),
        some(0.8, pl.lit(3.5)).alias("ref_range_lower"),
        some(0.8, pl.lit(10.2)).alias("ref_range_upper"),
        some(0.3, pl.lit("abnormal")).alias("flag"),
        some(0.6, pl.lit("ROUTINE")).fill_null("STAT").alias("priority"),
        some(0.15, pl.lit(comment)).alias("comments"),
    )


def _copy(file: Path, target: Path, threads: int, memory_limit: str) -> Path:
    """DuckDB's plain, typed, unsorted copy."""
    columns = {column.name: column.type.duckdb for column in TABLES["labevents"].columns}
    with duckdb.connect(config={"threads": threads, "memory_limit": memory_limit}) as con:
        source = f"read_csv('{file}', columns={columns}, header=true, delim=',', quote='\"', escape='\"')"
        con.execute(f"COPY (FROM {source}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    return target


def _stage(file: Path, target: Path, threads: int, memory_limit: str) -> Path:
    source = Source(file.parents[1], "synthetic", "unknown", {"labevents": file})
    return stage_table(source, TABLES["labevents"], target, memory_limit=memory_limit, threads=threads).path


def _demo(directory: Path, target: Path, threads: int, memory_limit: str) -> Path:
    stage(find_source(directory), target)
    return target / "hosp" / "patients.parquet"


_TASKS: dict[str, Callable[[Path, Path, int, str], Path]] = {"copy": _copy, "stage": _stage, "demo": _demo}


def _measured(task: str, source: Path, target: Path, threads: int = 2, memory_limit: str = "3GB") -> dict[str, float]:
    """CPU and wall seconds, peak memory in GiB and the hash of the file, of one task in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.staging", task, str(source), str(target), str(threads), memory_limit]
    environment = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _task(task: str, source: str, target: str, threads: str, memory_limit: str) -> None:
    # What the process start and the imports cost is not staging's.
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    made = _TASKS[task](Path(source), Path(target), int(threads), memory_limit)
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter() - started
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes, Linux KiB
    with made.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": after.ru_maxrss * unit / 2**30, "sha256": digest}))


def _row(name: str, value: float, unit: str, bar: float) -> dict[str, object]:
    return {"name": name, "value": round(value, 2), "unit": unit, "bar": bar, "ok": value <= bar}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _task(*sys.argv[1:])
    else:
        for figure in run():
            print(figure)
