"""How a long step says how far it is: to whoever watches this process, or to Dagster's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many are done, and how many there are (0 if that is not known)."""

EVERY = 10.0
"""Seconds between two lines of a step's log: a run stores every line for good."""

_watcher: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(watcher: Progress) -> Iterator[None]:
    """Steps that run in this block, in this process, report to the watcher instead of their log."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def progress_of(log: Callable[[str], None]) -> Progress:
    """The watcher, or a line in the step's log every few seconds."""
    watcher = _watcher.get()
    if watcher is not None:
        return watcher
    last = time.monotonic()

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            log(f"{what} ({done:,} of {total:,})" if total else what)

    return report
