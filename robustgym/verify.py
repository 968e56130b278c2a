"""Is a release what it says it is? All that is wrong, as sentences; with the hospital, every answer derived again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Group
from rich.text import Text

from robustgym import consistency, yardsticks
from robustgym.gold import GoldError, canonical, gold_from_rows
from robustgym.hospital import Hospital
from robustgym.release import Release
from robustgym.report.numbers import words
from robustgym.warehouse import Progress, Warehouse
from schemas.errors import InputError
from schemas.pairs import Condition, GoldRow, Pair


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    failures: tuple[str, ...]
    """A sentence for everything that is wrong."""
    skipped: str = ""
    """Why it was not checked; empty if it was."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong. What was skipped is not wrong."""
        return not self.failures


@dataclass(frozen=True)
class VerifyReport:
    """Everything that was checked of a release."""

    release: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...]
    """What a reader should know and is no fault: cells that are short, checks that need the hospital."""

    @property
    def ok(self) -> bool:
        """Whether the release is what it says it is."""
        return all(check.ok for check in self.checks)

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong, in the order it was found."""
        return tuple(failure for check in self.checks for failure in check.failures)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "release": self.release,
            "ok": self.ok,
            "checks": [
                {"name": c.name, "ok": c.ok, "failures": list(c.failures), "skipped": c.skipped} for c in self.checks
            ],
            "notes": list(self.notes),
        }

    def __rich__(self) -> Group:
        lines = [Text(self.release, style="bold")]
        for check in self.checks:
            state = "skipped" if check.skipped else "ok" if check.ok else f"{len(check.failures)} wrong"
            lines.append(Text(f"{state:>10}  {check.name}" + (f" ({check.skipped})" if check.skipped else "")))
            lines += [Text(f"{'':12}{failure}") for failure in check.failures]
        lines += [Text(f"{'note':>10}  {note}") for note in self.notes]
        lines.append(Text("The release is what it says it is." if self.ok else "The release does not hold.", "bold"))
        return Group(*lines)


def verify(
    release: Release, warehouse: Warehouse | Path | None = None, progress: Progress | None = None
) -> VerifyReport:
    """Check a release, and go on whatever is found.

    Args:
        release: The release.
        warehouse: The staged tables of its source. Without them no reference is run again.
        progress: Told how far it has come.

    Raises:
        InputError: There is no warehouse there. What is wrong with the release itself is in the report.
    """
    found: tuple[Pair, ...] = ()

    def pairs() -> tuple[Pair, ...]:
        nonlocal found
        found = found or release.pairs()
        return found

    steps: tuple[tuple[str, Callable[[], Iterable[str]]], ...] = (
        ("checksums", lambda: consistency.checksums(release)),
        ("canary", lambda: consistency.canary(release)),
        ("schemas", lambda: consistency.documents(release)),
        ("tasks and gold agree", lambda: consistency.tasks(release)),
        ("ids reveal nothing", lambda: consistency.ids(release.rows)),
        ("pairs and promises", lambda: consistency.pairs(pairs())),
        ("splits share nothing", lambda: consistency.splits(release.rows)),
        ("balance", lambda: consistency.balance(release.manifest, pairs())),
    )
    checks = []
    for number, (name, step) in enumerate(steps):
        if progress:
            progress(name, number, len(steps))
        checks.append(Check(name, _all(step)))
    notes = list(consistency.short_cells(release.manifest))
    if warehouse is None:
        notes.append("No reference was run again: that needs the source.")
        checks += [Check(name, (), "no source was given") for name in ("source", *_WITH_HOSPITAL)]
    else:
        warehouse = warehouse if isinstance(warehouse, Warehouse) else Warehouse.open(warehouse)
        source = tuple(same_source(release, warehouse))
        checks.append(Check("source", source))
        if source:
            # On another hospital every answer would be off, and none of it would be news.
            checks += [Check(name, (), "the source is another") for name in _WITH_HOSPITAL]
        else:
            with Hospital.open(warehouse) as hospital:
                for name, run in _WITH_HOSPITAL.items():
                    checks.append(Check(name, _all(partial(run, pairs, hospital, progress))))
    return VerifyReport(f"{release.manifest.name} {release.manifest.version}", tuple(checks), tuple(notes))


def same_source(release: Release, warehouse: Warehouse) -> Iterator[str]:
    """The warehouse holds the records the release was made from."""
    source = release.manifest.source
    if gone := sorted(source.tables.keys() - warehouse.tables):
        yield f"The warehouse {warehouse.path} lacks {', '.join(gone)}."
    if more := sorted(warehouse.tables - source.tables.keys()):
        yield f"The warehouse {warehouse.path} has {', '.join(more)}, which the release was made without."
    if not (gone or more) and warehouse.fingerprint != source.fingerprint:
        yield (
            f"The warehouse {warehouse.path} holds other records: its fingerprint is {warehouse.fingerprint[:12]}…, "
            f"the release was made from {source.fingerprint[:12]}… ({source.kind}, version {source.version})."
        )


def references(pairs: Iterable[Pair], hospital: Hospital, progress: Progress | None = None) -> Iterator[str]:
    """Every reference, run again on both hospitals, gives the gold answer that was published.

    The clean task runs through the shape of the pair's overlay with nothing changed, as an agent gets it.
    """
    tasks = tuple(consistency.conditions(pairs))
    for number, (condition, row, noise) in enumerate(tasks):
        if progress:
            progress("references", number, len(tasks))
        try:
            with hospital.session(noise.overlay, placebo=condition is Condition.CLEAN) as session:
                columns, rows = session.fetch(row.reference_sql)
            gold = gold_from_rows(row.answer, columns, rows)
        except (duckdb.Error, GoldError, InputError) as error:
            yield f"{_name(row)}: its reference fails: {str(error).splitlines()[0]}."
            continue
        if canonical(gold) != canonical(row.gold):
            was, is_ = _cut(canonical(row.gold)), _cut(canonical(gold))
            yield f"{_name(row)}: its reference gives {is_}, published is {was}."


def proof(pairs: Iterable[Pair], hospital: Hospital, progress: Progress | None = None) -> Iterator[str]:
    """The oracle is right on every task, through the tools and the verifier any agent meets; silence on none."""
    rows = [row for pair in pairs for row in pair]

    def working(done: int, total: int) -> None:
        if progress:
            progress("yardsticks", done, total)

    for name, verdicts in yardsticks.failures(rows, hospital, working).items():
        for verdict in verdicts:
            yield f"Task {verdict.task_id}: {words(name)} should score {yardsticks.DUE[name]:.0f}. {verdict.reason}"


_WITH_HOSPITAL: Mapping[str, Callable[[Callable[[], Iterable[Pair]], Hospital, Progress | None], Iterator[str]]] = {
    "references on both hospitals": lambda pairs, hospital, progress: references(pairs(), hospital, progress),
    "oracle and silence": lambda pairs, hospital, progress: proof(pairs(), hospital, progress),
}
"""The checks that need the hospital. Pairs are read inside, so that a damaged release is a finding."""


def _all(step: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """Everything a check finds; a file it cannot read is a finding too."""
    failures: list[str] = []
    try:
        failures.extend(step())
    except InputError as error:
        failures += [f"{problem}." for problem in error.problems]
    return tuple(failures)


def _name(row: GoldRow) -> str:
    return f"Pair {row.pair_id}, {row.condition} task {row.task_id}"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
