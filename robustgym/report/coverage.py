"""What every operator makes of every template: candidates, pairs, drops, bite; and what a release rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from schemas.noise import Level, Promise
from schemas.pairs import Condition, GoldRow, Split
from schemas.questions import Intent, Scope
from schemas.release import Covered, Profile

FEW = 2
"""An outcome of a level that fewer operators lead to is the mark of one operator, not of an outcome."""

Column = tuple[Intent, Scope]

COLUMNS: tuple[Column, ...] = tuple(product(Intent, Scope))
"""The twelve cells of a level."""


@dataclass(frozen=True)
class Tally:
    """Candidates, and what became of them."""

    candidates: int = 0
    kept: int = 0
    bites: int = 0
    published: int = 0

    @property
    def share(self) -> float:
        """Share of the candidates that were kept."""
        return self.kept / self.candidates if self.candidates else 0.0

    @property
    def bite_rate(self) -> float | None:
        """Share of the kept pairs where whoever takes the record as it is goes wrong; None without pairs."""
        return self.bites / self.kept if self.kept else None


@dataclass(frozen=True)
class SeverityOf:
    """One severity of an operator."""

    name: str
    promise: Promise
    tally: Tally
    dropped: tuple[tuple[str, int], ...]
    """By reason, the commonest first."""


@dataclass(frozen=True)
class OperatorOf:
    """One operator over all templates."""

    name: str
    level: Level
    tally: Tally
    cells: Mapping[Column, Tally]
    severities: tuple[SeverityOf, ...]


@dataclass(frozen=True)
class Outcome:
    """What becomes of the answer at one level."""

    level: Level
    promise: Promise
    pairs: int
    operators: tuple[str, ...]

    @property
    def few(self) -> bool:
        """Whether too few operators lead to it."""
        return len(self.operators) < FEW


def tally(rows: Iterable[Covered]) -> Tally:
    """What became of the candidates of these rows together."""
    rows = tuple(rows)
    return Tally(
        sum(row.candidates for row in rows),
        sum(row.kept for row in rows),
        sum(row.bites for row in rows),
        sum(row.published for row in rows),
    )


def by_operator(rows: Iterable[Covered]) -> tuple[OperatorOf, ...]:
    """The operators that were tried, by level and name."""
    found: dict[tuple[int, str], list[Covered]] = {}
    for row in rows:
        found.setdefault((list(Level).index(row.level), row.operator), []).append(row)
    return tuple(_operator(name, of) for (_, name), of in sorted(found.items(), key=lambda item: item[0]))


def _operator(name: str, rows: Sequence[Covered]) -> OperatorOf:
    severities = dict.fromkeys(row.severity for row in rows)
    cells = {column: [row for row in rows if (row.intent, row.scope) == column] for column in COLUMNS}
    return OperatorOf(
        name,
        rows[0].level,
        tally(rows),
        {column: tally(of) for column, of in cells.items() if of},
        tuple(_severity(severity, [row for row in rows if row.severity == severity]) for severity in severities),
    )


def _severity(name: str, rows: Sequence[Covered]) -> SeverityOf:
    return SeverityOf(name, rows[0].promise, tally(rows), dropped(rows))


def dropped(rows: Iterable[Covered]) -> tuple[tuple[str, int], ...]:
    """Drops by reason, the commonest first."""
    reasons: Counter[str] = Counter()
    for row in rows:
        reasons.update(row.dropped)
    return tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def by_template(rows: Iterable[Covered]) -> tuple[tuple[str, Tally, tuple[Covered, ...]], ...]:
    """The templates, each with all that was tried on it."""
    found: dict[str, list[Covered]] = {}
    for row in rows:
        found.setdefault(row.template, []).append(row)
    return tuple((name, tally(of), tuple(of)) for name, of in sorted(found.items()))


def lone(rows: Iterable[GoldRow]) -> tuple[tuple[str, str, int], ...]:
    """Cells whose pairs all come from one operator, with the operator and how many pairs they are.

    A score on such a cell is a score on one fault, not on a level.
    """
    makers: dict[tuple[Split, Intent, Scope, Level], Counter[str]] = {}
    for row in rows:
        if row.condition is Condition.NOISE:
            makers.setdefault((row.split, row.intent, row.scope, row.level), Counter())[row.operator] += 1
    return tuple(
        (", ".join(cell), *next(iter(found.items())))
        for cell, found in sorted(makers.items(), key=lambda item: tuple(item[0]))
        if len(found) == 1
    )


def outcomes(rows: Iterable[GoldRow], profile: Profile) -> tuple[Outcome, ...]:
    """What becomes of the answer at each level, for the outcomes that the profile publishes."""
    pairs: Counter[tuple[Level, Promise]] = Counter()
    makers: dict[tuple[Level, Promise], set[str]] = {}
    for row in rows:
        if row.condition is Condition.NOISE:
            pairs[row.level, row.promise] += 1
            makers.setdefault((row.level, row.promise), set()).add(row.operator)
    return tuple(
        Outcome(level, promise, pairs[level, promise], tuple(sorted(makers.get((level, promise), ()))))
        for level, promise in product(Level, profile.promises)
    )
