"""Do two runs differ? Paired tests over the tasks that both have worked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from robustgym.metrics.rates import pass_hat_k
from robustgym.metrics.tallies import Tally
from schemas.pairs import Condition

PERMUTATIONS = 10_000

Shared = list[tuple[Tally, Tally]]
"""Tasks that both runs have worked."""


@dataclass(frozen=True)
class Comparison:
    """Two runs over the tasks both have worked."""

    one: str
    other: str
    condition: str
    """Whose tasks are compared."""
    metric: str
    """`pass_at_1 (first trial)` or `pass_hat_k`."""
    tasks: int
    clusters: int
    """Patients, or population questions, that the tasks are of."""
    difference: float
    """One less the other, in the mean over tasks."""
    p: float
    """Two-sided; of a test that takes tasks (McNemar) or clusters (permutation) for independent."""
    p_adjusted: float
    """After Holm, over all comparisons made at once."""
    test: str


def compare(runs: Mapping[str, Sequence[Tally]], k: int = 1) -> tuple[Comparison, ...]:
    """Every pair of runs, tested for Pass@1 and for pass^k, on clean and on noise tasks.

    Args:
        runs: Their tasks by the run's name; at least two.
        k: pass^k is tested for this k.
    """
    made = [
        test(condition, one, other, _shared(runs[one], runs[other], condition), k)
        for one, other in combinations(sorted(runs), 2)
        for condition in Condition
        for test in (_mcnemar, _permutation)
    ]
    found = [comparison for comparison in made if comparison is not None]
    adjusted = holm([comparison.p for comparison in found])
    return tuple(
        Comparison(**{**vars(comparison), "p_adjusted": p}) for comparison, p in zip(found, adjusted, strict=True)
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P values that hold for all tests at once (Holm 1979), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: (p_values[place], place))
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def mcnemar(only_one: int, only_other: int) -> float:
    """Two-sided exact p value of McNemar's test: a sign test of the tasks on which the runs disagree.

    >>> mcnemar(8, 2), mcnemar(0, 0), mcnemar(5, 5)
    (0.109375, 1.0, 1.0)
    """
    n, fewer = only_one + only_other, min(only_one, only_other)
    if n == 0:
        return 1.0
    tail = sum(comb(n, i) for i in range(fewer + 1))
    return min(1.0, 2 * tail / (1 << n))


def _shared(one: Sequence[Tally], other: Sequence[Tally], condition: Condition) -> Shared:
    there = {task.task_id: task for task in other}
    return [(t, there[t.task_id]) for t in one if t.task_id in there and t.facts.condition is condition]


def _mcnemar(condition: Condition, one: str, other: str, shared: Shared, k: int) -> Comparison | None:
    """Exact, on the first trial of each task that both could be judged on."""
    both = []
    for task, twin in shared:
        mine = {e.trial: e.verdict.outcome.success for e in task.judged}
        theirs = {e.trial: e.verdict.outcome.success for e in twin.judged}
        if trials := mine.keys() & theirs.keys():
            both.append((task, mine[min(trials)], theirs[min(trials)]))
    if not both:
        return None
    only_one = sum(a and not b for _, a, b in both)
    only_other = sum(b and not a for _, a, b in both)
    p = mcnemar(only_one, only_other)
    difference = (only_one - only_other) / len(both)
    clusters = len({task.patient for task, *_ in both})
    test = "McNemar, exact"
    return Comparison(one, other, condition, "pass_at_1 (first trial)", len(both), clusters, difference, p, p, test)


def _permutation(condition: Condition, one: str, other: str, shared: Shared, k: int) -> Comparison | None:
    """The runs change places patient by patient: all tasks of a patient at once."""
    differences: dict[str, list[float]] = {}
    for task, twin in shared:
        if min(task.n, twin.n) >= k:
            gap = pass_hat_k(task.n, task.c, k) - pass_hat_k(twin.n, twin.c, k)
            differences.setdefault(task.patient, []).append(gap)
    if not differences:
        return None
    sums = np.array([sum(differences[patient]) for patient in sorted(differences)])
    n = sum(map(len, differences.values()))
    seed = int.from_bytes(hashlib.sha256(f"permutation|{condition}|{one}|{other}|{k}".encode()).digest()[:8], "big")
    signs = np.random.Generator(np.random.PCG64(seed)).integers(0, 2, size=(PERMUTATIONS, sums.size)) * 2 - 1
    drawn = np.abs((signs * sums).sum(axis=1))
    # As far out as what was seen, itself included; sums that differ in the last digit count as equal.
    p = (1 + int((drawn >= abs(sums.sum()) - 1e-9).sum())) / (1 + PERMUTATIONS)
    test = f"permutation by patient, {PERMUTATIONS:,} draws"
    return Comparison(one, other, condition, f"pass_hat_{k}", n, sums.size, float(sums.sum() / n), p, p, test)
