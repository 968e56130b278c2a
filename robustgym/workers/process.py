"""One worker, as its owner sees it: a process that is asked one thing at a time, and replaced when it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Mapping
from multiprocessing.connection import Connection
from socket import socketpair
from threading import Lock
from typing import Any

from schemas.errors import InputError, Problem

STARTING = 120.0
"""Seconds a worker may take to open the hospital; a fraction of one is the rule."""

_LARGEST = 192 << 20
"""Bytes of a reply: a data frame and what it is packed in. A longer one is no reply."""

_BEGIN = "import sys; sys.path[:] = sys.argv[3:]; from robustgym.workers.inside import main; main(*sys.argv[1:3])"


class Failed(Exception):
    """The worker gave no reply: it was ended because time was up, or it ended itself."""

    def __init__(self, *, late: bool) -> None:
        super().__init__("the worker took too long" if late else "the worker ended")
        self.late = late


class Worker:
    """A process, started when first asked, and again after it has failed.

    May be shared by threads: first come, first served.
    """

    def __init__(self, opening: Mapping[str, Any]) -> None:
        self._opening = opening
        self._line = _Line()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._closing: deque[int] = deque()
        self.generation = 0
        """Counts the processes: a session that another one had open must be opened again."""
        self.kept_by = ""
        """What keeps it from everything else, as it says itself before it has run a statement."""
        self.sessions = 0
        """How many sessions have been given to it."""

    def ask(self, request: Mapping[str, Any], session: Session | None, seconds: float) -> tuple[dict[str, Any], bytes]:
        """The reply to one request: what it says, and bytes that come with it.

        Args:
            request: What to do, as JSON has it.
            session: The session it is for; it is opened before, where this process has not.
            seconds: After so long without a reply the process is killed.

        Raises:
            Failed: There is no reply. The next request is served by another process.
            InputError: The process could not be started.
            RuntimeError: The worker has a fault of its own.
        """
        with self._line:
            for attempt in (1, 2):
                pipe = self._started()
                asked = dict(request)
                if session is not None:
                    asked["session"] = session.number
                    if session.generation != self.generation:
                        asked["open"] = session.opening
                asked["close"] = [self._closing.popleft() for _ in range(len(self._closing))]
                try:
                    pipe.send_bytes(json.dumps(asked).encode())
                except OSError:
                    # It ended while nobody asked anything, so nothing that was asked is to blame.
                    self._end()
                    if attempt == 1:
                        continue
                    raise Failed(late=False) from None
                if session is not None:
                    session.generation = self.generation
                reply, content = self._reply(pipe, seconds)
                if "fault" in reply:
                    raise RuntimeError(f"a worker failed, which is no statement's doing: {reply['fault']}")
                return reply, content
        raise AssertionError("unreachable")

    def forget(self, session: Session) -> None:
        """Let a session be closed, with the next request."""
        self.sessions -= 1
        if session.generation == self.generation:
            self._closing.append(session.number)

    def start(self) -> None:
        """Start the process, unless it runs.

        Raises:
            InputError: It could not be started.
        """
        with self._line:
            self._started()

    def close(self) -> None:
        """End the process."""
        with self._line:
            self._end()

    def _started(self) -> Connection:
        if self._pipe is not None and self._process is not None and self._process.poll() is None:
            return self._pipe
        self._end()
        here, there = socketpair()
        # The gym's own environment may hold the key of a model's endpoint.
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "ARROW_DEFAULT_MEMORY_POOL": "system"}
        environment |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        paths = [os.path.abspath(path) for path in sys.path]
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-B", "-c", _BEGIN, str(there.fileno()), str(os.getpid()), *paths],
            pass_fds=(there.fileno(),),
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the gym, which then ends its workers.
            start_new_session=True,
        )
        there.close()
        self._pipe = Connection(here.detach())
        self.generation += 1
        self._closing.clear()
        try:
            self._pipe.send_bytes(json.dumps(self._opening).encode())
            ready, _ = self._reply(self._pipe, STARTING)
        except (Failed, OSError) as error:
            ready = {"failed": str(error)}
        if "kept_by" not in ready:
            self._end()
            what = f"a worker process could not open the hospital: {ready.get('failed')}"
            raise InputError(Problem("worker processes", what, "free memory (each needs about 0.3 GB), or use fewer"))
        self.kept_by = str(ready["kept_by"])
        return self._pipe

    def _reply(self, pipe: Connection, seconds: float) -> tuple[dict[str, Any], bytes]:
        late = False
        try:
            if pipe.poll(seconds):
                reply = json.loads(pipe.recv_bytes(_LARGEST))
                content = pipe.recv_bytes(_LARGEST) if reply.get("content") else b""
                return reply, content
            late = True
        except (OSError, EOFError, ValueError, AttributeError):
            pass
        self._end()
        raise Failed(late=late)

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._pipe = self._process = None


class Session:
    """A session as text, and which process has it open."""

    def __init__(self, number: int, opening: Mapping[str, Any]) -> None:
        self.number, self.opening = number, opening
        self.generation = 0


class _Line:
    """A lock that is had in the order of asking: a crowd of short statements holds nobody up for good."""

    def __init__(self) -> None:
        self._waiting: deque[Lock] = deque()
        self._busy = False
        self._mutex = Lock()

    def __enter__(self) -> None:
        with self._mutex:
            if not self._busy:
                self._busy = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()

    def __exit__(self, *error: object) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._busy = False
