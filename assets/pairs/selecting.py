"""The balanced set of pairs that is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assets.pairs.balancing import most
from assets.pairs.holding_out import HeldOut
from assets.pairs.identity import digest
from assets.pairs.noising import Candidates
from robustgym.gold import canonical
from schemas.noise import Promise
from schemas.pairs import Pair, Split
from schemas.release import Cell, Drop, Profile


@dataclass(frozen=True)
class Selection:
    """The pairs of a release, and what was not taken."""

    pairs: tuple[Pair, ...]
    """Sorted by pair id."""
    drops: tuple[Drop, ...]
    short: tuple[tuple[str, str], ...]
    """Cells with fewer pairs than the profile asks for, and how many they have."""
    more: tuple[Candidates, ...] = ()
    """What operators made beyond their first candidates, for cells that were short."""
    reworded: tuple[tuple[str, int], ...] = ()
    """How many pairs a model reworded, and why not the others; empty where none was asked."""


def cell_of(pair: Pair) -> Cell:
    """The cell a pair counts in."""
    row = pair.clean
    return row.split, row.intent, row.scope, row.level


def select(
    candidates: Iterable[Candidates],
    profile: Profile,
    seed: int,
    held_out: HeldOut,
    more: tuple[Candidates, ...] = (),
    without: frozenset[str] = frozenset(),
) -> Selection:
    """Take the profile's number of pairs.

    Every cell of the test split gets the same number. The train split's go round, to whichever cell has fewest, until
    there are enough: what one cell cannot carry, others do.

    Of the natural pairs a cell takes the profile's share first, at least one; beyond that only what injected ones leave
    empty. Within a cell the next pair is always one whose clean question no pair has yet; then one whose answer its
    template does not have too often already; then one that shows a template or a concept held out for the test split;
    then of the promise, the operator, the template and the concept that the cell has least of; ties go by a hash of the
    pair's name and the seed. Never does a cell hold more abstentions than the profile allows: it stays short instead.

    Args:
        candidates: What the operators made.
        profile: How many pairs are wanted.
        seed: Seed of the release.
        held_out: Templates and concepts of the test split alone.
        more: Made beyond that for cells that were short.
        without: Ids of pairs that must not be taken.
    """
    waiting: dict[Cell, list[_Waiting]] = {}
    found = (p for made in (*candidates, *more) for p in made.pairs if p.clean.pair_id not in without)
    for pair in sorted(found, key=lambda p: digest(seed, p.clean.pair_id)):
        waiting.setdefault(cell_of(pair), []).append(_Waiting.of(pair, held_out))
    wanted = profile.wanted()
    chooser = _Chooser(waiting, profile, {cell: profile.natural_of(n) for cell, n in wanted.items()})
    # The test split chooses first, and the levels of a cell share its questions: so they take turns, cell by cell.
    for cell, n in wanted.items():
        if cell[0] is Split.TEST:
            chooser.take(cell, n)
    train = [cell for cell in wanted if cell[0] is Split.TRAIN]
    for _ in range(profile.train_pairs):
        open_cells = [cell for cell in train if chooser.open_to(cell)]
        if not open_cells:
            break
        chooser.take(min(open_cells, key=lambda cell: chooser.taken[cell]), 1)
    return Selection(
        pairs=tuple(sorted(chooser.pairs, key=lambda pair: pair.clean.pair_id)),
        drops=tuple(_surplus(waiting)),
        short=tuple(
            (", ".join(cell), f"{chooser.taken[cell]} of {n} pairs")
            for cell, n in wanted.items()
            if chooser.taken[cell] < n
        ),
        more=more,
    )


_ABSTENTION: tuple[str, object] = ("promise", Promise.ABSTENTION)


@dataclass(frozen=True)
class _Waiting:
    """A pair that may be taken, with what decides whether it is."""

    pair: Pair
    answer: str
    """The clean gold answer as text."""
    held_out: frozenset[str]
    """What it shows of the templates and concepts of the test split alone."""
    traits: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, pair: Pair, held_out: HeldOut) -> _Waiting:
        row = pair.clean
        named = frozenset({row.template, *map(str, row.parameters.values())})
        return cls(
            pair,
            canonical(row.gold),
            named & (held_out.templates | held_out.concepts),
            (
                ("promise", row.promise),
                ("operator", row.operator),
                ("template", row.template),
                ("concept", row.parameters.get("concept")),
            ),
        )


class _Chooser:
    """Takes pairs out of those that wait, one cell at a time."""

    def __init__(self, waiting: dict[Cell, list[_Waiting]], profile: Profile, natural: Mapping[Cell, int]) -> None:
        self._waiting = waiting
        self._profile = profile
        self._natural = Counter(natural)
        """Natural pairs that a cell still lacks."""
        self.pairs: list[Pair] = []
        self.taken: Counter[Cell] = Counter()
        self._used: Counter[str] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._shown: set[str] = set()
        self._seen: dict[Cell, Counter[tuple[str, object]]] = {}

    def take(self, cell: Cell, n: int) -> None:
        """Take up to `n` pairs for a cell."""
        seen = self._seen.setdefault(cell, Counter())
        for _ in range(n):
            left, places = self._waiting.get(cell, []), self.open_to(cell)
            if not places:
                return
            best = left.pop(min(places, key=lambda place: self._need(left[place], seen, cell)))
            row = best.pair.clean
            self.pairs.append(best.pair)
            self.taken[cell] += 1
            self._used[row.question] += 1
            self._natural[cell] -= row.origin == "natural"
            self._answers.update([(row.template, ""), (row.template, best.answer)])
            self._shown |= best.held_out
            seen.update(best.traits)

    def open_to(self, cell: Cell) -> Sequence[int]:
        """Places of the pairs that a cell may take: no abstention where it would have too many of them."""
        left, seen = self._waiting.get(cell, []), self._seen.get(cell, Counter())
        if seen[_ABSTENTION] < self._profile.abstentions_of(self.taken[cell] + 1):
            return range(len(left))
        return [place for place, waiting in enumerate(left) if _ABSTENTION not in waiting.traits]

    def _need(self, waiting: _Waiting, seen: Counter[tuple[str, object]], cell: Cell) -> tuple[int, ...]:
        """How little a cell needs this pair: smallest first."""
        natural = waiting.pair.clean.origin == "natural"
        return (
            (-1 if self._natural[cell] > 0 else 1) if natural else 0,
            self._used[waiting.pair.clean.question],
            self._guessable(waiting),
            -len(waiting.held_out - self._shown),
            *(seen[trait] for trait in waiting.traits),
        )

    def _guessable(self, waiting: _Waiting) -> int:
        """By how many the answer would be too frequent in its template."""
        row = waiting.pair.clean
        allowed = most(row.answer.kind, self._answers[row.template, ""] + 1)
        return max(0, self._answers[row.template, waiting.answer] + 1 - allowed)


def _surplus(waiting: dict[Cell, list[_Waiting]]) -> Iterator[Drop]:
    rows = (left.pair.clean for pairs in waiting.values() for left in pairs)
    left = Counter((row.intent, row.scope, row.template, row.operator, row.severity) for row in rows)
    for (intent, scope, template, operator, severity), n in sorted(left.items()):
        yield Drop(
            stage="selection",
            intent=intent,
            scope=scope,
            template=template,
            operator=operator,
            severity=severity,
            reason="not needed: the cell is full",
            n=n,
        )
