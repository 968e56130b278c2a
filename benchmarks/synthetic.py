"""How fast the synthetic hospital is written, against the bars of its documentation.

Rates are of wall time with two processes; they count every record of the 31 tables. The full size is not written but
reckoned from a slice of it: the dictionaries and the start of the processes weigh more there, so it comes out too long.
Beside the rates stand those of CPU time over two cores: what an otherwise idle machine reaches.
"""

from __future__ import annotations

import hashlib
import json
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assets.synthetic import write_hospital
from assets.synthetic.identifiers import BLOCK
from assets.synthetic.write import BLOCKS_PER_FILE

FULL_PATIENTS = 364_627
WORKERS = 2
SLICE = 8 * BLOCKS_PER_FILE * BLOCK
"""Eight files of each table, so that each process makes several parts as it does in the full size."""
SMALL = 2_000


@dataclass(frozen=True)
class _Made:
    """One hospital, written and removed."""

    seconds: float
    cpu: float
    """Seconds of the workers' and of this process's CPU."""
    rows: int
    digest: str
    """Of names and bytes of all files."""


def _make(patients: int, format: Literal["csv.gz", "parquet"], workers: int) -> _Made:
    with tempfile.TemporaryDirectory(prefix="synthetic-benchmark-") as folder:
        out = Path(folder) / "hospital"
        begin, before = time.perf_counter(), _cpu()
        rows = sum(write_hospital(out, patients, 7, format=format, workers=workers).values())
        seconds, cpu = time.perf_counter() - begin, _cpu() - before
        hashed = hashlib.sha256()
        for path in sorted(path for path in out.rglob("*") if path.is_file()):
            hashed.update(path.relative_to(out).as_posix().encode())
            with path.open("rb") as file:
                hashed.update(hashlib.file_digest(file, "sha256").digest())
    return _Made(seconds, cpu, rows, hashed.hexdigest())


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _at_least(name: str, value: float, unit: str, bar: float) -> dict[str, Any]:
    return {"name": f"synthetic: {name}, ≥", "value": round(value, 3), "unit": unit, "bar": bar, "ok": value >= bar}


def _at_most(name: str, value: float, unit: str, bar: float) -> dict[str, Any]:
    return {"name": f"synthetic: {name}, ≤", "value": round(value, 3), "unit": unit, "bar": bar, "ok": value <= bar}


def _told(name: str, value: float, unit: str) -> dict[str, Any]:
    return {"name": f"synthetic: {name}", "value": round(value, 3), "unit": unit, "bar": None, "ok": None}


def run(patients: int = SLICE) -> list[dict[str, Any]]:
    """Measure; one row per figure."""
    parquet = _make(patients, "parquet", WORKERS)
    # The largest worker as often as there are workers, and this process, at the same time; ru_maxrss is in KiB.
    workers = WORKERS * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    memory = workers + resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    text = _make(patients // 4, "csv.gz", WORKERS)
    small, alone = _make(SMALL, "csv.gz", WORKERS), _make(SMALL, "csv.gz", 1)
    size = FULL_PATIENTS / patients / 60
    return [
        _at_least("parquet", parquet.rows / parquet.seconds / 1e6, "M/s", 4),
        _told("parquet, by CPU time over two cores", parquet.rows / parquet.cpu * WORKERS / 1e6, "M/s"),
        _at_least("csv.gz", text.rows / text.seconds / 1e6, "M/s", 1),
        _told("csv.gz, by CPU time over two cores", text.rows / text.cpu * WORKERS / 1e6, "M/s"),
        _at_most("full size as parquet, reckoned", parquet.seconds * size, "min", 6),
        _told("full size as parquet, reckoned by CPU time over two cores", parquet.cpu * size / WORKERS, "min"),
        _at_most("peak memory with two workers", memory, "GiB", 6),
        _at_most("2,000 patients as csv.gz", small.seconds, "s", 10),
        _at_least("one and two workers write the same bytes", float(small.digest == alone.digest), "", 1),
    ]


if __name__ == "__main__":
    print(json.dumps(run(), indent=2, ensure_ascii=False))
