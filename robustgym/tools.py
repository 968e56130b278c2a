"""The tools an agent works a task with. Their signatures and docstrings are what a model reads, as JSON schema."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from robustgym.answers import Malformed, read
from robustgym.guard import advice
from robustgym.reader import Reader
from robustgym.sandbox import Query
from robustgym.shown import Shown
from schemas.answers import AnswerType
from schemas.tables import TABLES

NAMES = ("schema", "sql", "python", "submit")
READING = ("schema", "sql", "python")
"""Tools that read the hospital: their calls can be evidence."""

Interpreter = Callable[[str, Query], Shown]
"""Runs a cell of Python, whose `query` is answered by the one given."""

OFF = "The python tool is off here; work with sql."


class Tools:
    """The four tools, at one task. They keep nothing but the interpreter's variables."""

    def __init__(self, reader: Reader, contract: AnswerType, interpreter: Interpreter | None = None) -> None:
        self._reader, self._contract, self._interpreter = reader, contract, interpreter

    def schema(self, table: str | None = None) -> Shown:
        """List the tables of the hospital, or describe the columns of one of them.

        Read-only. Without a table: one row per table with its name and meaning. With a table: one row per column with
        its name, type, unit and meaning. These are definitions, never patients' data. An unknown table is answered
        with an error that lists the tables there are.

        Args:
            table: A table's name, such as labevents; leave it out to list the tables.
        """
        if table is None:
            there = [found for found in TABLES.values() if found.name in self._reader.tables]
            return Shown(("table", "meaning"), tuple((found.name, found.meaning) for found in there))
        if table.lower() not in self._reader.tables:
            return Shown(error=advice.no_table(table, self._reader.tables))
        header = ("column", "type", "unit", "meaning")
        columns = TABLES[table.lower()].columns
        return Shown(header, tuple((c.name, c.type.duckdb, c.unit, c.meaning) for c in columns))

    def sql(self, statement: str) -> Shown:
        """Run one SQL statement (DuckDB dialect) on the hospital's tables and see its result.

        Read-only: SELECT, WITH, VALUES, PIVOT with listed values, DESCRIBE, SUMMARIZE and SHOW TABLES; nothing is
        ever changed, and no call depends on an earlier one. At most 200 rows, 16,000 characters in all and 500
        characters a cell are shown, and a notice says what was cut: aggregate, filter or use LIMIT. NULL is shown as
        NULL, an empty text as ''. A statement is stopped after 30 seconds. There is no clock, chance, file or
        network: now(), random(), sampling and the like are refused. An error says what is wrong and what to do; the
        call may be tried again.

        Args:
            statement: One statement; tables are named without a schema.
        """
        return self._reader.show(statement)

    def python(self, code: str) -> Shown:
        """Run Python code in an interpreter that keeps its variables until the task ends.

        `query(sql)` runs a statement as the sql tool does and returns a pandas DataFrame, `query(sql, "polars")` a
        polars one; it raises QueryError with the error's text. A result is whole or an error: at most 100,000 rows
        and 64 MB. At most 50 queries a cell. np, pd and pl are there; what is not among numpy, pandas, polars,
        pyarrow and the standard library is not.

        Read-only: there is no network, no other process and no file to write. What is printed, and the value of the
        last expression, is shown, cut to 16,000 characters; an exception is shown as a traceback. A cell that runs
        longer than 30 seconds besides its queries, or needs more than 2 GB of memory, is killed; variables are lost
        then, and the error says so.

        Args:
            code: Python source, one or several lines.
        """
        if self._interpreter is None:
            return Shown(error=OFF)
        return self._interpreter(code, self._reader.arrow)

    def submit(self, answer: str) -> Shown:
        """Give the answer and end the task.

        Submit null if the record does not determine an answer, after you have seen in the record that it does not.
        An answer that does not have the form the question asks for is handed back with an error, and may be given
        again; that says nothing of whether it is right. An answer that was taken cannot be changed.

        Args:
            answer: The answer as JSON text, for instance 2.3 or {"value": 2.3, "unit": "mmol/L"} or "Medicare" (with
                its quotes) or true or ["Furosemide", "Insulin"] or null.
        """
        try:
            read(answer, self._contract)
        except Malformed as wrong:
            return Shown(error=f"The answer was not taken: {wrong}. Submit it again in the form asked for.")
        return Shown(("accepted",), ((True,),))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Shown:
        """Any tool by its name, as a model calls it; a wrong call is answered with an error."""
        if tool == "python" and self._interpreter is None:
            return Shown(error=OFF)
        if tool not in NAMES:
            return Shown(error=f"There is no tool {tool[:40]!r}. The tools are: {self._usage()}.")
        parameters = inspect.signature(getattr(self, tool)).parameters
        unknown = [name for name in arguments if name not in parameters]
        missing = [n for n, p in parameters.items() if p.default is p.empty and n not in arguments]
        wrong = [
            name
            for name, value in arguments.items()
            if name in parameters
            and not (isinstance(value, str) or (value is None and parameters[name].default is None))
        ]
        if unknown or missing or wrong:
            found = [f"it has no argument {name[:40]!r}" for name in unknown]
            found += [f"{name!r} is missing" for name in missing] + [f"{name!r} must be a text" for name in wrong]
            return Shown(error=f"{tool} was not called: {'; '.join(found)}. The tools are: {self._usage()}.")
        shown: Shown = getattr(self, tool)(**arguments)
        return shown

    def _usage(self) -> str:
        there = [name for name in NAMES if name != "python" or self._interpreter is not None]
        return ", ".join(f"{name}({', '.join(inspect.signature(getattr(self, name)).parameters)})" for name in there)


def described(*, python: bool) -> list[dict[str, Any]]:
    """The tools as JSON schema, in the form that OpenAI-compatible endpoints take.

    Args:
        python: Whether the Python tool is to be had.

    >>> [tool["function"]["name"] for tool in described(python=False)]
    ['schema', 'sql', 'submit']
    >>> described(python=False)[1]["function"]["parameters"]["required"]
    ['statement']
    """
    # Whoever sends them may add to them.
    return [deepcopy(_described(name)) for name in NAMES if python or name != "python"]


@cache
def _described(name: str) -> dict[str, Any]:
    function = getattr(Tools, name)
    text, _, arguments = inspect.cleandoc(function.__doc__ or "").partition("\n\nArgs:\n")
    said = {
        match[1]: _one_line(match[2]) for match in re.finditer(r"(?ms)^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", arguments)
    }
    properties, required = {}, []
    hints = typing.get_type_hints(function)
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        optional = type(None) in typing.get_args(hints[parameter.name])
        properties[parameter.name] = {
            "type": ["string", "null"] if optional else "string",
            "description": said[parameter.name],
        }
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    description = "\n\n".join(_one_line(paragraph) for paragraph in text.split("\n\n"))
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _one_line(text: str) -> str:
    return " ".join(text.split())
