"""What the noise does to a pair: whether an agent that is right on its clean task is right on its noise task too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from robustgym.metrics.intervals import Ratio, Resampler
from robustgym.metrics.tallies import Tally
from schemas.pairs import Condition


class Moved(StrEnum):
    """The four ways of a pair."""

    ROBUST = "clean right, noise right"
    BROKEN = "clean right, noise wrong"
    """What the noise alone costs."""
    ONLY_NOISE = "clean wrong, noise right"
    """Often an abstention that would have come anyway."""
    NEITHER = "clean wrong, noise wrong"

    @classmethod
    def of(cls, clean: bool, noise: bool) -> Moved:
        """The way of a pair whose tasks were solved or not.

        >>> Moved.of(True, False)
        <Moved.BROKEN: 'clean right, noise wrong'>
        """
        return ((cls.NEITHER, cls.ONLY_NOISE), (cls.BROKEN, cls.ROBUST))[clean][noise]


@dataclass(frozen=True)
class Transition:
    """One of the four ways, and the share of the pairs that go it."""

    way: Moved
    value: float | None
    low: float | None
    high: float | None
    pairs: int
    """Pairs of which both tasks were judged."""
    trials: int
    """Trials of those pairs that go this way."""


def ways(tasks: Sequence[Tally]) -> Iterator[tuple[Tally, tuple[Moved, ...]]]:
    """The clean task of each pair, and the way of every trial in which both of its tasks were judged."""
    noise = {task.facts.pair_id: task for task in tasks if task.facts.condition is Condition.NOISE}
    for task in tasks:
        if task.facts.condition is Condition.CLEAN and (twin := noise.get(task.facts.pair_id)):
            right = {e.trial: e.verdict.outcome.success for e in twin.judged}
            found = [Moved.of(e.verdict.outcome.success, right[e.trial]) for e in task.judged if e.trial in right]
            if found:
                yield task, tuple(found)


def transitions(tasks: Sequence[Tally], resampler: Resampler) -> tuple[Transition, ...]:
    """The transition table: a pair with several trials counts once, its trials in equal parts.

    Args:
        tasks: Both tasks of each pair; a subset of those the resampler was made for.
        resampler: Gives the intervals.
    """
    pairs = list(ways(tasks))
    names = [task.task_id for task, _ in pairs]
    found = []
    for way in Moved:
        shares = [gone.count(way) / len(gone) for _, gone in pairs]
        interval = resampler.interval(Ratio(names, shares, [1.0] * len(pairs)))
        found.append(Transition(way, *interval, len(pairs), sum(gone.count(way) for _, gone in pairs)))
    return tuple(found)
