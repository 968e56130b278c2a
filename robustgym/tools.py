"""The tools an agent works a task with, and the record of what they showed it.

The docstrings of `schema`, `sql` and `submit` are what a model reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robustgym.answers import Malformed, read
from robustgym.guard import advice
from robustgym.hospital import Hospital, Session
from robustgym.shown import Shown
from schemas.pairs import Condition, GoldRow, Task
from schemas.tables import TABLES
from schemas.verdicts import Call, Transcript

READING = ("schema", "sql")
"""Tools that read the hospital: their calls can be evidence."""


def session_of(hospital: Hospital, row: GoldRow) -> Session:
    """The session in which a task is worked: the overlay in the noise condition, its placebo in the clean one."""
    return hospital.session(row.overlay, placebo=row.condition is Condition.CLEAN)


class Episode:
    """One task being worked on."""

    def __init__(self, session: Session, task: Task) -> None:
        self._session, self._task = session, task
        self._calls: list[Call] = []
        self._submitted: str | None = None

    def schema(self, table: str | None = None) -> Shown:
        """Look at the tables of the hospital, or at the columns of one of them.

        Args:
            table: A table's name; leave it out to see which tables there are.
        """
        return self._done("schema", {"table": table} if table is not None else {}, _schema(self._session, table))

    def sql(self, statement: str) -> Shown:
        """Run one SQL statement (DuckDB's dialect) on the hospital and see its result.

        The hospital is read-only: SELECT, WITH, DESCRIBE and SHOW TABLES. At most 200 rows and 16,000 characters are
        shown, and it says so when there are more; aggregate, filter or use LIMIT. There is no wall clock.

        Args:
            statement: The statement.
        """
        return self._done("sql", {"statement": statement}, self._session.show(statement))

    def submit(self, answer: str) -> Shown:
        """Give the answer and end the task.

        Submit null if the record does not determine an answer, after you have seen that it does not. An answer that
        does not have the form the question asks for is handed back, and may be given again.

        Args:
            answer: The answer as JSON text: `2.3`, `{"value": 2.3, "unit": "mmol/L"}`, `"Medicare"`, `true`,
                `["Furosemide", "Insulin"]`, `null`.
        """
        if self._submitted is not None:
            return self._done("submit", {"answer": answer}, Shown(error="An answer has been given; the task is over."))
        try:
            read(answer, self._task.answer)
        except Malformed as wrong:
            return self._done("submit", {"answer": answer}, Shown(error=f"The answer was not taken: {wrong}."))
        self._submitted = answer
        return self._done("submit", {"answer": answer}, Shown(("accepted",), ((True,),)))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Shown:
        """Any tool by its name, as a model calls it; a wrong call is answered with an error."""
        match tool, dict(arguments):
            case "schema", {"table": str(table), **rest} if not rest:
                return self.schema(table)
            case "schema", {**rest} if rest in ({}, {"table": None}):
                return self.schema()
            case "sql", {"statement": str(statement), **rest} if not rest:
                return self.sql(statement)
            case "submit", {"answer": str(answer), **rest} if not rest:
                return self.submit(answer)
            case _:
                error = "There is no such tool, or not with these arguments. The tools are: schema(table), "
                return self._done(tool, arguments, Shown(error=error + "sql(statement), submit(answer)."))

    @property
    def transcript(self) -> Transcript:
        """The episode so far."""
        return Transcript(task_id=self._task.task_id, calls=tuple(self._calls), submitted=self._submitted)

    def _done(self, tool: str, arguments: Mapping[str, Any], shown: Shown) -> Shown:
        # A transcript must be writable as UTF-8, whatever a model has put into a call.
        kept = {key: _writable(value) for key, value in arguments.items()}
        self._calls.append(Call(tool=tool, arguments=kept, shown=shown.as_dict()))
        return shown


def _writable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _schema(session: Session, table: str | None) -> Shown:
    if table is None:
        there = [found for found in TABLES.values() if found.name in session.tables]
        return Shown(("table", "meaning"), tuple((found.name, found.meaning) for found in there))
    if table.lower() not in session.tables:
        return Shown(error=advice.no_table(table, session.tables))
    columns = TABLES[table.lower()].columns
    header = ("column", "type", "unit", "meaning")
    return Shown(header, tuple((c.name, c.type.duckdb, c.unit, c.meaning) for c in columns))


def replay(session: Session, task: Task, transcript: Transcript) -> list[Shown]:
    """What every reading call of a transcript shows in another session; other calls show nothing."""
    episode = Episode(session, task)
    return [episode.call(call.tool, call.arguments) if call.tool in READING else Shown() for call in transcript.calls]
