"""The record of one task being worked on: every call, and what it showed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from robustgym.reader import Reader, Source
from robustgym.shown import Shown
from robustgym.tools import READING, Interpreter, Tools
from robustgym.writable import writable
from schemas.pairs import Condition, GoldRow, Task
from schemas.verdicts import Call, Transcript

OVER = "An answer has been given; the task is over."


def session_of(hospital: Source, row: GoldRow) -> Reader:
    """The session in which a task is worked: the overlay in the noise condition, its placebo in the clean one."""
    return hospital.session(row.overlay, placebo=row.condition is Condition.CLEAN)


class Episode:
    """One task being worked on with the tools of `robustgym.tools`, whose calls it records."""

    def __init__(self, reader: Reader, task: Task, interpreter: Interpreter | None = None) -> None:
        self._tools = Tools(reader, task.answer, interpreter)
        self._task = task
        self._calls: list[Call] = []
        self._submitted: str | None = None

    def schema(self, table: str | None = None) -> Shown:
        """Look at the tables, or at the columns of one."""
        return self.call("schema", {"table": table} if table is not None else {})

    def sql(self, statement: str) -> Shown:
        """Run a statement."""
        return self.call("sql", {"statement": statement})

    def python(self, code: str) -> Shown:
        """Run a cell of Python."""
        return self.call("python", {"code": code})

    def submit(self, answer: str) -> Shown:
        """Give the answer, as JSON text."""
        return self.call("submit", {"answer": answer})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Shown:
        """Any tool by its name, as a model calls it; a wrong call is answered with an error."""
        if tool == "submit" and not isinstance(arguments.get("answer", ""), str):
            # Models also send the answer itself where its JSON text is asked for; both mean the same.
            with suppress(TypeError, ValueError, RecursionError):
                arguments = {**arguments, "answer": json.dumps(arguments["answer"])}
        shown = Shown(error=OVER) if self._submitted is not None else self._tools.call(tool, arguments)
        if tool == "submit" and shown.ok:
            self._submitted = writable(arguments["answer"])
        # A transcript must be writable as UTF-8, whatever a model has put into a call.
        kept = {writable(key): writable(value) for key, value in arguments.items()}
        self._calls.append(Call(tool=writable(tool), arguments=kept, shown=shown.as_dict()))
        return shown

    @property
    def submitted(self) -> bool:
        """Whether an answer was taken: the task is over."""
        return self._submitted is not None

    @property
    def transcript(self) -> Transcript:
        """The episode so far."""
        return Transcript(task_id=self._task.task_id, calls=tuple(self._calls), submitted=self._submitted)


def replay(reader: Reader, task: Task, transcript: Transcript, interpreter: Interpreter | None = None) -> list[Shown]:
    """What every reading call of a transcript shows in another session; other calls show nothing."""
    tools = Tools(reader, task.answer, interpreter)
    return [tools.call(call.tool, call.arguments) if call.tool in READING else Shown() for call in transcript.calls]
