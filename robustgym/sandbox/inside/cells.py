"""Cells of a notebook without the notebook: run in one namespace, with `query` as the only way to the hospital."""

from __future__ import annotations

import ast
import io
import json
import linecache
import random
import sys
import traceback
import warnings
from typing import Any, BinaryIO, Literal

import numpy
import pandas
import polars
import pyarrow

Frame = Literal["pandas", "polars"]


class QueryError(Exception):
    """The hospital answered with an error; its text says what to do."""

    __module__ = "builtins"  # told by its bare name


class Console(io.TextIOBase):
    """What a cell prints: the beginning is kept, the rest counted."""

    def __init__(self, most: int) -> None:
        self._most, self._kept, self._length, self.dropped = most, [""], 0, 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keep of a text what there is room for."""
        room = max(0, self._most - self._length)
        self._kept.append(text[:room])
        self._length += len(text[:room])
        self.dropped += len(text) - len(text[:room])
        return len(text)

    def text(self) -> str:
        """What was kept."""
        return "".join(self._kept)


class Cells:
    """The namespace of an episode and the two ends of its pipes."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO, characters: int) -> None:
        self._reader, self._writer, self._characters = reader, writer, characters
        self._number = 0
        self._names: dict[str, Any] = {
            "__name__": "__main__",
            "query": self.query,
            "QueryError": QueryError,
            "np": numpy,
            "pd": pandas,
            "pl": polars,
        }
        _set_out()

    def serve(self) -> None:
        """Run cells until the pipe ends."""
        for line in iter(self._reader.readline, b""):
            cell = json.loads(line)
            self._number = cell["cell"]
            self._say({"done": self.run(cell["code"])})

    def query(self, sql: str, frame: Frame = "pandas") -> Any:
        """Run one SQL statement (DuckDB's dialect, read-only) on the hospital and return all its rows.

        Args:
            sql: The statement.
            frame: "pandas" for a pandas.DataFrame, "polars" for a polars.DataFrame.

        Raises:
            QueryError: The statement was refused or failed; the message says why and what to do.
        """
        if frame not in ("pandas", "polars"):
            raise ValueError(f'frame must be "pandas" or "polars", not {frame!r}')
        self._say({"query": str(sql)})
        head = json.loads(self._reader.readline())
        if "error" in head:
            raise QueryError(head["error"])
        table = pyarrow.ipc.open_stream(self._reader.read(head["bytes"])).read_all()
        table = _plain_numbers(table)
        return polars.from_arrow(table) if frame == "polars" else _pandas(table)

    def run(self, code: str) -> dict[str, Any]:
        """Run a cell.

        Returns:
            `output`: what it printed and the value of its last expression. `dropped`: how many characters more.
            `error`: a short traceback, or None.
        """
        console, error = Console(self._characters), None
        name = f"<cell {self._number}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        outer = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = console
        try:
            tree = ast.parse(code, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), self._names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), self._names)
                if value is not None:
                    print(repr(value))
        except BaseException as raised:  # noqa: BLE001 - an agent's SystemExit, too, must not end its interpreter
            error = _short(raised)
        finally:
            sys.stdout, sys.stderr = outer
        return {"output": console.text(), "dropped": console.dropped, "error": error}

    def _say(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps({"cell": self._number, **message}).encode() + b"\n")


def _short(raised: BaseException) -> str:
    """A traceback of the agent's own lines, without those of libraries."""
    told = traceback.TracebackException.from_exception(raised, compact=True)
    told.stack = traceback.StackSummary.from_list([line for line in told.stack if line.filename.startswith("<cell ")])
    text = "".join(told.format(chain=False))
    return text if len(text) <= 4000 else f"{text[:2000]}\n[…]\n{text[-2000:]}"


def _plain_numbers(table: pyarrow.Table) -> pyarrow.Table:
    """Numbers to reckon with: whole ones with room, for in 32 bits a product overflows without a word; no decimals."""
    for index, field in enumerate(table.schema):
        column, kind = table.column(index), field.type
        if pyarrow.types.is_decimal(kind):
            # Sums of integers and decimal literals arrive as decimals.
            column = _whole(column) if kind.scale == 0 else column.cast(pyarrow.float64())
        elif pyarrow.types.is_integer(kind) and kind != pyarrow.uint64():
            column = column.cast(pyarrow.int64())
        table = table.set_column(index, field.name, column)
    return table


def _whole(column: pyarrow.ChunkedArray[Any]) -> pyarrow.ChunkedArray[Any]:
    try:
        return column.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        return column.cast(pyarrow.float64())


_NULLABLE = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.bool_(): pandas.BooleanDtype()}


def _pandas(table: pyarrow.Table) -> pandas.DataFrame:
    """As pandas has it, but for integers beside NULLs: an id must not become a float."""
    # One type with NULLs and without: what a cell prints must not depend on its other rows.
    return table.to_pandas(types_mapper=_NULLABLE.get, date_as_object=False, use_threads=False)


def _set_out() -> None:
    """Wide tables, the same numbers from the global generators every time, warnings without paths."""
    random.seed(0)
    numpy.random.seed(0)
    pyarrow.set_cpu_count(1)
    pandas.set_option("display.width", 200, "display.max_columns", 40, "display.max_colwidth", 100)
    polars.Config.set_tbl_width_chars(200).set_tbl_cols(40).set_tbl_rows(60).set_fmt_str_lengths(100)
    warnings.formatwarning = lambda message, category, *_, **__: f"{category.__name__}: {message}\n"
