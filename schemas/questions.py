"""A question asked of a hospital: its words, its associated records, its reference, and what surrounds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from types import MappingProxyType
from typing import Any

from schemas.answers import AnswerType, Gold
from schemas.overlays import Delete, DeleteWhere, Edit, Update, UpdateWhere, Value


class Intent(StrEnum):
    """What the question is about; the six of EHR-Complex (arXiv 2606.23301). Cost is billing and use of resources."""

    DEMOGRAPHICS = "Demographics"
    VITALS = "Vitals"
    MEDICATIONS = "Medications"
    COST = "Cost"
    LABS = "Labs"
    DIAGNOSES = "Diagnoses"


class Scope(StrEnum):
    """Whom it is asked about."""

    PATIENT = "patient"
    """One admission, ICU stay or patient."""
    POPULATION = "population"
    """A cohort of them."""


class Role(StrEnum):
    """What a selection of records is for."""

    UNIT = "unit"
    """The admission, ICU stay or patient asked about; of a population, all that may be in the cohort."""
    COHORT = "cohort"
    """Records that decide who belongs."""
    ANCHOR = "anchor"
    """The event that opens or closes the window."""
    CONDITION = "condition"
    """Records during which a target counts."""
    TARGET = "target"
    """The records that carry the answer."""
    GROUP = "group"
    """Records that split a population answer."""
    ROUTE = "route"
    """Other records that tell the same fact; the reference does not read them, an abstention must not leave them."""
    LABEL = "label"
    """Rows of a dictionary that say what codes, items and ids are called. Every patient shares them, so that most noise
    stays away from them; an edit of one lies in its own pair's overlay alone."""


UNIT_ROUTE = "route_unit"
"""The route by which an ICU stay is told elsewhere: its transfers. It matters only once the stay itself is gone."""


@dataclass(frozen=True)
class Selection:
    """The associated records of one sort: rows of one table that pass a row's own tests and lie where they must."""

    name: str
    """Its name in the reference: a CTE `name AS (SELECT x.* FROM table AS x WHERE ...)`."""
    role: Role
    table: str
    concept: str = "TRUE"
    """SQL over the table's own columns: is the record of the sort asked for (`itemid = 50813`)?"""
    support: str = "TRUE"
    """SQL over the table's own columns: can the record carry an answer (value there, plausible, in the unit, timed)?"""
    where: str = "TRUE"
    """SQL over alias x and other CTEs: does it lie where it must (its unit, its window)?"""
    label: str = ""
    """What one record is, in words: "serum creatinine"."""
    value: tuple[str, ...] = ()
    """Columns that carry the value, the one the reference reads first (`valuenum`, `value`)."""
    unit: tuple[str, ...] = ()
    """Columns that carry the unit of the value, where the support test demands one."""
    time: tuple[str, ...] = ()
    """Columns that carry the time, start before end."""
    names: tuple[str, ...] = ()
    """Columns that say what the record is of, where that is text or a code (`drug`, `icd_code`)."""
    alternatives: tuple[tuple[str, float], ...] = ()
    """Other units the value is reported in, with the factor that converts to them."""
    low: float | None = None
    """Lowest plausible value, in the unit asked for."""
    high: float | None = None

    @property
    def test(self) -> str:
        """Both of the row's own tests, as one predicate over the table's own columns."""
        return " AND ".join(f"({part})" for part in (self.concept, self.support) if part != "TRUE") or "TRUE"

    @property
    def sql(self) -> str:
        """The statement of the selection: `SELECT x.* FROM table AS x WHERE ...`."""
        tests = [part for part in (self.concept, self.support, self.where) if part != "TRUE"]
        return f"SELECT x.* FROM {self.table} AS x" + (
            " WHERE " + " AND ".join(f"({t})" for t in tests) if tests else ""
        )


@dataclass(frozen=True)
class Record:
    """One associated record, as the clean hospital has it."""

    selection: str
    table: str
    row: int
    """Row number in its table."""
    subject_id: int | None
    values: Mapping[str, Value]
    """Every column of the table."""

    def __getitem__(self, column: str) -> Any:
        """The cell of that column; times are text."""
        return self.values[column]


@dataclass(frozen=True)
class Surroundings:
    """What an operator may know beside the question itself. May be looked up when first read."""

    others: Sequence[Mapping[str, int]] = ()
    """Ids (subject_id, hadm_id, stay_id as the unit has them) of other patients' units, for a wrong link."""
    unrecorded: Sequence[str] = ()
    """Concepts of the same sort for which the question has no answer, and that are asked about another unit or cohort
    for which the concept asked for has none: so either is as often absent as it is present."""
    recorded: Sequence[str] = ()
    """Concepts of the same sort for which the question has an answer too."""
    last: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The highest value of a slot (`from_day`) with which the question still has an answer; missing where it makes no
    sense of that slot."""
    unused: Mapping[str, Sequence[int]] = field(default_factory=lambda: MappingProxyType({}))
    """Ids that no record bears, from within the range in use, by id column (`hadm_id`, `labevent_id`)."""
    peers: Mapping[str, Sequence[Record]] = field(default_factory=lambda: MappingProxyType({}))
    """A few usable records of others, models of a plausible one: under `target` of the concept asked for,
    under `concept:<id>` of another concept of the sort."""
    tables: frozenset[str] = frozenset()
    """The tables this source has."""


@dataclass(frozen=True)
class Question:
    """A template with its parameters filled in, asked of the clean hospital."""

    template: str
    intent: Intent
    scope: Scope
    parameters: Mapping[str, Value]
    """The slots: ids of the unit, concepts by role, `nth`, thresholds and clauses (see assets.questions)."""
    text: str
    """What the agent reads, the answer's contract included."""
    answer: AnswerType
    selections: tuple[Selection, ...]
    reference_sql: str
    """`WITH <selections>, <steps> SELECT ...`; only selections read a base table."""
    naive_sql: str = ""
    """The reference without the tests of support: what answers whoever takes the record as it is."""
    subject_ids: tuple[int, ...] = ()
    """The patients it is about; empty for a population."""
    gold: Gold = None
    """What the reference returns on the clean hospital; never None in a clean question."""
    records: Sequence[Record] = ()
    """Patient scope: every associated record. Population scope: empty, the selections' tests say which they are."""
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """How many records each selection has, where that is known before they are read."""
    around: Surroundings = field(default_factory=Surroundings)

    def selections_of(self, *roles: Role) -> tuple[Selection, ...]:
        """The selections with one of these roles, in the reference's order."""
        return tuple(selection for selection in self.selections if selection.role in roles)

    def records_of(self, selection: Selection) -> tuple[Record, ...]:
        """Its records (patient scope)."""
        return tuple(record for record in self.records if record.selection == selection.name)

    def count(self, selection: Selection) -> int:
        """How many records it has (patient scope)."""
        return self.counts[selection.name] if selection.name in self.counts else len(self.records_of(selection))

    @property
    def targets(self) -> tuple[Selection, ...]:
        """The selections that carry the answer."""
        return self.selections_of(Role.TARGET)

    def where(self, selection: Selection, share: float = 1.0, rng: Random | None = None) -> str:
        """The selection's records as a predicate over its table's own columns (population scope).

        Args:
            selection: One of this question's selections.
            share: Share of the patients whose records are hit, above 0 and at most 1.
            rng: Decides which patients; needed where `share` is below 1.
        """
        if share >= 1.0 or rng is None:
            return selection.test
        # A multiplicative hash of the patient: a share of the hospital that depends on nothing but the patient.
        bucket = f"(subject_id::BIGINT * {rng.randrange(10_007, 99_991)}) % 65521"
        return f"({selection.test}) AND {bucket} < {round(share * 65521)}"

    def chosen(self, selection: Selection, share: float, rng: Random) -> tuple[Record, ...]:
        """A share of its records, at least one if there is any (patient scope)."""
        records = self.records_of(selection)
        if share >= 1.0 or not records:
            return records
        picked = rng.sample(range(len(records)), k=max(1, round(share * len(records))))
        return tuple(records[i] for i in sorted(picked))

    def delete(self, selection: Selection, share: float, rng: Random) -> tuple[Edit, ...]:
        """Edits that remove its records: row by row for a patient, by predicate for a population."""
        if self.scope is Scope.POPULATION:
            return (DeleteWhere(table=selection.table, where=self.where(selection, share, rng)),)
        return tuple(
            Delete(table=r.table, row=r.row, subject_id=r.subject_id, before=salient(selection, r))
            for r in self.chosen(selection, share, rng)
        )

    def put(self, selection: Selection, values: Mapping[str, Value], share: float, rng: Random) -> tuple[Edit, ...]:
        """Edits that set the same values in its records: row by row for a patient, by predicate for a population."""
        if self.scope is Scope.POPULATION:
            put = {column: literal(value) for column, value in values.items()}
            return (UpdateWhere(table=selection.table, where=self.where(selection, share, rng), put=put),)
        return tuple(
            update(r, values) for r in self.chosen(selection, share, rng) if any(r[c] != v for c, v in values.items())
        )

    def with_(self, **changes: Any) -> Question:
        """A copy with some fields changed."""
        return replace(self, **changes)


SMALL_PRINT = (" Here, ", " Answer with ")
"""How the definitions and the contract of a question's text begin."""


def spoken(text: str) -> tuple[str, str]:
    """What somebody asks, and the small print behind it: definitions and contract, which noise in the words spares.

    >>> spoken("How long was it? Here, it means that. Answer with a whole number.")
    ('How long was it?', ' Here, it means that. Answer with a whole number.')
    """
    end = min((at for mark in SMALL_PRINT if (at := text.find(mark)) >= 0), default=len(text))
    return text[:end], text[end:]


def update(record: Record, after: Mapping[str, Value]) -> Update:
    """The edit that gives a record these values; columns that hold them already are left out."""
    changed = {column: value for column, value in after.items() if record[column] != value}
    return Update(
        table=record.table,
        row=record.row,
        subject_id=record.subject_id,
        before={column: record[column] for column in changed},
        after=changed,
    )


def salient(selection: Selection, record: Record) -> dict[str, Value]:
    """The columns by which a reader recognises a record: ids, item, time, value, unit, name."""
    ids = [c for c in record.values if c.endswith("_id") or c in ("itemid", "seq_num", "icd_version")]
    wanted = dict.fromkeys([*ids, *selection.time, *selection.value, *selection.unit, *selection.names])
    return {column: record[column] for column in wanted if record.values.get(column) is not None}


def literal(value: Value) -> str:
    """A cell as a SQL literal.

    >>> literal(None), literal(True), literal(3.5), literal("it's")
    ('NULL', 'TRUE', '3.5', "'it''s'")
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return repr(value)
