"""Further candidates for cells that the first ones leave short: where few operators apply, those that do make more.

A cell may be short of pairs, or of pairs of one promise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product

from assets.pairs.asking import Progress, Questions
from assets.pairs.noising import Candidates, Group, build_pairs
from assets.pairs.selecting import cell_of
from noise_ops import Operator
from robustgym.hospital import Hospital
from schemas.concepts import Concepts
from schemas.noise import Promise
from schemas.pairs import Pair
from schemas.release import Cell, Profile

HELPINGS = 3
"""Times that a short cell is served again."""

MORE = 1.3
"""Pairs made for each that lacks: some questions are taken by other cells."""


def second_helpings(
    candidates: Mapping[str, Candidates],
    operators: Mapping[str, Operator],
    questions: Questions,
    hospital: Hospital,
    concepts: Concepts,
    profile: Profile,
    seed: int,
    progress: Progress | None = None,
) -> tuple[Candidates, ...]:
    """Put operators to questions they were not tried on, in the cells that lack pairs.

    Args:
        candidates: What each operator made, by its name.
        operators: The operators, by name.
        questions: All clean questions of the build.
        hospital: The clean hospital.
        concepts: The curated concepts this source has.
        profile: How many pairs each cell is to have.
        seed: Seed of the release.
        progress: Called as the work goes on.

    Returns:
        What they made beyond that, one for each operator and helping.
    """
    have = Counter(_kind(pair) for made in candidates.values() for pair in made.pairs)
    tried = {name: _put_to(made) for name, made in candidates.items()}
    fruitful = {name: Counter(_kind(pair) for pair in made.pairs) for name, made in candidates.items()}
    served: list[Candidates] = []
    for _ in range(HELPINGS):
        orders: dict[tuple[str, Promise], dict[Group, int]] = {}
        for (cell, wanted), promise in product(profile.wanted().items(), profile.promises):
            split, intent, scope, _ = cell
            lacking = _share(profile, promise, wanted) - have[cell, promise]
            able = [name for name in operators if fruitful[name][cell, promise]]
            for name in able if lacking > 0 else ():
                orders.setdefault((name, promise), {})[intent, scope, split] = 1 + int(MORE * lacking / len(able))
        if not orders:
            break
        for (name, promise), sizes in sorted(orders.items()):
            made = build_pairs(
                operators[name],
                questions,
                hospital,
                concepts,
                profile.model_copy(update={"promises": (promise,)}),
                seed,
                progress,
                sizes=sizes,
                beyond=tried[name],
            )
            tried[name] |= {group: n for group, n in _put_to(made).items() if group in sizes}
            have.update(_kind(pair) for pair in made.pairs)
            served.append(made)
    return tuple(served)


def _kind(pair: Pair) -> tuple[Cell, Promise]:
    return cell_of(pair), pair.clean.promise


def _share(profile: Profile, promise: Promise, wanted: int) -> int:
    """Pairs of a promise that a cell is to have, of so many in all."""
    if promise is Promise.ABSTENTION:
        return profile.abstentions_of(wanted)
    return -(-wanted // len(profile.promises))


def _put_to(made: Candidates) -> dict[Group, int]:
    return {(intent, scope, split): n for intent, scope, split, n in made.put_to}
