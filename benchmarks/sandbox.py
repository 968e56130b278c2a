"""What the Python tool's interpreters cost: started, taken warm, and in memory, with each isolation there is here.

python -m benchmarks sandbox
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from robustgym.sandbox import Isolation, Kind, Limits, Stock, held
from robustgym.sandbox.process import Process

TIMES = 5
ROWS = pa.table(
    {"subject_id": list(range(100_000)), "valuenum": [0.5] * 100_000, "valueuom": ["mmol/L"] * 100_000},
)


def run() -> list[dict[str, object]]:
    """Measure, and give one row per figure: name, value, unit, bar, and whether the bar is kept."""
    kept = [found for found in (held(kind) for kind in (Kind.BUBBLEWRAP, Kind.LANDLOCK)) if found.on]
    # Cold starts by turns, so that a busy moment hits all of them.
    ways = [Isolation(Kind.UNSAFE), *kept]
    cold: dict[Kind, list[float]] = {way.kind: [] for way in ways}
    for _ in range(TIMES):
        for way in ways:
            cold[way.kind].append(_cold(way))
    bare = statistics.median(cold[Kind.UNSAFE])
    rows = [_row("a bare interpreter from nothing", bare, "s", None)]
    for way in kept:
        started = statistics.median(cold[way.kind])
        rows.append(_row(f"{way.kind}: from nothing", started, "s", None))
        rows.append(_row(f"{way.kind}: from nothing, against a bare one", started / bare, "×", 1.5))
        rows += _warm(way)
    return rows


def _cold(isolation: Isolation) -> float:
    """Seconds until an interpreter is ready that nobody has prepared."""
    limits = Limits()
    process, taken = None, 0.0

    def start() -> None:
        nonlocal process
        process = Process(isolation.launch(limits), limits)
        process.wait()

    taken = _seconds(start)
    if process is not None:
        process.close()
    return taken


def _warm(isolation: Isolation) -> Iterator[dict[str, object]]:
    first, further, read, memory = [], [], [], 0.0
    with Stock(isolation, warm=2) as stock:
        for _ in range(TIMES):
            with stock.take() as box:
                while len(stock._warm) < 2:
                    time.sleep(0.05)
                for process in stock._warm:
                    if isinstance(process, Process):
                        process.wait()
                first.append(_seconds(lambda: box.run("1 + 1", lambda _: ROWS)))
                if box._process is not None:
                    memory = _memory(box._process._process.pid)
                further.append(_seconds(lambda: box.run("1 + 1", lambda _: ROWS)))
                read.append(_seconds(lambda: box.run("len(query('all'))", lambda _: ROWS)))
    kind = isolation.kind
    yield _row(f"{kind}: first cell, from the stock", 1000 * statistics.median(first), "ms", 50.0)
    yield _row(f"{kind}: a further cell", 1000 * statistics.median(further), "ms", None)
    yield _row(f"{kind}: 100,000 rows of three columns as a pandas frame", 1000 * statistics.median(read), "ms", None)
    yield _row(f"{kind}: memory of a warm interpreter, three at a time (PSS)", memory, "MiB", 150.0)


def _memory(pid: int) -> float:
    """Proportional set size of a process and its descendants, MiB."""
    size = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            size += int(line.split()[1])
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = sum(_memory(int(child)) for child in children.read_text().split()) if children.exists() else 0.0
    return size / 1024 + below


def _seconds(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def _row(name: str, value: float, unit: str, bar: float | None) -> dict[str, object]:
    return {
        "name": name,
        "value": round(value, 2),
        "unit": unit,
        "bar": bar,
        "ok": None if bar is None else value <= bar,
    }


if __name__ == "__main__":
    for figure in run():
        print(figure)
