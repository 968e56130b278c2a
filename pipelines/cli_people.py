"""The commands for people: `play` takes the agent's seat, `replay` looks at an episode step by step."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from pipelines.cli_console import watch
from pipelines.cli_release import warehouse_of
from robustgym.environment import Gym
from robustgym.play import play as sit_down
from robustgym.release import Release
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


def _line(prompt: str) -> str:
    """A line of the person's; with its history and arrow keys on a terminal."""
    if sys.stdin.isatty():
        import readline  # noqa: F401 - importing it is what gives `input` its editing
    return input(prompt)
