"""The commands for people: `play` takes the agent's seat, `replay` looks at an episode step by step."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from pipelines.cli_console import as_json, say, watch
from pipelines.cli_release import warehouse_of
from robustgym.environment import Gym, its_warehouse
from robustgym.layout import MANIFEST
from robustgym.play import play as sit_down
from robustgym.release import Release
from robustgym.replaying import find, replayed
from robustgym.runs import Run
from schemas.errors import InputError, Problem
from schemas.pairs import Split
from schemas.runs import Budget


def play(
    release: Path,
    *,
    task: str | None,
    split: str,
    source: Path | None,
    warehouse: Path | None,
    budget: Mapping[str, Any],
    python: bool,
) -> None:
    """Let whoever sits at the terminal work a task.

    Raises:
        InputError: There is no such task or split, or no hospital.
    """
    if split not in tuple(Split):
        raise InputError(Problem(f"--split {split}", "there is none of that name", "use test or train"))
    opened = Release.open(release)
    task_ids = [one.task_id for one in opened.tasks(Split(split))]
    if task is not None:
        found = opened.pair(task)
        tasks = [half.task_id for half in found if half.task_id.startswith(task)]
        if len(tasks) != 1:
            both = " or ".join(half.task_id for half in found)
            raise InputError(Problem(f"--task {task}", "is no task but a pair, of two tasks", f"name {both}"))
        task_id = tasks[0]
    elif task_ids:
        # Nobody is to know the condition beforehand; the id is shown, so that the task can be had again.
        task_id = random.SystemRandom().choice(task_ids)
    else:
        raise InputError(Problem(str(release), f"has no tasks in the split {split}", "use the other one"))
    with watch("play") as progress:
        where = warehouse_of(source, progress) if source else warehouse
    with (
        Gym.open(opened, where, budget=Budget(**budget), workers=1, python=python) as gym,
        gym.environment() as seat,
    ):
        sit_down(seat, task_id, opened.pair(task_id), Console(highlight=False), _line)


def replay(
    run: Path, episode: str, *, release: Path | None, source: Path | None, warehouse: Path | None, json: bool
) -> None:
    """Show an episode of a run step by step; with its release and hospital, what the evidence rule saw.

    Raises:
        InputError: There is no such run or episode, or the release or hospital is another.
    """
    opened = Run.open(run)
    record = find(opened, episode)
    known = _release_of(opened, release)
    pair = known.pair(record.task_id) if known else None
    if known is None or not (source or warehouse or _staged(known)):
        found, missing = replayed(record, pair, None), "--warehouse" if known else "--release and --warehouse"
    else:
        missing = ""
        cells = any(call.tool == "python" for call in record.transcript.calls)
        with watch("replay") as progress:
            where = warehouse_of(source, progress) if source else warehouse
            # What an agent wrote is run again: in a process of its own, as it was then.
            with Gym.open(known, where, workers=1, python=cells) as gym:
                found = replayed(record, pair, gym.source, gym.stock)
    if json:
        as_json(found.as_dict())
        return
    for step in found.steps():
        say(step)
    if missing:
        print(f"What the evidence rule saw is not known without {missing}.", file=sys.stderr)


def _release_of(run: Run, named: Path | None) -> Release | None:
    """The release a run was made on: the one named, or the one below `data/releases`, if it is there.

    Raises:
        InputError: The one named is another.
    """
    made = run.manifest
    release = named or Path("data") / "releases" / f"{made.release}-{made.release_version}"
    if named is None and not (release / MANIFEST).is_file():
        return None
    opened = Release.open(release)
    if hashlib.sha256((release / MANIFEST).read_bytes()).hexdigest() == made.release_sha256:
        return opened
    if named is None:
        return None
    what = f"is not the release of the run, {made.release} {made.release_version}"
    raise InputError(Problem(f"--release {release}", what, "name the one that was evaluated on"))


def _staged(release: Release) -> bool:
    """Whether the hospital of a release is below `data/warehouse`."""
    try:
        its_warehouse(release, None)
    except InputError:
        return False
    return True


def _line(prompt: str) -> str:
    """A line of the person's; with its history and arrow keys on a terminal."""
    if sys.stdin.isatty():
        import readline  # noqa: F401 - importing it is what gives `input` its editing
    return input(prompt)
