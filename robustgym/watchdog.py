"""Stops statements that take too long: one thread for all sessions, which sleeps while nothing runs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition, Thread

import duckdb

_LOOK = 0.05
"""Seconds between two looks at what runs."""

_IDLE = 40
"""Looks at nothing before it sleeps: to be woken for every statement would cost more than to look."""


class Watchdog:
    """Interrupts connections that are past their time. A single long function call cannot be interrupted."""

    def __init__(self) -> None:
        self._running: dict[int, tuple[float, duckdb.DuckDBPyConnection]] = {}
        self._numbers = count()
        self._changed = Condition()
        self._thread: Thread | None = None
        self._asleep = self._closed = False

    @contextmanager
    def over(self, connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
        """Watch over a statement while it runs.

        Args:
            connection: The connection it runs on.
            seconds: How long it may take.
        """
        number = next(self._numbers)
        with self._changed:
            self._running[number] = (time.monotonic() + seconds, connection)
            if self._thread is None:
                self._thread = Thread(target=self._watch, name="watchdog", daemon=True)
                self._thread.start()
            if self._asleep:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._running.pop(number, None)

    def close(self) -> None:
        """Let the thread end."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _watch(self) -> None:
        idle = 0
        while True:
            with self._changed:
                idle = 0 if self._running else idle + 1
                while idle > _IDLE and not self._running and not self._closed:
                    self._asleep = True
                    self._changed.wait()
                self._asleep = False
                if self._closed:
                    return
                now = time.monotonic()
                overdue = [number for number, (until, _) in self._running.items() if until <= now]
                # Interrupted under the lock, so that it hits this statement and not the connection's next one.
                for number in overdue:
                    self._running.pop(number)[1].interrupt()
            time.sleep(_LOOK)
