"""One reader's view of a hospital: clean, or as an overlay left it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import duckdb

from robustgym.frames import frame, names
from robustgym.guard import Refused
from robustgym.overlay_views import Clean, columns, masked_ids, overlaid, plain
from robustgym.shown import ROWS, UNSHOWABLE, Shown, cut, scrub
from schemas.errors import InputError, Problem
from schemas.overlays import Overlay
from schemas.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

    from robustgym.hospital import Extracts, Hospital

_WORD = re.compile(r"\w+")


class Session:
    """A connection of its own, with a temporary view of each table it has read. Nobody else sees the views.

    Made by `Hospital.session`; costs less than a millisecond until something is read. A session serves one statement
    at a time.
    """

    def __init__(
        self,
        hospital: Hospital,
        overlay: Overlay,
        *,
        placebo: bool,
        row_ids: bool,
        extracts: Extracts | None,
        only: Mapping[str, str],
    ) -> None:
        unknown = [t for t in (*overlay.tables, *only) if t not in hospital.tables]
        if unknown:
            raise InputError(
                Problem(f"overlay, {name}", "the warehouse has no such table", "use the warehouse it was made from")
                for name in unknown
            )
        self._hospital, self._placebo, self._row_ids, self._only = hospital, placebo, row_ids, only
        self._edits, self._extracts = overlay.by_table(), extracts
        self._cursor = hospital.cursor()
        # What each view was made for: the masked ids that statements look for rows by, or none of them.
        self._viewed: dict[str, bool] = {}

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables it can read."""
        return self._hospital.tables

    def show(self, sql: str, rows: int = ROWS) -> Shown:
        """What an agent sees of a statement: refused unless the guard knows it, capped, its errors scrubbed.

        Args:
            sql: One statement, as the agent wrote it.
            rows: Rows to show at most.
        """
        try:
            reading = self._hospital.guard.read(sql)
        except Refused as refused:
            return Shown(error=str(refused))
        if reading.lists_tables:
            return Shown(("name",), tuple((name,) for name in sorted(self._hospital.tables)))
        self._view(reading.tables, sql)
        try:
            with self._hospital.watchdog.over(self._cursor, self._hospital.seconds):
                result = self._cursor.execute(sql)
                names = [column[0] for column in result.description or ()]
                got = result.fetchmany(rows + 1)
                # Results are streamed: what is not fetched is not computed, but must be given up.
                self._cursor.abort()
            return cut(names, got[:rows], more=len(got) > rows)
        except (duckdb.Error, MemoryError) as error:
            return Shown(error=self._said(error))
        except (OverflowError, ValueError, RecursionError):
            # An interval of a million years, a list in a list in a list: the engine knows values that Python does not.
            return Shown(error=UNSHOWABLE)

    def arrow(self, sql: str) -> pa.Table | str:
        """The result of an agent's statement for a program to work on; or, as a text, why there is none.

        Guarded as `show` is. It is whole or an error, never cut: a program would not notice (see `robustgym.frames`).

        Args:
            sql: One statement, as the agent wrote it.
        """
        try:
            reading = self._hospital.guard.read(sql)
        except Refused as refused:
            return str(refused)
        if reading.lists_tables:
            return names(self._hospital.tables)
        self._view(reading.tables, sql)
        try:
            with self._hospital.watchdog.over(self._cursor, self._hospital.seconds):
                return frame(self._cursor, sql)
        except (duckdb.Error, MemoryError) as error:
            return self._said(error)

    def fetch(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The pipeline's own statement, unguarded and whole.

        Returns:
            The columns' names, and every row as the engine gives it (times as datetime).

        Raises:
            duckdb.Error: The statement is wrong.
        """
        self._view(self._hospital.tables.intersection(_WORD.findall(sql.lower())), sql)
        result = self._cursor.execute(sql)
        return [column[0] for column in result.description or ()], result.fetchall()

    def close(self) -> None:
        """Give up the connection and everything temporary in it."""
        self._cursor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _said(self, error: Exception) -> str:
        """What an agent is told of an engine's error."""
        if isinstance(error, duckdb.InternalException | duckdb.FatalException):
            # The engine refuses everything after it, whoever asks.
            self._hospital.broken = True
        return scrub(error)

    def _view(self, tables: Iterable[str], sql: str) -> None:
        """Make the views of these tables as this statement is best served, unless they are there."""
        words = frozenset(_WORD.findall(sql.lower()))
        for name in sorted(tables):
            searched = not words.isdisjoint(masked_ids(self._edits.get(name, ())))
            if self._viewed.get(name) == searched:
                continue
            try:
                self._cursor.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {self._statement(name, searched)}")
            except duckdb.Error as error:
                raise InputError(Problem(f"overlay, {name}", str(error).splitlines()[0])) from error
            self._viewed[name] = searched

    def _statement(self, name: str, searched: bool) -> str:
        """The statement a table's view stands for."""
        table, clean = TABLES[name], Clean(f"w.{name}")
        edits = self._edits.get(name, ())
        if self._extracts and self._extracts.serves(name, edits):
            clean = Clean(f"w.{name}", self._extracts.relations[name])
        numbered = self._row_ids or name in self._only
        if edits:
            rows = overlaid(
                self._cursor, table, edits, clean, placebo=self._placebo, numbered=numbered, searched=searched
            )
        else:
            rows = plain(table, clean, numbered=numbered)
        if name not in self._only:
            return rows
        wanted = columns(table) + (", row_id" if self._row_ids else "")
        return f"SELECT {wanted} FROM ({rows}) WHERE {self._only[name]}"
