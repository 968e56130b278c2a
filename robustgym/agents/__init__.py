"""Agents that work tasks: one file each, found by its name.

`robustgym/agents/<name>.py` defines `<name>(...)`, which makes the agent.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, Protocol

from robustgym.episode import Episode
from schemas.errors import InputError, Problem
from schemas.pairs import Task
from schemas.verdicts import Transcript


class Agent(Protocol):
    """Works one task at a time."""

    def run(self, task: Task, episode: Episode) -> Transcript:
        """Work a task to its end.

        Args:
            task: All the agent may know of it.
            episode: Its tools.

        Returns:
            The episode's transcript.
        """
        ...


def names() -> tuple[str, ...]:
    """The agents there are, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")))


def find(name: str) -> Callable[..., Agent]:
    """What makes the agent of that name.

    Raises:
        InputError: There is no such agent.

    >>> find("abstain")().__class__.__name__
    'Abstain'
    """
    if name not in names():
        raise InputError(Problem(f"agent {name}", "there is no such agent", f"choose one of {', '.join(names())}"))
    made: Any = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    return made  # type: ignore[no-any-return]
