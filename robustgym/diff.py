"""What is different between two versions of a release, and whether their scores may be compared.

MAJOR: ids, layout, source or the meaning of gold answers change, or test pairs go: scores are not comparable. MINOR:
pairs come. PATCH: answers or texts are corrected, listed by id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from robustgym.gold import canonical
from robustgym.release import Release
from robustgym.report.numbers import counted
from schemas.pairs import Pair, Split
from schemas.release import Manifest


class Bump(IntEnum):
    """Which part of the version has to rise."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


_PARTS: Mapping[str, tuple[str, ...]] = {
    "question": ("question",),
    "contract": ("answer",),
    "gold": ("gold",),
    "overlay": ("overlay", "worlds", "schema_evidence"),
    "reference": ("reference_sql", "naive_sql", "bites", "records", "witness_sql", "tables"),
    "ids": ("task_id", "split", "condition"),
    "label": ("intent", "scope", "level", "operator", "severity", "origin", "template", "parameters", "promise"),
}
"""What can change of a task, by the fields that hold it."""


@dataclass(frozen=True)
class Changed:
    """A pair that both versions have, not the same."""

    pair_id: str
    split: Split
    parts: tuple[str, ...]
    """Which of question, contract, gold, overlay, reference, ids, label."""


@dataclass(frozen=True)
class Difference:
    """Two versions, compared."""

    old: str
    new: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Changed, ...]
    cells: Mapping[str, tuple[int, int]]
    """Pairs before and after, for the cells where they differ, as `split/intent/scope/level`."""
    reasons: tuple[tuple[Bump, str], ...]
    """Why the version has to rise, the gravest first."""
    said: Bump
    """How far it did rise."""
    silenced: int
    """Tasks that were to be answered and are now to be abstained from."""
    voiced: int
    """The other way round."""

    @property
    def needed(self) -> Bump:
        """How far the version has to rise."""
        return self.reasons[0][0] if self.reasons else Bump.NONE

    @property
    def comparable(self) -> bool:
        """Whether a score on one may stand beside a score on the other, on the test tasks that both have unchanged."""
        return self.needed < Bump.MAJOR

    @property
    def honest(self) -> bool:
        """Whether the version rose as far as it had to."""
        return self.said >= self.needed

    @property
    def what(self) -> str:
        """What changed, as a sentence."""
        if not self.reasons:
            return f"nothing since {self.old}."
        return f"since {self.old}: " + "; ".join(reason for _, reason in self.reasons) + "."

    @property
    def which(self) -> str:
        """Which questions changed."""
        parts = [
            f"{counted(len(ids), 'pair')} {verb} ({_some(ids)})"
            for verb, ids in (
                ("added", self.added),
                ("removed", self.removed),
                ("changed", [c.pair_id for c in self.changed]),
            )
            if ids
        ]
        return "; ".join(parts) + "." if parts else "none."

    @property
    def direction(self) -> str:
        """Which way scores may move, as far as the gold answers tell."""
        if not (self.silenced or self.voiced):
            return "no task changes between answering and abstaining."
        return (
            f"tasks that were to be answered and are now to be abstained from: {self.silenced}; the other way round: "
            f"{self.voiced}."
        )

    @property
    def regrade(self) -> str:
        """How to bring an old run up to date."""
        match self.needed:
            case Bump.NONE:
                return "nothing to re-grade."
            case Bump.MAJOR:
                return "run again; scores on the two versions are not comparable."
        rerun = [c.pair_id for c in self.changed if {"question", "overlay"} & set(c.parts)]
        regrade = [c.pair_id for c in self.changed if c.pair_id not in rerun]
        steps = []
        if regrade:
            steps.append(f"judge the stored transcripts of {_some(regrade)} again")
        if rerun:
            steps.append(f"run the tasks of {_some(rerun)} again")
        if self.added or self.removed:
            steps.append("compare on the test tasks that both versions have")
        return "; ".join(steps) + "."

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "old": self.old,
            "new": self.new,
            "comparable": self.comparable,
            "needed": self.needed.name.lower(),
            "said": self.said.name.lower(),
            "reasons": [reason for _, reason in self.reasons],
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [{"pair_id": c.pair_id, "split": c.split, "parts": list(c.parts)} for c in self.changed],
            "cells": {cell: {"old": a, "new": b} for cell, (a, b) in self.cells.items()},
            "direction": self.direction,
            "regrade": self.regrade,
        }

    def __rich__(self) -> Group:
        verdict = "comparable on the test tasks both have unchanged" if self.comparable else "not comparable"
        parts: list[Any] = [
            Text(f"{self.old} → {self.new}", style="bold"),
            Text(f"Scores: {verdict}."),
            Text(f"What changed: {self.what}"),
            Text(f"Which questions: {self.which}"),
            Text(f"Direction: {self.direction}"),
            Text(f"How to re-grade: {self.regrade}"),
        ]
        if not self.honest:
            rose = f"rose by a {self.said.name.lower()} step" if self.said else "did not rise"
            parts.append(
                Text(f"The version {rose}; what changed asks for a {self.needed.name.lower()} step.", style="bold")
            )
        if self.changed:
            table = Table("pair", "split", "what changed", title="Changed pairs", title_justify="left")
            for change in self.changed:
                table.add_row(change.pair_id, change.split, ", ".join(change.parts))
            parts.append(table)
        if self.cells:
            table = Table("cell", "before", "after", title="Pairs by cell", title_justify="left")
            for cell, (before, after) in self.cells.items():
                table.add_row(cell, str(before), str(after))
            parts.append(table)
        return Group(*parts)


def diff(old: Release, new: Release) -> Difference:
    """Compare two releases.

    Raises:
        InputError: One of them is damaged.
    """
    return difference(old.manifest, old.pairs(), new.manifest, new.pairs())


def difference(old: Manifest, old_pairs: Iterable[Pair], new: Manifest, new_pairs: Iterable[Pair]) -> Difference:
    """Compare two releases, each by its manifest and its pairs."""
    before = {pair.clean.pair_id: pair for pair in old_pairs}
    after = {pair.clean.pair_id: pair for pair in new_pairs}
    added = tuple(sorted(after.keys() - before.keys()))
    removed = tuple(sorted(before.keys() - after.keys()))
    changed = tuple(
        Changed(pair_id, after[pair_id].clean.split, parts)
        for pair_id in sorted(before.keys() & after.keys())
        if (parts := _parts(before[pair_id], after[pair_id]))
    )
    turned = Counter(
        (a.gold is None, b.gold is None)
        for pair_id in before.keys() & after.keys()
        for a, b in zip(before[pair_id], after[pair_id], strict=True)
    )
    old_cells, new_cells = (Counter(pair.clean.cell for pair in pairs.values()) for pairs in (before, after))
    return Difference(
        old=f"{old.name}-{old.version}",
        new=f"{new.name}-{new.version}",
        added=added,
        removed=removed,
        changed=changed,
        cells={
            cell: (old_cells[cell], new_cells[cell])
            for cell in sorted(old_cells.keys() | new_cells.keys())
            if old_cells[cell] != new_cells[cell]
        },
        reasons=_reasons(old, new, [before[i] for i in removed], [after[i] for i in added], changed),
        said=_said(old.version, new.version),
        silenced=turned[False, True],
        voiced=turned[True, False],
    )


def _parts(old: Pair, new: Pair) -> tuple[str, ...]:
    before, after = (tuple(row.model_dump(mode="json") for row in pair) for pair in (old, new))
    return tuple(
        part
        for part, names in _PARTS.items()
        if any(canonical(a[n]) != canonical(b[n]) for a, b in zip(before, after, strict=True) for n in names)
    )


def _reasons(
    old: Manifest, new: Manifest, removed: list[Pair], added: list[Pair], changed: tuple[Changed, ...]
) -> tuple[tuple[Bump, str], ...]:
    lost = sum(pair.clean.split is Split.TEST for pair in removed)
    ids = sum("ids" in c.parts for c in changed)
    contracts = sum("contract" in c.parts for c in changed)
    patched = sum(bool(set(c.parts) - {"ids", "contract"}) for c in changed)
    found = (
        (Bump.MAJOR, "another release by name", old.name != new.name),
        (Bump.MAJOR, "another layout", old.schema_version != new.schema_version),
        (Bump.MAJOR, "another source", old.source.fingerprint != new.source.fingerprint),
        (Bump.MAJOR, f"{counted(lost, 'test pair')} gone", lost),
        (Bump.MAJOR, f"ids or split changed of {counted(ids, 'pair')}", ids),
        (Bump.MAJOR, f"contract changed of {counted(contracts, 'pair')}", contracts),
        (Bump.MINOR, f"{counted(len(removed) - lost, 'training pair')} gone", len(removed) - lost),
        (Bump.MINOR, f"{counted(len(added), 'new pair')}", len(added)),
        (Bump.PATCH, f"{counted(patched, 'pair')} corrected", patched),
    )
    return tuple((bump, reason) for bump, reason, holds in found if holds)


def _said(old: str, new: str) -> Bump:
    """How far the version rose. Versions are digits and dots; what is missing counts as 0."""
    width = max(3, len(old.split(".")), len(new.split(".")))
    before, after = ([*map(int, v.split(".")), *[0] * width][:width] for v in (old, new))
    if after <= before:
        return Bump.NONE
    part = next(i for i in range(width) if before[i] != after[i])
    return (Bump.MAJOR, Bump.MINOR, Bump.PATCH)[min(part, 2)]


def _some(ids: Iterable[str]) -> str:
    """All ids of a short list; the first five of a long one, and how many more."""
    ids = list(ids)
    return (
        ", ".join(ids)
        if len(ids) <= 20
        else f"{', '.join(ids[:5])} and {len(ids) - 5} more: `robustgym diff` lists them"
    )
