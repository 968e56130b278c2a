"""How fast the synthetic hospital is written, against the bars of SCALE.md.

Rates are of wall time with two processes; they count every record of the 31 tables. The full size is not written but
reckoned from a slice of several blocks, without the start of the processes and the dictionaries.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import resource
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from assets.synthetic import write_hospital

FULL_PATIENTS = 364_627
SLICE = 20_480 * 2
"""Two files of each table: both processes are busy with whole parts."""
SMALL = 2_000


def _write(patients: int, format: Literal["csv.gz", "parquet"], workers: int) -> tuple[float, int, str]:
    """Seconds, rows, and a hash over all files."""
    with tempfile.TemporaryDirectory(prefix="synthetic-benchmark-") as folder:
        out = Path(folder) / "hospital"
        begin = time.perf_counter()
        rows = sum(write_hospital(out, patients, 7, format=format, workers=workers).values())
        seconds = time.perf_counter() - begin
        hashed = hashlib.sha256()
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            hashed.update(path.relative_to(out).as_posix().encode())
            with path.open("rb") as file:
                hashed.update(hashlib.file_digest(file, "sha256").digest())
    return seconds, rows, hashed.hexdigest()


def _row(name: str, value: float, unit: str, bar: str, ok: bool) -> dict[str, Any]:
    return {"name": name, "value": round(value, 3), "unit": unit, "bar": bar, "ok": ok}


def run(patients: int = SLICE) -> list[dict[str, Any]]:
    """Measure; one row per bar."""
    parquet_seconds, parquet_rows, _ = _write(patients, "parquet", 2)
    # Worker processes: the largest of them, and this one, at the same time.
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    csv_seconds, csv_rows, _ = _write(patients // 2, "csv.gz", 2)
    small_seconds, _, two = _write(SMALL, "csv.gz", 2)
    _, _, one = _write(SMALL, "csv.gz", 1)
    parquet_rate, csv_rate = parquet_rows / parquet_seconds / 1e6, csv_rows / csv_seconds / 1e6
    minutes = parquet_seconds * FULL_PATIENTS / patients / 60
    memory = 2 * children + mine
    return [
        _row("synthetic: parquet", parquet_rate, "M records/s", "≥ 4", parquet_rate >= 4),
        _row("synthetic: csv.gz", csv_rate, "M records/s", "≥ 1", csv_rate >= 1),
        _row("synthetic: full size, reckoned", minutes, "minutes", "< 6", minutes < 6),
        _row("synthetic: peak memory of two workers", memory, "GiB", "< 6", memory < 6),
        _row("synthetic: 2,000 patients as csv.gz", small_seconds, "s", "≤ 10", small_seconds <= 10),
        _row("synthetic: one and two workers, same bytes", float(one == two), "", "= 1", one == two),
    ]


if __name__ == "__main__":
    multiprocessing.freeze_support()
    print(json.dumps(run(), indent=2, ensure_ascii=False))
