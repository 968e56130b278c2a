"""The gym on the demo's smoke release: reset and step, many episodes at once, and a scripted agent's whole episode.

python -m benchmarks gym

The release is built first. GYM_RELEASE and GYM_WAREHOUSE name one that is there already, with its hospital.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from robustgym.agents.oracle import Oracle
from robustgym.environment import Action, Gym
from robustgym.evaluation.episodes import Seat
from robustgym.release import Release
from schemas.pairs import GoldRow

ROOT = Path(__file__).resolve().parents[1]
EPISODES = 200
STATEMENTS = (
    "DESCRIBE labevents",
    "SELECT gender, anchor_age, dod FROM patients WHERE subject_id = {subject}",
    "SELECT charttime, valuenum FROM labevents WHERE subject_id = {subject} AND itemid = 50912 ORDER BY charttime",
    "SELECT hadm_id, admittime FROM admissions WHERE subject_id = {subject} ORDER BY admittime",
    "SELECT count(*) FROM labevents WHERE subject_id = {subject} AND valuenum IS NULL",
    "SELECT itemid, count(*), avg(valuenum) FROM labevents GROUP BY itemid ORDER BY 2 DESC, 1 LIMIT 10",
)
"""An episode's: four about its patient, one over the population."""


def run() -> list[dict[str, object]]:
    """Measure, and give one row per figure: name, value, unit, bar, and whether the bar is kept."""
    with tempfile.TemporaryDirectory() as folder:
        release, warehouse = _release(Path(folder))
        with Gym.open(release, warehouse, python=False) as gym:
            rows = [row for row in gym.release.rows if row.subject_ids]
            return [*_latency(gym, rows), *_crowd(gym, rows), *_scripted(gym)]


def _release(folder: Path) -> tuple[Release, Path]:
    """The smoke release of the demo, and its hospital."""
    if "GYM_RELEASE" in os.environ:
        return Release.open(os.environ["GYM_RELEASE"]), Path(os.environ["GYM_WAREHOUSE"])
    demo = Path(os.environ.get("MIMIC_IV_DEMO", ROOT.parent / "shared" / "mimic-iv-demo-2.2"))
    if not demo.is_dir():
        sys.exit(f"gym: the MIMIC-IV demo is not at {demo}; set MIMIC_IV_DEMO to its directory")
    build = ["build", "--source", demo, "--profile", "smoke", "--out", folder / "out", "--warehouse", folder / "wh"]
    code = "from pipelines.cli import main; main()"
    subprocess.run([sys.executable, "-c", code, *map(str, build)], check=True, cwd=ROOT, stdout=sys.stderr)
    [made] = [path for path in (folder / "out").iterdir() if path.is_dir()]
    return Release.open(made), folder / "wh"


def _latency(gym: Gym, rows: Sequence[GoldRow]) -> list[dict[str, object]]:
    """One episode at a time."""
    resets, firsts, nexts = [], [], []
    with gym.environment() as seat:
        for row in rows:
            resets.append(_timed(partial(seat.reset, row.task_id)))
            step = Action("sql", {"statement": row.witness_sql or STATEMENTS[2].format(subject=row.subject_ids[0])})
            firsts.append(_timed(partial(seat.step, step)))
            nexts.append(_timed(partial(seat.step, step)))
    figures = []
    for what, times, bar in (("reset", resets, 10.0), ("first step, views made", firsts, None), ("step", nexts, None)):
        middle = statistics.median(times)
        ok = None if bar is None else middle <= bar
        figures.append({"name": f"{what}, median", "value": middle, "unit": "ms", "bar": bar, "ok": ok})
        figures.append({"name": f"{what}, 95th percentile", "value": _high(times), "unit": "ms"})
    return figures


def _crowd(gym: Gym, rows: Sequence[GoldRow]) -> list[dict[str, object]]:
    """As many episodes at once, none of which waits before it asks the next."""
    times: list[float] = []
    stopped: list[str] = []
    hold = threading.Barrier(EPISODES + 1)

    def work(number: int) -> None:
        row = rows[number % len(rows)]
        with gym.environment() as seat:
            seat.reset(row.task_id)
            hold.wait()
            for statement in STATEMENTS:
                step = Action("sql", {"statement": statement.format(subject=row.subject_ids[0])})
                began = time.perf_counter()
                shown = seat.step(step).shown
                times.append(1000 * (time.perf_counter() - began))
                stopped.extend([shown.error] if shown.error else [])
            hold.wait()  # every session is open while memory is read
            hold.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(EPISODES)]
    for thread in threads:
        thread.start()
    hold.wait()
    began = time.perf_counter()
    hold.wait()
    seconds = time.perf_counter() - began
    memory = _memory()
    hold.wait()
    for thread in threads:
        thread.join()
    if stopped:
        sys.exit(f"gym: a statement failed: {stopped[0]}")
    crowd = f"{EPISODES} episodes × {len(STATEMENTS)} statements at once"
    return [
        {"name": f"{crowd}: memory", "value": memory, "unit": "MiB", "bar": 2048, "ok": memory <= 2048},
        {"name": f"{crowd}: statements a second", "value": len(times) / seconds, "unit": "/s"},
        {"name": f"{crowd}: wait for an answer, median", "value": round(statistics.median(times)), "unit": "ms"},
        {"name": f"{crowd}: wait for an answer, 95th percentile", "value": round(_high(times)), "unit": "ms"},
    ]


def _scripted(gym: Gym) -> list[dict[str, object]]:
    """The oracle works every task and is judged, one after the other."""
    agent, wrong = Oracle(gym.release.rows), 0
    own, all_of_it, began = _cpu("self"), _cpu("self", *_children()), time.perf_counter()
    with gym.environment() as seat:
        for row in gym.release.rows:
            seat.reset(row.task_id)
            agent.run(row.task, Seat(seat))
            wrong += not seat.verdict().outcome.success
    episodes = len(gym.release.rows)
    seconds = time.perf_counter() - began
    own, all_of_it = _cpu("self") - own, _cpu("self", *_children()) - all_of_it
    what = "the oracle's episode, verdict included"
    return [
        {"name": f"{what}: episodes a second, one at a time", "value": episodes / seconds, "unit": "/s"},
        {"name": f"{what}: CPU, gym and workers", "value": 1000 * all_of_it / episodes, "unit": "ms"},
        {"name": f"{what}: of that in the gym's own process", "value": 1000 * own / episodes, "unit": "ms"},
        {"name": f"{what}: not successful", "value": wrong, "unit": "", "bar": 0, "ok": wrong == 0},
    ]


def _timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def _high(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]


def _memory() -> int:
    """Proportional set size of this process and its children, in MiB: what all of them take, shared pages once."""
    total = 0
    for pid in ("self", *_children()):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total // 1024


def _children() -> list[str]:
    """Process ids of this process's children."""
    return sorted(
        {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}
    )


def _cpu(*pids: str) -> float:
    """Seconds of CPU that these processes have taken."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")
