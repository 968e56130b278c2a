"""How a table of MIMIC-IV is declared: once, here, for everything that reads or writes one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class ColumnType(StrEnum):
    """The five types of MIMIC-IV's own `create.sql`, and how an engine spells them."""

    INTEGER = "integer"
    """32-bit whole number: ids, ordinals, flags."""
    DOUBLE = "double"
    """64-bit float: results, amounts, rates. Never 32-bit: that moves answers."""
    TEXT = "text"
    """Text as written, leading zeros and blanks kept: codes, labels, free text."""
    TIMESTAMP = "timestamp"
    """Naive date and time. MIMIC-IV writes whole seconds; a fraction in a source is kept, to the microsecond.

    Every patient's calendar is shifted on its own."""
    DATE = "date"
    """Naive date."""

    @property
    def duckdb(self) -> str:
        """The type's name in DuckDB: INTEGER, DOUBLE, VARCHAR, TIMESTAMP or DATE."""
        return {"text": "VARCHAR"}.get(self.value, self.value.upper())


@dataclass(frozen=True, slots=True)
class Column:
    """One column, under MIMIC-IV's own name."""

    name: str
    type: ColumnType
    meaning: str
    """One line, in our words; the table's `source` says where it is described."""
    unit: str | None = None
    """Unit of the number where the column fixes one (`days`, `mmHg`); None where a row names its own."""
    required: bool = False
    """Never NULL in MIMIC-IV."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that name a record of another table. MIMIC-IV has orphans; they are counted, not refused."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of MIMIC-IV.

    A record's *row number* is its position, from 0, in the table sorted by `order`: stable for a source, and the same
    in the parquet file (`file_row_number`) and in the native cache (`rowid`). So every record has a key, also in
    tables that have none of their own.
    """

    name: str
    module: str
    """`hosp` or `icu`: the folder of PhysioNet's layout."""
    meaning: str
    source: str
    """Address of the page of MIMIC-IV's documentation that describes the table."""
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    """The documented primary key. Unique where `unique`; elsewhere duplicates are counted and reported."""
    unique: bool = False
    """A duplicate key stops the build: patients, admissions, icustays."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    sort: tuple[str, ...] = ()
    """Leading sort columns: patient first, then time."""
    indispensable: bool = False
    """Nothing can be built without it: patients, admissions."""
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})

    def __getitem__(self, column: str) -> Column:
        """The column of that name; KeyError if the table has none."""
        return self._by_name[column]

    def __contains__(self, column: str) -> bool:
        return column in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in MIMIC-IV's order."""
        return tuple(column.name for column in self.columns)

    @property
    def times(self) -> tuple[str, ...]:
        """Names of the columns that hold a time or a date."""
        return tuple(c.name for c in self.columns if c.type in (ColumnType.TIMESTAMP, ColumnType.DATE))

    @property
    def order(self) -> tuple[str, ...]:
        """The total order of the table's rows: sort columns first, then every other column, NULLs last.

        Equal rows are interchangeable, so one order gives one file, whatever the engine, the threads or the memory.
        """
        return self.sort + tuple(name for name in self.names if name not in self.sort)

    @property
    def patient(self) -> bool:
        """Whether a record belongs to one patient (has `subject_id`)."""
        return "subject_id" in self._by_name

    @property
    def path(self) -> str:
        """`hosp/labevents`: where PhysioNet's layout and the warehouse keep it, without a suffix."""
        return f"{self.module}/{self.name}"
