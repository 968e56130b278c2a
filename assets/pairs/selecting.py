"""The balanced set of pairs that is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from assets.pairs.identity import digest
from assets.pairs.noising import Candidates
from schemas.noise import Level
from schemas.pairs import Pair, Split
from schemas.questions import Intent, Scope
from schemas.release import Drop, Profile

Cell = tuple[Split, Intent, Scope, Level]


@dataclass(frozen=True)
class Selection:
    """The pairs of a release, and what was not taken."""

    pairs: tuple[Pair, ...]
    """Sorted by pair id."""
    drops: tuple[Drop, ...]
    short: tuple[tuple[str, str], ...]
    """Cells with fewer pairs than the profile asks for, and how many they have."""


def select(candidates: Iterable[Candidates], profile: Profile, seed: int) -> Selection:
    """Take the profile's number of pairs for each cell and split.

    Within a cell the next pair is always one whose clean question no pair has yet, then of the promise, the operator,
    the template and the concept that the cell has least of; ties go by a hash of the pair's name and the seed.
    """
    waiting: dict[Cell, list[Pair]] = {}
    for pair in sorted((p for c in candidates for p in c.pairs), key=lambda p: digest(seed, p.clean.pair_id)):
        row = pair.clean
        waiting.setdefault((row.split, row.intent, row.scope, row.level), []).append(pair)
    taken: list[Pair] = []
    short: list[tuple[str, str]] = []
    used: Counter[str] = Counter()
    wanted = {Split.TEST: profile.test_pairs_per_cell, Split.TRAIN: profile.train_pairs_per_cell}
    # The test split chooses first, and the levels of a cell share its questions: so they take turns, cell by cell.
    for split, intent, scope, level in product((Split.TEST, Split.TRAIN), Intent, Scope, Level):
        left = waiting.pop((split, intent, scope, level), [])
        seen: Counter[tuple[str, object]] = Counter()
        n = 0
        while left and n < wanted[split]:
            best = min(left, key=lambda pair: _need(pair, used, seen))
            left.remove(best)
            taken.append(best)
            used[best.clean.question] += 1
            seen.update(_traits(best))
            n += 1
        if n < wanted[split]:
            short.append((f"{split}, {intent}, {scope}, {level}", f"{n} of {wanted[split]} pairs"))
        waiting[split, intent, scope, level] = left
    surplus = Counter(
        (p.clean.intent, p.clean.scope, p.clean.template, p.clean.operator, p.clean.severity)
        for pairs in waiting.values()
        for p in pairs
    )
    return Selection(
        pairs=tuple(sorted(taken, key=lambda pair: pair.clean.pair_id)),
        drops=tuple(
            Drop(
                stage="selection",
                intent=intent,
                scope=scope,
                template=template,
                operator=operator,
                severity=severity,
                reason="not needed: the cell is full",
                n=n,
            )
            for (intent, scope, template, operator, severity), n in sorted(surplus.items())
        ),
        short=tuple(short),
    )


def _traits(pair: Pair) -> tuple[tuple[str, object], ...]:
    row = pair.clean
    return (
        ("promise", row.promise),
        ("operator", row.operator),
        ("template", row.template),
        ("concept", row.parameters.get("concept")),
    )


def _need(pair: Pair, used: Counter[str], seen: Counter[tuple[str, object]]) -> tuple[int, ...]:
    """How little a cell needs this pair: smallest first."""
    return (used[pair.clean.question], *(seen[trait] for trait in _traits(pair)))
