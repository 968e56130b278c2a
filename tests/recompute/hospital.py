"""The tables of a hospital as Polars frames, the units that count, and what a sort of record looks like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from schemas.concepts import Coded, load
from schemas.tables import TABLES
from schemas.tables.model import ColumnType

TYPES = {
    ColumnType.INTEGER: pl.Int64,
    ColumnType.DOUBLE: pl.Float64,
    ColumnType.TEXT: pl.String,
    ColumnType.TIMESTAMP: pl.Datetime("us"),
    ColumnType.DATE: pl.Date,
}


class Hospital:
    """The tables below one folder, each read when it is first asked for; a table that is not there is empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._frames: dict[str, pl.DataFrame] = {}
        self._units: dict[str, list[UnitRow]] = {}
        self.kept: dict[Any, Records] = {}
        """Records of kinds without a concept, which many templates share."""

    def __getitem__(self, table: str) -> pl.DataFrame:
        """One table in its declared types."""
        if table not in self._frames:
            declared, path = TABLES[table], self.folder / f"{TABLES[table].path}.parquet"
            if path.is_file():
                there = pl.read_parquet(path)
                cells = [
                    (pl.col(c.name) if c.name in there.columns else pl.lit(None)).cast(TYPES[c.type]).alias(c.name)
                    for c in declared.columns
                ]
                self._frames[table] = there.select(cells)
            else:
                self._frames[table] = pl.DataFrame(schema={c.name: TYPES[c.type] for c in declared.columns})
        return self._frames[table]

    @cached_property
    def admissions(self) -> pl.DataFrame:
        """Hospital admissions that end after they begin."""
        return self["admissions"].filter(pl.col("admittime") < pl.col("dischtime"))

    @cached_property
    def stays(self) -> pl.DataFrame:
        """ICU stays that end after they begin."""
        return self["icustays"].filter(pl.col("intime") < pl.col("outtime"))

    def units(self, name: str) -> list[UnitRow]:
        """Every unit of a sort that counts: `admission`, `stay` or `patient`."""
        if name not in self._units:
            self._units[name] = self._unit_rows(name)
        return self._units[name]

    def _unit_rows(self, name: str) -> list[UnitRow]:
        if name == "admission":
            names = ("subject_id", "hadm_id", "admittime", "dischtime", "edregtime", "edouttime")
            rows = self.admissions.select(names).iter_rows()
            return [UnitRow(hadm, subject, hadm, None, *times) for subject, hadm, *times in rows]
        if name == "stay":
            rows = self.stays.select("subject_id", "hadm_id", "stay_id", "intime", "outtime").iter_rows()
            return [UnitRow(stay, subject, hadm, stay, *times) for subject, hadm, stay, *times in rows]
        return [UnitRow(subject, subject) for subject in self["patients"]["subject_id"]]


@dataclass(frozen=True)
class UnitRow:
    """One admission, ICU stay or patient."""

    uid: int
    subject_id: int
    hadm_id: int | None = None
    stay_id: int | None = None
    start: datetime | None = None
    end: datetime | None = None
    arrived: datetime | None = None
    """Registration in the emergency department."""
    left_emergency: datetime | None = None


@dataclass(frozen=True)
class Records:
    """The records of one kind, one row each.

    Columns of the frame: `subject_id`; `hadm_id` and `stay_id` if records belong to a unit by them; of `t`, `t2`, `v`,
    `name` and `hit` what the kind has. A value that depends on the window is a function of it (`aged`).
    """

    frame: pl.DataFrame
    daily: bool = False
    """Whether the time is a date only: records are compared by day."""
    worse: str = "high"
    early: bool = False
    """Whether those noted before the admission count in what begins with it."""
    lasting: bool = False
    """Whether a stretch is named wherever it reaches."""
    one: str = ""
    """A column of the frame: rows with the same there tell of one thing, which counts once."""
    aged: str = ""
    """`age` or `death`: the value is reckoned from the beginning of the window."""
    minus: Records | None = None
    """Records whose sum is taken off; both sides must be there."""


@dataclass
class Seen:
    """What a selector is shown: the records of one unit in its window, and the window.

    Lists of the same length; a column that the kind does not have is empty.
    """

    lo: datetime | None = None
    hi: datetime | None = None
    origin: datetime | None = None
    """Where the window begins before a clause cuts it."""
    t: list[Any] = field(default_factory=list)
    t2: list[Any] = field(default_factory=list)
    v: list[Any] = field(default_factory=list)
    name: list[Any] = field(default_factory=list)
    hit: list[Any] = field(default_factory=list)
    hadm_id: list[Any] = field(default_factory=list)
    worse: str = "high"
    threshold: float | None = None
    nth: int = 2

    def beyond(self, value: float) -> bool:
        """Is the value beyond the threshold, on the side where it worries?"""
        assert self.threshold is not None
        return value > self.threshold if self.worse == "high" else value < self.threshold


def stated(table: str, column: str) -> pl.Expr:
    """Does the row say it? Not if it is missing, masked (`___`) or one of the spellings of "unknown"."""
    nothing = ["___", *load().unknown.get((table, column), ())]
    return pl.col(column).is_not_null() & ~pl.col(column).is_in(nothing)


def spelled(column: str, spellings: Iterable[str]) -> pl.Expr:
    """Is the text one of these, in upper or lower case, with or without blanks around it?"""
    return pl.col(column).str.strip_chars(" ").str.to_lowercase().is_in([s.strip().lower() for s in spellings])


def in_group(group: Coded) -> pl.Expr:
    """Does the code begin with a prefix of the group, in the same version of ICD?"""
    found = pl.lit(False)
    for version, prefixes in ((9, group.icd9_prefixes), (10, group.icd10_prefixes)):
        for prefix in prefixes:
            found = found | ((pl.col("icd_version") == version) & pl.col("icd_code").str.starts_with(prefix))
    return found


def within(column: str, low: float | None, high: float | None) -> pl.Expr:
    """Is the number there, and from `low` to `high`, both included?"""
    test = pl.col(column).is_not_null() & pl.col(column).is_not_nan()
    if low is not None:
        test = test & (pl.col(column) >= low)
    return test if high is None else test & (pl.col(column) <= high)


def plain_number(column: str) -> pl.Expr:
    """The number that a text holds if it is a single number; `1-2` and `25,000` are none."""
    text = pl.col(column).str.strip_chars()
    return pl.when(text.str.contains(r"^[-+]?(\d+\.?\d*|\.\d+)$")).then(text).cast(pl.Float64, strict=False)


def hours_from(start: str, end: str) -> pl.Expr:
    """Hours between two times of a row."""
    return (pl.col(end) - pl.col(start)).dt.total_microseconds() / 3_600_000_000


def coded_text() -> pl.Expr:
    """A code with its version, as `9:4280`."""
    return pl.col("icd_version").cast(pl.String) + ":" + pl.col("icd_code")
