"""Interpreters kept warm, so that an episode's first cell waits for nothing, and an episode's own interpreter."""

from __future__ import annotations

import subprocess
import threading
from collections import deque
from typing import Self

from robustgym.sandbox.isolation import Isolation, available
from robustgym.sandbox.limits import Limits
from robustgym.sandbox.process import Ended, Process, Query
from robustgym.shown import Shown
from schemas.errors import InputError, Problem

_TRIES = 3
"""Interpreters that may fail to start, one after the other, before it is given up."""


class Stock:
    """A few warm interpreters for all episodes of a run. Used from any number of threads.

    Nothing is started before the first `take`: who runs no Python pays for none. All interpreters end with the stock.
    """

    def __init__(
        self, isolation: Isolation | None = None, *, unsafe: bool = False, warm: int = 2, limits: Limits | None = None
    ) -> None:
        self.isolation = isolation if isolation is not None else available(unsafe=unsafe)
        self.limits = limits or Limits()
        self._most = warm
        self._warm: deque[Process | Ended] = deque()
        self._running: set[Process] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._starter: threading.Thread | None = None

    def take(self) -> Box:
        """An interpreter for one episode. Comes at once, and is there when its first cell is run."""
        with self._changed:
            if self._starter is None and self.isolation.on and not self._closed:
                # One thread for all of them: a process that ends with its parent ends with the thread that started it.
                self._starter = threading.Thread(target=self._start, name="sandbox", daemon=True)
                self._starter.start()
        return Box(self)

    def close(self) -> None:
        """End every interpreter."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._starter is not None:
            self._starter.join()
        with self._changed:
            processes = [*self._running, *(found for found in self._warm if isinstance(found, Process))]
            self._running.clear()
            self._warm.clear()
        for process in processes:
            process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _start(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or len(self._warm) < self._most)
                if self._closed:
                    return
            try:
                started: Process | Ended = Process(self.isolation.launch(self.limits), self.limits)
            except (OSError, subprocess.SubprocessError, Ended) as error:
                started = Ended(str(error))
            with self._changed:
                self._warm.append(started)
                self._changed.notify_all()

    def lend(self) -> Process:
        """A warm interpreter, to be given back.

        Raises:
            InputError: None could be started.
        """
        why = ""
        for _ in range(_TRIES):
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._warm)
                if self._closed:
                    raise InputError(Problem("Python tool", "it has been closed"))
                process = self._warm.popleft()
                self._changed.notify_all()
                if isinstance(process, Ended):
                    why = str(process)
                    continue
                self._running.add(process)
            try:
                process.wait()
            except Ended as ended:
                why = str(ended)
                self.give_back(process)
                continue
            return process
        raise InputError(
            Problem("Python tool", f"no interpreter could be started ({why})", "free memory and try again")
        )

    def give_back(self, process: Process) -> None:
        """End an interpreter that was lent: no other episode gets it."""
        process.close()
        with self._changed:
            self._running.discard(process)


class Box:
    """The Python of one episode: what a cell defines is there in the next. Serves one cell at a time."""

    def __init__(self, stock: Stock) -> None:
        self._stock = stock
        self._process: Process | None = None

    def run(self, code: str, query: Query) -> Shown:
        """What an agent sees of a cell: what it printed and the value of its last expression, or an error.

        An interpreter that is ended takes its variables with it, which the error says; the next cell has a fresh one.
        What a cell printed before it raised stands above the traceback.

        Args:
            code: The cell. `query`, `np`, `pd` and `pl` are there.
            query: What answers its queries.

        Raises:
            InputError: No interpreter could be started, which is nothing the agent did.
        """
        stock, limits = self._stock, self._stock.limits
        if not stock.isolation.on:
            return Shown(error=f"The Python tool is off ({stock.isolation.detail}). Use SQL.")
        if len(code) > limits.code:
            return Shown(error=f"The code is longer than {limits.code:,} characters and was not run.")
        if self._process is None:
            self._process = stock.lend()
        try:
            output = self._process.run(code, query)
        except Ended as ended:
            self.close()
            return Shown(error=f"{ended} All variables are lost; the next cell starts afresh.")
        except BaseException:
            self.close()
            raise
        notice = None
        if output.dropped:
            more = f"{output.dropped:,} more were cut. Print less."
            notice = f"Only the first {limits.characters:,} characters are shown; {more}"
        if output.error is not None:
            return Shown(error="\n".join(part for part in (output.text.rstrip(), notice, output.error.strip()) if part))
        return Shown(("output",), ((output.text.rstrip(),),), notice)

    def close(self) -> None:
        """End the interpreter, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            self._stock.give_back(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
