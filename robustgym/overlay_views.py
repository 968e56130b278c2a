"""Lays an overlay over the clean tables: the statement that reads a table as the overlay left it.

A table that is edited row by row has its patients replaced: everybody else's rows come from the warehouse, theirs from
a small patch in which the edits are made. A table that is edited by predicate is read through the predicate.

The *placebo* has the same shape over unchanged rows. The clean condition runs it, so that neither the plan nor the
order of rows nor the last digit of a sum tells an agent in which condition it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from robustgym.cells import Cell, typed
from schemas.errors import InputError, Problem
from schemas.overlays import CopyWhere, Delete, DeleteWhere, Edit, Insert, RowEdit, SetEdit, Update, UpdateWhere, Value
from schemas.tables import Column, Table

SUBJECTS_IN_FILTER = 8
"""Up to so many patients are named in the filter; more are joined, which costs the same for ten and ten thousand."""

EDITS_IN_CASE = 32
"""Up to so many edits are written into the statement that makes a patch; more are joined."""

_CLUSTERED = frozenset({"subject_id", "hadm_id", "stay_id"})
"""Columns by which the engine finds a patient's rows without reading the others: tables are sorted by patient."""


@dataclass(frozen=True)
class Clean:
    """Where a session finds a table's clean rows."""

    warehouse: str
    """The table in the attached warehouse: `w.labevents`."""
    extract: str | None = None
    """A table with some of its rows and their numbers as `row_id`, read in its place."""

    @property
    def rows(self) -> str:
        """The relation to read; see `row` for the rows' numbers in it."""
        return self.extract or self.warehouse

    @property
    def row(self) -> str:
        """The expression that is a row's number in `rows`."""
        return "row_id" if self.extract else "rowid"


def plain(table: Table, clean: Clean, *, numbered: bool) -> str:
    """The statement that reads a table as it is: its columns, then `row_id` if the rows are to be numbered."""
    return f"SELECT {columns(table)}{_number(clean.row, numbered)} FROM {clean.rows}"


def overlaid(
    cursor: duckdb.DuckDBPyConnection,
    table: Table,
    edits: Sequence[Edit],
    clean: Clean,
    *,
    placebo: bool,
    numbered: bool,
    searched: bool = True,
) -> str:
    """The statement that reads a table as its edits leave it.

    Args:
        cursor: The session's own connection; a patch is a temporary table in it.
        table: The table.
        edits: Its edits, all row by row or all by predicate.
        clean: Its clean rows.
        placebo: Give the same shape, and change nothing.
        numbered: Add the column `row_id`, last; NULL in new rows.
        searched: Rows will be looked for by a masked id (see `masked_ids`). The rows are the same either way.

    Raises:
        InputError: An edit names a record that is not there or has other values, or gives a value that doesn't fit.
    """
    by_row = [edit for edit in edits if isinstance(edit, Update | Delete | Insert)]
    if by_row:
        patch = _Patch(cursor, table, by_row, clean, placebo, numbered)
        return patch.subjects() if table.patient else patch.slab()
    by_predicate = [edit for edit in edits if isinstance(edit, UpdateWhere | DeleteWhere | CopyWhere)]
    return _by_predicate(table, by_predicate, clean, placebo, numbered, searched)


def columns(table: Table) -> str:
    """The table's columns, quoted, in MIMIC-IV's order."""
    return ", ".join(_quoted(name) for name in table.names)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _number(row: str, numbered: bool) -> str:
    return f", {row} AS row_id" if numbered else ""


def _never(row: str, placebo: bool) -> str:
    """What switches a predicate off for the placebo, in a way that its cost stays.

    `hash` is a bijection of 64 bits: no row number that a table can have has this one, and the engine does not know it.
    """
    return f" AND hash({row}) = 1" if placebo else ""


# -- row by row -------------------------------------------------------------------------------------------------


class _Patch:
    """The rows that replace those of the edited patients, or of a stretch of a dictionary."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        table: Table,
        edits: Sequence[RowEdit],
        clean: Clean,
        placebo: bool,
        numbered: bool,
    ) -> None:
        self.cursor, self.table, self.clean, self.placebo = cursor, table, clean, placebo
        self.number = _number(clean.row, numbered)
        self.patched = columns(table) + _number("row_id", numbered)
        self.name = f"patch_{table.name}"
        self.problems: list[Problem] = []
        self.touched = [edit for edit in edits if isinstance(edit, Update | Delete)]
        self.inserted = [edit for edit in edits if isinstance(edit, Insert)]
        self.before = {e.row: self._typed(f"row {e.row}", e.before) for e in self.touched}
        self.after = {e.row: self._typed(f"row {e.row}", e.after) for e in self.touched if isinstance(e, Update)}
        self.new = [self._typed("new row", edit.after) for edit in self.inserted]
        self._stop()

    def subjects(self) -> str:
        """Replaces whole patients: theirs are the last rows of the table, in the table's order, edited or not."""
        found = [edit.subject_id for edit in self.touched]
        found += [values.get("subject_id") for values in (*self.after.values(), *self.new)]  # type: ignore[misc]
        subjects = sorted({int(s) for s in found if s is not None})
        if any(edit.subject_id is None for edit in self.touched):
            raise InputError(Problem(f"overlay, {self.table.name}", "an edit doesn't say whose record it is"))
        read = f"SELECT {columns(self.table)}{self.number} FROM {self.clean.rows} AS t"
        required = self.table["subject_id"].required
        if len(subjects) > SUBJECTS_IN_FILTER:
            self.cursor.execute(
                f"CREATE TEMP TABLE {self.name}_subjects AS SELECT unnest($subjects::INTEGER[]) AS subject_id",
                {"subjects": subjects},
            )
            self._make(f"t.subject_id IN (SELECT subject_id FROM {self.name}_subjects)")
            rest = [f"{read} ANTI JOIN {self.name}_subjects AS s ON t.subject_id = s.subject_id"]
            if required and self._close_together():
                # Rows before the first and after the last of these patients need no join, and the engine skips to them.
                rest[0] += f" WHERE t.subject_id BETWEEN {subjects[0]} AND {subjects[-1]}"
                rest = [f"{read} WHERE t.subject_id < {subjects[0]}", *rest]
                rest.append(f"{read} WHERE t.subject_id > {subjects[-1]}")
        else:
            self._make(f"t.subject_id IN ({', '.join(map(str, subjects))})" if subjects else "FALSE")
            unequal = "<>" if required else "IS DISTINCT FROM"
            rest = [read + _where([f"t.subject_id {unequal} {subject}" for subject in subjects])]
        return " UNION ALL ".join([*rest, f"SELECT {self.patched} FROM {self.name}"])

    def _close_together(self) -> bool:
        """Whether the edited records lie in less than half of the table."""
        rows = [edit.row for edit in self.touched]
        [size] = self.cursor.execute(f"SELECT count(*) FROM {self.clean.warehouse}").fetchone() or (0,)
        return bool(rows) and max(rows) - min(rows) < size / 2

    def slab(self) -> str:
        """Replaces a stretch of a table without patients: from the first edited row to the last, in its place."""
        rows = [edit.row for edit in self.touched]
        # A new row may belong anywhere, so it takes the whole table. Dictionaries are small.
        first, last = (0, 2**62) if self.inserted else (min(rows), max(rows))
        self._make(f"t.rowid BETWEEN {first} AND {last}")
        outer, row = columns(self.table), self.clean.row
        clean = f"SELECT {outer}{self.number} FROM {self.clean.rows} WHERE {row}"
        return f"{clean} < {first} UNION ALL SELECT {self.patched} FROM {self.name} UNION ALL {clean} > {last}"

    def _make(self, where: str) -> None:
        """Make the patch: the clean rows that meet `where`, edited, in the table's order."""
        self._check(where)
        edited = [c for c in self.table.columns if any(c.name in values for values in self.after.values())]
        few = len(self.touched) <= EDITS_IN_CASE
        cells, source, kept, bound = self._cases(edited) if few else self._joined(edited)
        rows = (
            f"SELECT {', '.join(cells.get(name, f't.{_quoted(name)}') for name in self.table.names)}, "
            f"t.rowid AS row_id FROM {self.clean.warehouse} AS t {source} WHERE {where}{kept}"
        )
        if self.new:
            rows = f"SELECT * FROM ({rows} UNION ALL {self._added(bound)})"
        # A scan finds the rows in the table's order; a join does not keep it, and new keys have their own place in it.
        if self.new or not few or any(column.name in self.table.order for column in edited):
            rows += " ORDER BY " + ", ".join(f'"{name}" ASC NULLS LAST' for name in self.table.order) + ", row_id"
        self.cursor.execute(f"CREATE TEMP TABLE {self.name} AS {rows}", bound)

    # Both forms make the placebo's patch with every edit switched off, so that its cost is the same too. They give the
    # cells that are edited, what to join, the test that drops deleted rows, and the parameters of all three.

    def _cases(self, edited: Sequence[Column]) -> tuple[dict[str, str], str, str, dict[str, Any]]:
        """A few edits, written into the cells: half the time of a join."""
        bound: dict[str, Any] = {}
        cells = {}
        for i, column in enumerate(edited):
            name, branches = _quoted(column.name), []
            for row, values in self.after.items():
                if column.name not in values:
                    continue
                if self.placebo:
                    branches.append(f"WHEN {row} THEN t.{name}")
                else:
                    bound[f"new{i}_{row}"] = values[column.name]
                    branches.append(f"WHEN {row} THEN $new{i}_{row}::{column.type.duckdb}")
            cells[column.name] = f"CASE t.rowid {' '.join(branches)} ELSE t.{name} END AS {name}"
        gone = ", ".join(str(edit.row) for edit in self.touched if isinstance(edit, Delete))
        kept = f" AND (t.rowid IN ({gone}){_never('t.rowid', self.placebo)}) IS NOT TRUE" if gone else ""
        return cells, "", kept, bound

    def _joined(self, edited: Sequence[Column]) -> tuple[dict[str, str], str, str, dict[str, Any]]:
        """Any number of edits, joined by the rows' numbers."""
        rows = [edit.row for edit in self.touched]
        bound: dict[str, Any] = {"row": rows}
        bound["gone"] = [isinstance(edit, Delete) and not self.placebo for edit in self.touched]
        edits = ["unnest($row::BIGINT[]) AS row_id", "unnest($gone::BOOLEAN[]) AS gone"]
        cells = {}
        for i, column in enumerate(edited):
            changes = [self.after.get(row, {}) for row in rows]
            bound[f"set{i}"] = [column.name in values and not self.placebo for values in changes]
            bound[f"new{i}"] = [values.get(column.name) for values in changes]
            edits += [f"unnest($set{i}::BOOLEAN[]) AS set{i}", f"unnest($new{i}::{column.type.duckdb}[]) AS new{i}"]
            name = _quoted(column.name)
            cells[column.name] = f"CASE WHEN e.set{i} THEN e.new{i} ELSE t.{name} END AS {name}"
        source = f"LEFT JOIN (SELECT {', '.join(edits)}) AS e ON t.rowid = e.row_id"
        return cells, source, " AND e.gone IS NOT TRUE", bound

    def _added(self, bound: dict[str, Any]) -> str:
        """The statement that gives the new records; their cells go to `bound`."""
        new = [] if self.placebo else self.new
        cells = []
        for i, column in enumerate(self.table.columns):
            # The first column is always bound: its length says how many records there are, however empty.
            if i == 0 or any(column.name in values for values in self.new):
                bound[f"add{i}"] = [values.get(column.name) for values in new]
                cells.append(f'unnest($add{i}::{column.type.duckdb}[]) AS "{column.name}"')
            else:
                cells.append(f'NULL::{column.type.duckdb} AS "{column.name}"')
        return f"SELECT {', '.join(cells)}, NULL::BIGINT"

    def _check(self, where: str) -> None:
        """Every edited record is there, is its patient's, and has the values the overlay says it had."""
        if not self.touched:
            return
        needed = {name for values in self.before.values() for name in values}
        names = [name for name in self.table.names if name in needed or name == "subject_id"]
        rows = ", ".join(str(edit.row) for edit in self.touched)
        found = self.cursor.execute(
            f"SELECT {', '.join(['t.rowid', *(f't.{_quoted(name)}' for name in names)])} "
            f"FROM {self.clean.warehouse} AS t WHERE {where} AND t.rowid IN ({rows})"
        ).fetchall()
        records = {row[0]: dict(zip(names, row[1:], strict=True)) for row in found}
        for edit in self.touched:
            record = records.get(edit.row)
            if record is None or (self.table.patient and record["subject_id"] != edit.subject_id):
                whose = f" of patient {edit.subject_id}" if self.table.patient else ""
                self._problem(f"row {edit.row}", f"there is no such record{whose}")
                continue
            for name, value in self.before[edit.row].items():
                if record[name] != value:
                    self._problem(f"row {edit.row}, column {name}", f"it was {value!r}, and is {record[name]!r}")
        self._stop()

    def _typed(self, where: str, values: Mapping[str, Value]) -> dict[str, Cell]:
        cells: dict[str, Cell] = {}
        for name, value in values.items():
            if name not in self.table:
                self._problem(f"{where}, column {name}", "the table has no such column")
                continue
            try:
                cells[name] = typed(value, self.table[name])
            except ValueError as error:
                self._problem(f"{where}, column {name}", str(error))
        return cells

    def _problem(self, where: str, what: str) -> None:
        do = "use the warehouse that the overlay was made from"
        self.problems.append(Problem(f"overlay, {self.table.name}, {where}", what, do))

    def _stop(self) -> None:
        if self.problems:
            raise InputError(self.problems)


# -- by predicate -----------------------------------------------------------------------------------------------


def masked_ids(edits: Iterable[Edit]) -> frozenset[str]:
    """Ids that edits by predicate change: a statement that looks for rows by one of them is served another way."""
    return frozenset(name for edit in edits if isinstance(edit, UpdateWhere) for name in edit.put) & _CLUSTERED


def _by_predicate(
    table: Table, edits: Sequence[SetEdit], clean: Clean, placebo: bool, numbered: bool, searched: bool
) -> str:
    """Reads a table through its edits. Every predicate and expression sees the clean row.

    Deletion wins over change, a later change of a column over an earlier one; a copy is a copy of the clean row.
    """
    updates = [edit for edit in edits if isinstance(edit, UpdateWhere)]
    _known(table, updates, edits)
    gone = [edit.where for edit in edits if isinstance(edit, DeleteWhere)]
    never = _never(clean.row, placebo)
    kept = [f"({_any(gone)}{never}) IS NOT TRUE"] if gone else []
    if searched and masked_ids(edits):
        # Behind CASE the engine finds no patient by these any more: the rows that keep theirs are read by themselves.
        hit = _any([edit.where for edit in updates])
        unhit = plain(table, clean, numbered=numbered) + _where([f"({hit}) IS NOT TRUE", *kept])
        changed = _changed(table, updates, clean, placebo, numbered, every=len(updates) == 1) + _where([hit, *kept])
        parts = [unhit, changed]
    else:
        parts = [_changed(table, updates, clean, placebo, numbered) + _where(kept)]
    for edit in edits:
        if isinstance(edit, CopyWhere):
            copied = ", ".join(_put(column, edit.put) for column in table.columns)
            number = _number("NULL::BIGINT", numbered)
            parts.append(f"SELECT {copied}{number} FROM {clean.rows} WHERE ({edit.where}){never}")
    return " UNION ALL ".join(parts)


def _changed(
    table: Table,
    updates: Sequence[UpdateWhere],
    clean: Clean,
    placebo: bool,
    numbered: bool,
    *,
    every: bool = False,
) -> str:
    """The statement that reads the table after its changes: of `every` row it will read, or of those that are hit.

    Every branch has the column's own type, or DESCRIBE would tell.
    """
    cells = []
    for column in table.columns:
        name = _quoted(column.name)
        branches = [
            (edit.where, name if placebo else f"CAST(({edit.put[column.name]}) AS {column.type.duckdb})")
            for edit in reversed(updates)
            if column.name in edit.put
        ]
        if branches and every:
            cells.append(f"{branches[0][1]} AS {name}")
        elif branches:
            cases = " ".join(f"WHEN ({where}) THEN {value}" for where, value in branches)
            cells.append(f"CASE {cases} ELSE {name} END AS {name}")
        else:
            cells.append(name)
    return f"SELECT {', '.join(cells)}{_number(clean.row, numbered)} FROM {clean.rows}"


def _put(column: Column, put: Mapping[str, str]) -> str:
    name = f'"{column.name}"'
    return f"CAST(({put[column.name]}) AS {column.type.duckdb}) AS {name}" if column.name in put else name


def _known(table: Table, updates: Iterable[UpdateWhere], edits: Iterable[Edit]) -> None:
    named = {name for edit in (*updates, *edits) if isinstance(edit, UpdateWhere | CopyWhere) for name in edit.put}
    unknown = sorted(name for name in named if name not in table)
    if unknown:
        raise InputError(Problem(f"overlay, {table.name}, column {name}", "no such column") for name in unknown)


def _any(predicates: Sequence[str]) -> str:
    return "(" + " OR ".join(f"({predicate})" for predicate in predicates) + ")"


def _where(tests: Sequence[str]) -> str:
    return " WHERE " + " AND ".join(tests) if tests else ""
