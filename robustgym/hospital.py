"""A hospital that many sessions read at once: one read-only database, closed to everything else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Self

import duckdb
import sqlglot
from sqlglot import exp

from robustgym.engine import closed_off
from robustgym.guard import Guard
from robustgym.session import Session
from robustgym.warehouse import Warehouse
from robustgym.watchdog import Watchdog
from schemas.overlays import CopyWhere, Edit, Overlay, UpdateWhere
from schemas.tables import TABLES

__all__ = ["Extracts", "Hospital", "Session"]

SECONDS = 30.0
"""An agent's statement may take so long."""


@dataclass(frozen=True)
class Opening:
    """How a hospital was opened: what another process needs to open the same."""

    path: Path
    file: Path
    """The native copy, named by its content: other tables in the same folder are another hospital."""
    threads: int
    memory_limit: str
    seconds: float

    def again(self) -> Hospital:
        """Open it here."""
        return Hospital.open(self.path, threads=self.threads, memory_limit=self.memory_limit, seconds=self.seconds)


class Hospital:
    """The tables of one warehouse, attached read-only with every way out of the engine shut.

    Statements run on one thread unless told otherwise: sums of floats then come out the same every time.
    """

    def __init__(self, warehouse: Warehouse, file: Path, *, threads: int, memory_limit: str, seconds: float) -> None:
        self.warehouse = warehouse
        self.opening = Opening(warehouse.path.resolve(), file.resolve(), threads, memory_limit, seconds)
        self.tables = warehouse.tables
        self.seconds = seconds
        self.guard = Guard({name: TABLES[name].names for name in self.tables})
        self.watchdog = Watchdog()
        self.broken = False
        """Whether the engine has met a fault of its own, after which it refuses every statement."""
        self._numbers: Iterator[int] = count()
        self._connection = closed_off(file, threads=threads, memory_limit=memory_limit)

    @classmethod
    def open(
        cls, warehouse: Warehouse | Path, *, threads: int = 1, memory_limit: str = "2GB", seconds: float = SECONDS
    ) -> Hospital:
        """Open a warehouse for reading.

        Args:
            warehouse: The warehouse, or where it lies.
            threads: Threads per statement.
            memory_limit: Memory of all sessions together, as DuckDB writes it. A single value can exceed it.
            seconds: An agent's statement is stopped after so long.

        Raises:
            InputError: There is no warehouse, or its native copy can't be made.
        """
        found = warehouse if isinstance(warehouse, Warehouse) else Warehouse.open(warehouse)
        return cls(found, found.native(), threads=threads, memory_limit=memory_limit, seconds=seconds)

    def session(
        self,
        overlay: Overlay = Overlay(),  # noqa: B008 - immutable
        *,
        placebo: bool = False,
        row_ids: bool = False,
        extracts: Extracts | None = None,
        only: Mapping[str, str] | None = None,
    ) -> Session:
        """A view of the hospital under an overlay.

        Args:
            overlay: What lies over the clean tables.
            placebo: Read through the overlay's shape, but change nothing: what the clean condition runs.
            row_ids: Give every table a last column `row_id`, the row number; NULL in new records.
            extracts: Read these instead of the whole tables, where they hold all that the overlay needs.
            only: Cut tables down to the rows that meet a predicate over their columns and `row_id`.

        Raises:
            InputError: The overlay does not fit the warehouse. Values are checked when a table is first read.
        """
        return Session(
            self, overlay, placebo=placebo, row_ids=row_ids, extracts=extracts, only=only if only is not None else {}
        )

    def extract(self, tests: Mapping[str, Sequence[str]], columns: Collection[str] | None = None) -> Extracts:
        """Set the rows aside that many statements need, so that they share one scan of each table.

        Args:
            tests: Predicates over the table's own columns, by table. A row is in if it meets any of them. Statements
                that read the extracts must ask for nothing else.
            columns: Names of the columns they read; the others are NULL in the extract. None for all.
        """
        number, relations = next(self._numbers), {}
        for name in sorted(tests):
            relations[name] = f"memory.main.extract_{number}_{name}"
            any_test = " OR ".join(f"({test})" for test in tests[name]) or "FALSE"
            cells = ", ".join(
                column.name
                if columns is None or column.name in columns
                else f"CAST(NULL AS {column.type.duckdb}) AS {column.name}"
                for column in TABLES[name].columns
            )
            # Items of one sort together: a statement about one of them then skips the others.
            order = " ORDER BY itemid, rowid" if len(tests[name]) > 1 and "itemid" in TABLES[name] else ""
            with self.cursor() as cursor:
                cursor.execute(
                    f"CREATE TABLE {relations[name]} AS "
                    f"SELECT {cells}, rowid AS row_id FROM w.{name} WHERE {any_test}{order}"
                )
        return Extracts(self, relations, {name: tuple(tests[name]) for name in relations})

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same database."""
        return self._connection.cursor()

    def close(self) -> None:
        """Close the database. Its sessions must be closed before."""
        self.watchdog.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@dataclass(frozen=True)
class Extracts:
    """Rows set aside for many statements. They weigh memory until closed."""

    hospital: Hospital
    relations: Mapping[str, str]
    """The table that holds them, by the table they are of."""
    tests: Mapping[str, tuple[str, ...]]

    def serves(self, table: str, edits: Sequence[Edit]) -> bool:
        """Whether an overlay's view of a table can be made from the extract.

        A patient's rows are always patched from the whole table. An edit by predicate can bring in rows that the
        extract lacks, unless its predicate asks for more than one of the extract's tests does.

        >>> tests = {"labevents": ("itemid = 50813 AND valuenum > 0",)}
        >>> where = "(itemid = 50813 AND valuenum > 0) AND subject_id % 2 = 0"
        >>> extracts = Extracts(None, {"labevents": "extract_0_labevents"}, tests)
        >>> extracts.serves("labevents", [UpdateWhere(table="labevents", where=where, put={"valuenum": "NULL"})])
        True
        >>> relabel = UpdateWhere(table="labevents", where="valuenum > 0", put={"itemid": "50813"})
        >>> extracts.serves("labevents", [relabel])
        False
        """
        if table not in self.relations:
            return False
        wheres = [edit.where for edit in edits if isinstance(edit, UpdateWhere | CopyWhere)]
        tests = [_parts(test) for test in self.tests[table]]
        return all(any(test <= _parts(where) for test in tests) for where in wheres)

    def close(self) -> None:
        """Drop the rows. Sessions that read them must be closed before."""
        cursor = self.hospital.cursor()
        for relation in self.relations.values():
            cursor.execute(f"DROP TABLE IF EXISTS {relation}")
        cursor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@lru_cache(4096)
def _parts(predicate: str) -> frozenset[str]:
    """The tests that a predicate demands one and all: the terms of its outermost ANDs."""
    terms = [sqlglot.parse_one(predicate, dialect="duckdb")]
    parts = set()
    while terms:
        term = terms.pop().unnest()
        if isinstance(term, exp.And):
            terms += [term.left, term.right]
        else:
            parts.add(term.sql(dialect="duckdb"))
    return frozenset(parts)
