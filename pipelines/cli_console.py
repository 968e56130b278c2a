"""How the command line speaks: progress and problems on stderr, results on stdout, JSON where a machine reads."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from schemas.errors import InputError, Problem

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

EVERY = 5.0
"""Seconds between two lines of progress where nobody watches a terminal."""


class Group(typer.core.TyperGroup):
    """Commands whose mistakes in input end in sentences and exit code 2, never in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; say what was wrong with its input, one problem per line."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            for problem in error.problems:
                print(problem, file=sys.stderr)
            raise typer.Exit(2) from None


class Watch:
    """Progress of one command: a bar where someone watches, a line every few seconds where nobody does."""

    def __init__(self, title: str, bars: Bars | None) -> None:
        self._title = title
        self._bars = bars
        self._tasks: dict[str, Any] = {}
        self._said = time.monotonic()
        self._lock = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show what is being done, how many are done, and how many there are (0 if that is not known)."""
        self.show(self._title, what, done, total)

    def show(self, line: str, what: str, done: int, total: int) -> None:
        """The same on a line of its own, so that a step can show its progress below the whole's; from any thread."""
        with self._lock:
            self._show(line, what, done, total)

    def _show(self, line: str, what: str, done: int, total: int) -> None:
        if self._bars is None:
            if time.monotonic() - self._said >= EVERY:
                self._said = time.monotonic()
                print(f"{line}: {what}" + (f" ({done:,} of {total:,})" if total else ""), file=sys.stderr, flush=True)
            return
        if line not in self._tasks:
            self._tasks[line] = self._bars.add_task(line, total=total or None, what="")
        self._bars.update(self._tasks[line], completed=done, total=total or None, what=what)

    def drop(self, line: str) -> None:
        """Take a line away."""
        with self._lock:
            if self._bars is not None and line in self._tasks:
                self._bars.remove_task(self._tasks.pop(line))


@contextmanager
def watch(title: str) -> Iterator[Watch]:
    """Progress on stderr while the block runs; nothing of it stays behind on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield Watch(title, None)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}", style="dim"),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        yield Watch(title, bars)


def say(result: object = "") -> None:
    """A part of the result: text as it is, anything else as rich draws it."""
    if isinstance(result, str):
        print(result)
    else:
        from rich.console import Console

        Console(highlight=False).print(result)


def called(program: str) -> str:
    """A program of this environment as one can type it here: its name, or its path where the name does not find it."""
    here = Path(sys.executable).parent / program
    if (found := shutil.which(program)) and Path(found).resolve() == here.resolve():
        return program
    return shlex.quote(str(here.relative_to(Path.cwd()) if here.is_relative_to(Path.cwd()) else here))


def as_json(value: Any) -> None:
    """The result for a machine."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def pipeline(module: str) -> ModuleType:
    """A module that needs the pipeline's packages.

    Raises:
        InputError: They are not installed; evaluators need none of them.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("dagster", "faker", "great_expectations", "numpy"):
            raise
        raise InputError(
            Problem(
                f"the package {error.name}",
                "not installed, and staging a source or making a release needs it",
                "run `pip install 'ehr-robustgym[pipeline]'`, or `make setup` in a checkout",
            )
        ) from None
