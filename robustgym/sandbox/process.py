"""One interpreter: a process that is sent cells and trusted in nothing it says."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import select
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robustgym.sandbox.launch import Launch
from robustgym.sandbox.limits import Limits

if TYPE_CHECKING:
    import pyarrow as pa

_LINE = 1 << 20
"""Bytes of a message at most."""
_LOOK = 0.2
"""Seconds between two looks at how many threads it has."""
_PATIENCE = 20
"""So many times the queries of a cell may it ask and be refused, before it is ended."""

_BEGIN = (
    "import sys; sys.path.insert(0, sys.argv.pop()); from inside.start import main; "
    "main(int(sys.argv.pop()), int(sys.argv.pop()))"
)


Query = Callable[[str], "pa.Table | str"]
"""The guarded way to the hospital: a statement's result, or the text of its error. Guard, caps and time limit are its
own, and it never raises for what the agent did (see `robustgym.reader.Reader.arrow`)."""


@dataclass(frozen=True, slots=True)
class Output:
    """What came of a cell, as its process says."""

    text: str
    dropped: int
    """Characters that did not fit."""
    error: str | None
    """A short traceback."""


class Ended(Exception):
    """The process is gone, and with it the variables of its cells. The text says why."""


class Process:
    """A started interpreter. It warms up by itself; `wait` for it, or let the first cell wait."""

    def __init__(self, launch: Launch, limits: Limits) -> None:
        self._launch, self._limits = launch, limits
        self._buffer, self._cells, self._over = b"", 0, False
        self._ready = self._idle = False
        to_child, self._write_end = os.pipe()
        self._read_end, from_child = os.pipe()
        arguments = ["-s", "-S", "-P", "-B", "-c", _BEGIN, str(from_child), str(to_child), launch.packages]
        try:
            self._process = subprocess.Popen(
                [*launch.command, *arguments],
                pass_fds=(to_child, from_child),
                env=launch.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,  # what is said before the interpreter begins, bwrap's complaints
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            os.close(self._write_end)
            os.close(self._read_end)
            raise
        finally:
            os.close(to_child)
            os.close(from_child)
        os.set_blocking(self._write_end, False)
        os.set_blocking(self._read_end, False)

    def wait(self, seconds: float = 60.0) -> None:
        """Until it is warm.

        Args:
            seconds: How long at most.

        Raises:
            Ended: It could not be started. The text is for the user, not for the agent.
        """
        if self._ready:
            return
        until = time.monotonic() + seconds
        try:
            self._send(json.dumps(self._launch.setting).encode() + b"\n", until)
            message = self._receive(until)
        except Ended as ended:
            said = self._complaint()
            self.close()
            raise Ended(said.splitlines()[-1] if said else str(ended)) from None
        if message.get("ready") is not True:
            self.close()
            raise Ended(str(message.get("failed", "it did not start")).strip().splitlines()[-1])
        self._ready = self._idle = True

    def run(self, code: str, query: Query) -> Output:
        """Run a cell.

        Args:
            code: The cell.
            query: What answers its queries.

        Raises:
            Ended: The process is gone.
        """
        self.wait()
        self._cells, self._idle = self._cells + 1, False
        try:
            output = self._converse(code, query)
        except BaseException:
            self.close()
            raise
        self._idle = True
        return output

    def close(self) -> None:
        """End it, whatever it is doing."""
        if not self._over:
            self._over = True
            os.close(self._write_end)
            if self._idle:
                # It ends with its pipe. Killed, bwrap would leave its own child to whoever is the first process here,
                # which in a container need not care.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(0.5)
            self._process.kill()
            self._process.wait()
            os.close(self._read_end)
            if self._process.stderr is not None:
                self._process.stderr.close()

    def _converse(self, code: str, query: Query) -> Output:
        until = time.monotonic() + self._limits.seconds
        asked, querying = 0, 0.0
        self._send(json.dumps({"cell": self._cells, "code": code}).encode() + b"\n", until)
        while True:
            match self._receive(until):
                case {"cell": self._cells, "done": {"output": str(text), "dropped": int(dropped), "error": error}} if (
                    error is None or isinstance(error, str)
                ):
                    return self._output(text, max(0, dropped), error)
                case {"cell": self._cells, "query": str(sql)}:
                    asked += 1
                    before = time.monotonic()
                    answer = self._answer(sql, query, asked, querying)
                    taken = time.monotonic() - before
                    querying += taken
                    until += taken
                    rows = b"" if isinstance(answer, str) else _stream(answer)
                    head = {"error": answer} if isinstance(answer, str) else {"bytes": len(rows)}
                    self._send(json.dumps(head).encode() + b"\n", until)
                    self._send(rows, until)
                case _:
                    raise Ended("The interpreter answered with what no cell can say and was stopped.")

    def _answer(self, sql: str, query: Query, asked: int, querying: float) -> pa.Table | str:
        limits = self._limits
        if asked > _PATIENCE * limits.queries:
            raise Ended("The code went on asking after it was refused, and was stopped.")
        if asked > limits.queries:
            return f"A cell may run {limits.queries} statements. Ask for more rows at once, or go on in another."
        if querying > limits.querying:
            return f"The statements of this cell took {limits.querying:g} seconds. Go on in another cell."
        return query(sql)

    def _output(self, text: str, dropped: int, error: str | None) -> Output:
        most = self._limits.characters
        kept = self._clean(text[:most])
        # Cleaning can lengthen a text by little; it is not cut again, so that the count stays right.
        return Output(kept, dropped + max(0, len(text) - most), None if error is None else self._clean(error[:most]))

    def _clean(self, text: str) -> str:
        """Without what differs from one run to the next, paths of the machine, and control characters."""
        for path, shown in self._launch.paths:
            text = text.replace(path, shown)
        text = _ADDRESS.sub(" at 0x…", text.replace("\r\n", "\n"))
        return _CONTROL.sub("�", text).encode("utf-8", "replace").decode("utf-8")

    def _send(self, data: bytes | memoryview, until: float) -> None:
        left = memoryview(data)
        while left:
            self._until_ready(self._write_end, select.POLLOUT, until)
            try:
                left = left[os.write(self._write_end, left[: 1 << 16]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Ended(_GONE) from None

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            if len(self._buffer) > _LINE:
                raise Ended("The interpreter answered with more than it may and was stopped.")
            self._until_ready(self._read_end, select.POLLIN, until)
            with contextlib.suppress(BlockingIOError):
                read = os.read(self._read_end, 1 << 16)
                if not read:
                    raise Ended(_GONE)
                self._buffer += read
        line, self._buffer = self._buffer.split(b"\n", 1)
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        return message if isinstance(message, dict) else {}

    def _until_ready(self, end: int, event: int, until: float) -> None:
        """Wait for a pipe, and see that time and threads are not exceeded meanwhile."""
        poll = select.poll()  # not select(), which knows no descriptor above 1023
        poll.register(end, event)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                most = self._limits.seconds
                raise Ended(f"The code ran longer than {most:g} seconds and was stopped. Do less in one cell.")
            if poll.poll(1000 * min(left, _LOOK)):
                return
            if not self._launch.counts_threads and self._threads() > self._limits.threads:
                raise Ended(f"The code started more than {self._limits.threads} threads and was stopped.")

    def _threads(self) -> int:
        try:
            with open(f"/proc/{self._process.pid}/status", encoding="ascii", errors="replace") as status:
                return next((int(line.split()[1]) for line in status if line.startswith("Threads:")), 0)
        except OSError:
            return 0

    def _complaint(self) -> str:
        """What it said before it ended."""
        self._process.kill()
        said = self._process.stderr.read1(4000) if isinstance(self._process.stderr, io.BufferedReader) else b""
        return said.decode("utf-8", "replace").strip()


def _stream(table: pa.Table) -> memoryview:
    """As an Arrow IPC stream: schema and rows."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


_GONE = "The interpreter ended: out of memory, a crash, or because the code told it to."
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
