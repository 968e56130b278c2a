"""A hospital that is read in worker processes: sessions as `Hospital` gives them, and nothing of the engine here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, Self

import pyarrow as pa

from robustgym.guard import Reading, Refused
from robustgym.hospital import SECONDS
from robustgym.reader import CLEAN
from robustgym.shown import ROWS, TOO_LARGE, TOO_LONG, Shown
from robustgym.warehouse import Warehouse
from robustgym.workers.process import Failed, Session, Worker
from schemas.errors import InputError, Problem
from schemas.overlays import Overlay

GRACE = 5.0
"""Seconds beyond a statement's time after which its worker is killed: some function calls can't be interrupted."""

MEMORY = 1024
"""MiB of the engine in each worker. A single value can exceed it; the address space ends 1 GiB above it."""


class Pool:
    """A few workers that have one hospital open. May be shared by threads.

    A statement that outlives its time, or takes its worker's memory, ends that worker: its author gets an error, and
    the sessions it served go on in the next one, for all they are is text.
    """

    def __init__(self, warehouse: Warehouse, file: Path, *, workers: int, memory: int, seconds: float) -> None:
        self.tables = warehouse.tables
        self.seconds = seconds
        opening = {
            "file": str(file.resolve()),
            "warehouse": str(warehouse.path.resolve()),
            "tables": sorted(self.tables),
            "memory": memory,
            "seconds": seconds,
        }
        self._workers = [Worker(opening) for _ in range(workers)]
        self._numbers = count()
        self._mutex = Lock()
        self.guard = RemoteGuard(self)

    @classmethod
    def open(
        cls,
        warehouse: Warehouse | Path,
        *,
        workers: int | None = None,
        memory: int = MEMORY,
        seconds: float = SECONDS,
    ) -> Pool:
        """Start the workers over a warehouse.

        Args:
            warehouse: The warehouse, or where it lies.
            workers: How many; one per core if not said. More than cores does not help.
            memory: MiB of memory for the engine in each.
            seconds: An agent's statement is stopped after so long.

        Raises:
            InputError: There is no warehouse, its native copy can't be made, or a worker can't be started.
        """
        found = warehouse if isinstance(warehouse, Warehouse) else Warehouse.open(warehouse)
        number = workers if workers is not None else os.cpu_count() or 1
        pool = cls(found, found.native(), workers=max(1, number), memory=memory, seconds=seconds)
        try:
            with ThreadPoolExecutor(len(pool._workers)) as starting:
                list(starting.map(Worker.start, pool._workers))
        except BaseException:
            pool.close()
            raise
        return pool

    @property
    def isolation(self) -> str:
        """What keeps statements from everything else, for a run's manifest."""
        return f"worker processes ({self._workers[0].kept_by})"

    def session(
        self,
        overlay: Overlay = CLEAN,
        *,
        placebo: bool = False,
        row_ids: bool = False,
        only: Mapping[str, str] | None = None,
    ) -> RemoteSession:
        """A view of the hospital under an overlay, as `Hospital.session` gives it. Nothing is sent before it reads.

        Raises:
            InputError: The overlay does not fit the warehouse. Values are checked when a table is first read.
        """
        unknown = [t for t in (*overlay.tables, *(only or {})) if t not in self.tables]
        if unknown:
            raise InputError(
                Problem(f"overlay, {name}", "the warehouse has no such table", "use the warehouse it was made from")
                for name in unknown
            )
        opening = {
            "overlay": overlay.model_dump(mode="json"),
            "placebo": placebo,
            "row_ids": row_ids,
            "only": dict(only or {}),
        }
        with self._mutex:
            session = Session(next(self._numbers), opening)
            worker = min(self._workers, key=lambda worker: worker.sessions)
            worker.sessions += 1
        return RemoteSession(self, worker, session)

    def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _least_busy(self) -> Worker:
        with self._mutex:
            return min(self._workers, key=lambda worker: worker.sessions)


class RemoteSession:
    """One reader's view of the hospital, in a worker. It serves one statement at a time."""

    def __init__(self, pool: Pool, worker: Worker, session: Session) -> None:
        self._pool, self._worker, self._session = pool, worker, session
        self._closed = False

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables it can read."""
        return self._pool.tables

    def show(self, sql: str, rows: int = ROWS) -> Shown:
        """What an agent sees of a statement: refused unless the guard knows it, capped, its errors scrubbed.

        Args:
            sql: One statement, as the agent wrote it.
            rows: Rows to show at most.
        """
        reply = self._ask({"do": "show", "sql": sql, "rows": rows})
        return reply if isinstance(reply, Shown) else Shown.from_dict(reply[0]["shown"])

    def arrow(self, sql: str) -> pa.Table | str:
        """The result of an agent's statement for a program, whole; or the text of the error.

        Args:
            sql: One statement, as the agent wrote it.
        """
        reply = self._ask({"do": "arrow", "sql": sql})
        if isinstance(reply, Shown):
            return str(reply.error)
        return pa.ipc.open_stream(reply[1]).read_all() if reply[0]["content"] else str(reply[0]["error"])

    def close(self) -> None:
        """Give it up, and everything temporary in it."""
        if not self._closed:
            self._closed = True
            with self._pool._mutex:
                self._worker.forget(self._session)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ask(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], bytes] | Shown:
        """The worker's reply; or what is shown where there is none.

        Raises:
            InputError: The overlay does not fit the hospital.
        """
        try:
            reply = self._worker.ask(request, self._session, self._pool.seconds + GRACE)
        except Failed as failed:
            return Shown(error=TOO_LONG if failed.late else TOO_LARGE)
        if "problems" in reply[0]:
            raise InputError(Problem(*problem) for problem in reply[0]["problems"])
        return reply


class RemoteGuard:
    """The guard of the workers: agents' statements are taken apart there, too."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def read(self, sql: str) -> Reading:
        """What a statement reads.

        Raises:
            Refused: It may not run.
        """
        try:
            reply, _ = self._pool._least_busy().ask({"do": "read", "sql": sql}, None, self._pool.seconds + GRACE)
        except Failed as failed:
            raise Refused(TOO_LONG if failed.late else TOO_LARGE) from None
        if "refused" in reply:
            raise Refused(reply["refused"])
        found = reply["reading"]
        return Reading(frozenset(found["tables"]), found["lists_tables"], frozenset(found["looks_at"]))
