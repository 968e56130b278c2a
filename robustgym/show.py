"""A pair as a person reads it: both questions, what was done to the record, both answers, and what would prove it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table as Grid
from rich.text import Text

from robustgym.gold import canonical
from robustgym.release import Release
from schemas.noise import Level, Promise
from schemas.overlays import CopyWhere, Delete, DeleteWhere, Edit, Insert, Update, UpdateWhere, Value
from schemas.pairs import GoldRow, Pair, Records
from schemas.tables import TABLES

ABSTAIN = "abstain: the record does not support an answer"

PROMISES = {
    Promise.ABSTENTION: "Nothing left in the noisy hospital determines the answer.",
    Promise.UNCHANGED: "The information is still there for whoever looks properly: the answer is the clean one.",
    Promise.RECOMPUTED: "The world differs: the reference on the noisy hospital decides.",
}
"""What each promise says, in a sentence."""


@dataclass(frozen=True)
class Change:
    """One cell, record or set of records, before and after."""

    table: str
    record: str
    """Which record: its row number and patient; or the predicate that selects many."""
    column: str
    """The column that changed; "the record" when it comes or goes as a whole."""
    before: str
    after: str


@dataclass(frozen=True)
class Shown:
    """A pair, described."""

    pair: Pair
    changes: tuple[Change, ...]
    evidence: str
    promise: str

    @property
    def clean(self) -> GoldRow:
        """The task that the record answers."""
        return self.pair.clean

    @property
    def noise(self) -> GoldRow:
        """The task with the fault."""
        return self.pair.noise

    @property
    def clean_answer(self) -> str:
        """The clean answer in words."""
        return answer(self.clean)

    @property
    def noise_answer(self) -> str:
        """The answer of the noise task in words."""
        return answer(self.noise)

    @property
    def mended(self) -> tuple[Change, ...]:
        """Of natural noise, what the nearest supported world has otherwise: it shows what the fault is."""
        worlds = self.noise.worlds[:1] if self.noise.origin == "natural" else ()
        return tuple(change for world in worlds for edit in world.edits for change in _changes(edit))

    @property
    def reworded(self) -> bool:
        """Whether the fault is in the question."""
        return self.clean.question != self.noise.question

    def as_dict(self) -> dict[str, Any]:
        """For `--json`: both rows whole, and the words that explain them."""
        return {
            "pair_id": self.clean.pair_id,
            "clean": self.clean.model_dump(mode="json"),
            "noise": self.noise.model_dump(mode="json"),
            "changes": [vars(change) for change in self.changes],
            "evidence": self.evidence,
            "promise": self.promise,
        }

    def text(self, width: int = 120) -> str:
        """As plain text of that width."""
        console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False)
        with console.capture() as captured:
            console.print(self)
        return captured.get()

    def __rich__(self) -> RenderableType:
        row = self.noise
        head = Text.assemble(
            (f"Pair {row.pair_id}", "bold"),
            f"  {row.intent}, {row.scope}, {row.level} level\n",
            f"{row.operator}, severity {row.severity}, {row.origin}; template {row.template}; {row.split} split\n",
            f"clean task {self.clean.task_id}, noise task {row.task_id}",
        )
        parts: list[RenderableType] = [head, self._questions(), self._overlay()]
        parts += [_section("Promise", self.promise), _section("Evidence of an abstention", self.evidence)]
        if self.clean.records:
            parts.append(_records(self.clean.records))
        parts.append(_statement("Reference SQL", self.clean.reference_sql))
        if self.noise.reference_sql != self.clean.reference_sql:
            parts.append(_statement("Reference SQL of the noise task", self.noise.reference_sql))
        if self.noise.witness_sql:
            parts.append(_statement("Witness SQL: run it, and see", self.noise.witness_sql))
        return Group(*parts)

    def _questions(self) -> RenderableType:
        grid = Grid("", "clean", "noise", show_lines=True, expand=True)
        noisy = self.noise.question if self.reworded else "the same question"
        grid.add_row("question", Text(self.clean.question), Text(noisy))
        contract = self.clean.answer.contract
        noisy = self.noise.answer.contract
        grid.add_row("asked for", Text(contract), Text("the same" if noisy == contract else noisy))
        grid.add_row("answer", Text(self.clean_answer), Text(self.noise_answer))
        return grid

    def _overlay(self) -> RenderableType:
        title = "What was done to the record"
        if self.noise.origin == "natural":
            said = _section(title, "Nothing. The fault stands in the hospital, and was found there.")
            if not self.mended:
                return said
            return Group(said, _changed("With this it would have an answer (a supported world)", self.mended))
        if not self.changes:
            return _section(title, "Nothing. The fault is in the question.")
        return _changed(title, self.changes)


def show(release: Release, name: str) -> Shown:
    """The pair of that id, of that task's id, or the only one that begins like that.

    Raises:
        InputError: There is no such pair, or there are several.
    """
    return describe(release.pair(name))


def describe(pair: Pair) -> Shown:
    """A pair, with its overlay, promise and evidence rule in words."""
    changes = tuple(change for edit in pair.noise.overlay.edits for change in _changes(edit))
    return Shown(pair, changes, evidence_rule(pair.noise), PROMISES[pair.noise.promise])


def answer(row: GoldRow) -> str:
    """The gold answer of a task in words, with its unit.

    A list is cut after five entries.
    """
    gold = row.gold
    if gold is None:
        return ABSTAIN
    if isinstance(gold, bool):
        return "yes" if gold else "no"
    if isinstance(gold, list):
        some = "; ".join(_entry(part) for part in gold[:5])
        return (some or "the empty list") + (f"; and {len(gold) - 5} more" if len(gold) > 5 else "")
    return _entry(gold) + (f" {row.answer.unit}" if row.answer.unit else "")


def evidence_rule(row: GoldRow) -> str:
    """What an abstention must have seen to count, in words."""
    if row.gold is not None:
        return "None: this task is to be answered."
    n = len(row.worlds)
    if row.level is Level.QUERY and not n:
        return f"A successful look at the columns of {_and(row.schema_evidence)}." if row.schema_evidence else "None."
    # Where the fault was laid over the record the hospital without it is a supported world itself.
    clean = "the clean hospital" if row.clean_answers else ""
    other = "other " if clean else ""
    others = "" if not n else f"one {other}supported world" if n == 1 else f"each of {n} {other}supported worlds"
    worlds = " and in ".join(filter(None, (clean, others)))
    return (
        f"A call that shows something else than the same call would show in {worlds}; the difference lies "
        "in the records asked about, and who they belong to is named or shown."
    )


def _changes(edit: Edit) -> Iterable[Change]:
    match edit:
        case Update():
            for column in _ordered(edit.table, edit.after):
                yield Change(edit.table, _which(edit), column, _value(edit.before[column]), _value(edit.after[column]))
        case Delete():
            yield Change(edit.table, _which(edit), "the record", _cells(edit.table, edit.before), "gone")
        case Insert():
            patient = "" if edit.subject_id is None else f", patient {edit.subject_id}"
            yield Change(edit.table, f"a new one{patient}", "the record", "not there", _cells(edit.table, edit.after))
        case UpdateWhere():
            for column in _ordered(edit.table, edit.put):
                yield Change(edit.table, f"every one where {edit.where}", column, "as it was", edit.put[column])
        case DeleteWhere():
            yield Change(edit.table, f"every one where {edit.where}", "the record", "there", "gone")
        case CopyWhere():
            put = ", ".join(f"{column} = {edit.put[column]}" for column in _ordered(edit.table, edit.put))
            after = f"there twice, the second with {put}" if put else "there twice"
            yield Change(edit.table, f"every one where {edit.where}", "the record", "there once", after)


def _which(edit: Update | Delete) -> str:
    return f"row {edit.row}" + ("" if edit.subject_id is None else f", patient {edit.subject_id}")


def _ordered(table: str, columns: Iterable[str]) -> list[str]:
    """Columns in the table's own order."""
    names = TABLES[table].names
    return sorted(columns, key=lambda column: names.index(column) if column in names else len(names))


def _cells(table: str, values: dict[str, Value]) -> str:
    return ", ".join(f"{column} {_value(values[column])}" for column in _ordered(table, values))


def _value(value: Value) -> str:
    return "NULL" if value is None else value if isinstance(value, str) else canonical(value)


def _entry(part: Any) -> str:
    if isinstance(part, dict):
        return ", ".join(f"{name} {_entry(value)}" for name, value in part.items())
    return _value(part)


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _records(records: tuple[Records, ...]) -> RenderableType:
    grid = Grid("selection", "role", "table", "records", "which", title="Associated records", title_justify="left")
    for found in records:
        rows = ", ".join(map(str, found.rows[:20])) + (f" and {len(found.rows) - 20} more" if found.rows[20:] else "")
        which = f"rows {rows}" if found.rows else found.where or "none"
        grid.add_row(*(Text(str(part)) for part in (found.selection, found.role, found.table, found.n, which)))
    return grid


def _changed(title: str, changes: Iterable[Change]) -> RenderableType:
    grid = Grid("table", "record", "column", "before", "after", title=title, title_justify="left", expand=True)
    for change in changes:
        grid.add_row(*(Text(str(part)) for part in vars(change).values()))
    return grid


def _section(title: str, text: str) -> RenderableType:
    return Text.assemble((f"\n{title}. ", "bold"), text)


def _statement(title: str, sql: str) -> RenderableType:
    return Panel(Syntax(sql, "sql", word_wrap=True, background_color="default"), title=title, title_align="left")
