"""How long the references of a release take: measured, so it lies beside a release and never in it.

A release's bytes are the same for the same input; a time is not. `<name>-<version>.timings.csv` beside its directory
holds one row per cell and condition.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from schemas.pairs import GoldRow

COLUMNS = ("intent", "scope", "condition", "tasks", "median_ms", "p90_ms", "max_ms")


class Timing(NamedTuple):
    """Time that the references of one cell and condition take through the gym's session, opening it included."""

    intent: str
    scope: str
    condition: str
    tasks: int
    median_ms: float
    p90_ms: float
    max_ms: float


def path_beside(release: Path) -> Path:
    """Where the times of a release lie.

    >>> path_beside(Path("data/releases/robustgym-demo-smoke-1.0.0")).name
    'robustgym-demo-smoke-1.0.0.timings.csv'
    """
    return release.with_name(f"{release.name}.timings.csv")


def summed_up(taken: Iterable[tuple[GoldRow, float]]) -> tuple[Timing, ...]:
    """Times in milliseconds by cell and condition, from seconds by task."""
    cells: dict[tuple[str, str, str], list[float]] = {}
    for row, seconds in taken:
        cells.setdefault((str(row.intent), str(row.scope), str(row.condition)), []).append(1000 * seconds)
    return tuple(
        Timing(*cell, len(times), round(median(times), 1), round(_p90(times), 1), round(max(times), 1))
        for cell, times in sorted(cells.items())
    )


def noise_against_clean(timings: Iterable[Timing]) -> tuple[tuple[str, str, float], ...]:
    """By cell, the median time of the noise tasks as a multiple of the clean tasks' own.

    >>> clean = Timing("Labs", "patient", "clean", 9, 8.0, 9.0, 9.0)
    >>> noise = Timing("Labs", "patient", "noise", 9, 10.0, 12.0, 12.0)
    >>> noise_against_clean([clean, noise])
    (('Labs', 'patient', 1.25),)
    """
    medians = {(t.intent, t.scope, t.condition): t.median_ms for t in timings}
    return tuple(
        (intent, scope, round(medians[intent, scope, "noise"] / median_ms, 2))
        for (intent, scope, condition), median_ms in sorted(medians.items())
        if condition == "clean" and median_ms and (intent, scope, "noise") in medians
    )


def write(timings: Iterable[Timing], path: Path) -> None:
    """Write times as CSV, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *timings])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text.getvalue(), encoding="utf-8")
    os.replace(partial, path)


def read(path: Path) -> tuple[Timing, ...]:
    """Times that `write` wrote; none where there is no such file."""
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        Timing(r["intent"], r["scope"], r["condition"], int(r["tasks"]), *(float(r[name]) for name in COLUMNS[4:]))
        for r in rows
    )


def _p90(times: list[float]) -> float:
    return quantiles(times, n=10, method="inclusive")[-1] if len(times) > 1 else times[0]
