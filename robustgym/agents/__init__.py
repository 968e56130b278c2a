"""Agents that work tasks: one file each, found by its name.

`robustgym/agents/<name>.py` defines `<name>(...)`, which makes the agent; hyphens of a name are underscores there. What
it needs it says by the names of its parameters: `rows` (the gold rows of the tasks it will be given), `train` (the gold
rows of the train split), `seed` (a text). An agent that takes gold rows is a yardstick, not a contestant.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from robustgym.shown import Shown
from schemas.errors import InputError, Problem
from schemas.pairs import Task
from schemas.verdicts import Transcript


class Desk(Protocol):
    """Where one task is worked: its tools, and the record of what they showed."""

    def schema(self, table: str | None = None) -> Shown:
        """Look at the tables, or at the columns of one."""
        ...

    def sql(self, statement: str) -> Shown:
        """Run a statement."""
        ...

    def python(self, code: str) -> Shown:
        """Run a cell of Python."""
        ...

    def submit(self, answer: str) -> Shown:
        """Give the answer, as JSON text."""
        ...

    @property
    def transcript(self) -> Transcript:
        """The episode so far."""
        ...


class Agent(Protocol):
    """Works one task at a time."""

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Work a task to its end.

        Args:
            task: All the agent may know of it.
            desk: Its tools.

        Returns:
            The episode's transcript.
        """
        ...


LLM = "llm"
"""The agent that is a language model; the others are scripted."""


@cache
def names() -> tuple[str, ...]:
    """The agents there are, sorted.

    >>> names()
    ('abstain', 'abstain-after-select', 'analyst', 'llm', 'most-frequent', 'noise-blind', 'oracle', 'random')
    """
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.replace("_", "-") for name in found if not name.startswith("_")))


def find(name: str) -> Callable[..., Any]:
    """What makes the agent of that name.

    Raises:
        InputError: There is no such agent.

    >>> find("abstain")().__class__.__name__
    'Abstain'
    """
    if name not in names():
        raise InputError(Problem(f"agent {name}", "there is no such agent", f"choose one of {', '.join(names())}"))
    file = name.replace("-", "_")
    made: Callable[..., Any] = getattr(importlib.import_module(f"{__name__}.{file}"), file)
    return made


def make(name: str, **known: Any) -> Agent:
    """A scripted agent, given of what is known what it asks for.

    Args:
        name: Its name.
        known: `rows`, `train`, `seed`.

    Raises:
        InputError: There is no such agent.
    """
    maker = find(name)
    agent: Agent = maker(**{parameter: known[parameter] for parameter in inspect.signature(maker).parameters})
    return agent


def knows_gold(name: str) -> bool:
    """Whether an agent is given gold rows: it is a yardstick then.

    >>> [name for name in names() if knows_gold(name)]
    ['most-frequent', 'noise-blind', 'oracle', 'random']
    """
    return not {"rows", "train"}.isdisjoint(inspect.signature(find(name)).parameters)
