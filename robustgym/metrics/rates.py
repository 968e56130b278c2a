"""Rates of success and failure, each a ratio of sums over tasks, with a cluster-bootstrap interval."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import comb

from robustgym.metrics.intervals import Interval, Ratio, Resampler
from robustgym.metrics.tallies import Tally
from robustgym.metrics.transitions import Moved, ways
from schemas.pairs import Condition
from schemas.verdicts import Outcome

Part = tuple[float, float]
"""What one task adds to the numerator and to the denominator of a rate."""

Rate = Callable[[Tally], Part]

MEANS = frozenset({"invalid_calls", "turns", "tokens", "cost", "seconds"})
"""Figures that are means per episode; the others are rates."""

ALL = "all"
"""Both conditions together."""

ABSTAINED = (Outcome.ABSTAINED_RIGHTLY, Outcome.ABSTAINED_WITHOUT_EVIDENCE, Outcome.ABSTAINED_WRONGLY)


@dataclass(frozen=True)
class Metric:
    """One figure of one run."""

    name: str
    condition: str
    """`clean`, `noise`, or `all` of both."""
    value: float | None
    """None where no task has a say in it."""
    low: float | None
    """Lower end of the 95% interval."""
    high: float | None
    n: int
    """Tasks it rests on."""
    episodes: int
    """Episodes of those tasks."""


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that at least one of k episodes succeeds: 1 - C(n-c, k) / C(n, k).

    Unbiased for n independent episodes of which c succeeded (Chen et al. 2021, arXiv 2107.03374).

    Raises:
        ValueError: There are fewer than k episodes.

    >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 2), pass_at_k(4, 0, 4)
    (0.25, 0.5, 0.0)
    """
    _enough(n, c, k)
    return 1.0 - comb(n - c, k) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The chance that all of k episodes succeed, pass^k: C(c, k) / C(n, k).

    Unbiased for n independent episodes of which c succeeded (Yao et al. 2024, arXiv 2406.12045).

    Raises:
        ValueError: There are fewer than k episodes.

    >>> pass_hat_k(4, 4, 4), pass_hat_k(4, 2, 2), pass_hat_k(4, 3, 4)
    (1.0, 0.16666666666666666, 0.0)
    """
    _enough(n, c, k)
    return comb(c, k) / comb(n, k)


def _enough(n: int, c: int, k: int) -> None:
    if not (1 <= k <= n and 0 <= c <= n):
        raise ValueError(f"k must lie between 1 and the number of episodes: n={n}, c={c}, k={k}")


def metrics(tasks: Sequence[Tally], resampler: Resampler, k: int = 1, only: Collection[str] = ()) -> tuple[Metric, ...]:
    """Every figure of a set of tasks, in a fixed order: of all of them, and of each condition alone.

    Args:
        tasks: The tasks; a subset of those the resampler was made for.
        resampler: Gives the intervals.
        k: Pass@k and pass^k are given for 1 to k, where every judged task has so many episodes.
        only: Names of the figures that are wanted; all if it is empty.
    """
    wanted = [(name, rate) for name, rate in _rates(k) if not only or name in only]
    clean, noise = (_of(tasks, condition) for condition in Condition)
    found = [
        _metric(name, condition, _of(tasks, condition), rate, resampler)
        for name, rate in wanted
        for condition in (ALL, *Condition)
    ]
    if not only or "robustness_gap" in only:
        found.append(_gap(clean, noise, resampler))
    if not only or "pair_success" in only:
        found.append(_pairs(tasks, resampler))
    return tuple(found)


def _rates(k: int) -> Iterator[tuple[str, Rate]]:
    """The rates, by name."""
    yield "success", _success
    for many in range(1, k + 1):
        yield f"pass_at_{many}", _at(pass_at_k, many)
        yield f"pass_hat_{many}", _at(pass_hat_k, many)
    yield "over_abstention", _where(lambda task: task.facts.answerable, _share(Outcome.ABSTAINED_WRONGLY))
    yield "unsupported_answers", _where(lambda task: not task.facts.answerable, _share(Outcome.WRONG))
    yield "evidence_rate", _where(lambda t: not (t.facts.answerable or t.facts.schema_evidence), _evidence)
    yield "evidence_rate_columns", _where(lambda t: t.facts.schema_evidence and not t.facts.answerable, _evidence)
    yield "no_answer", _share(Outcome.NO_ANSWER)
    yield "unjudged", lambda task: (len(task.episodes) - task.n, len(task.episodes))
    yield "invalid_calls", _mean(lambda e: e.invalid_calls)
    yield "turns", _mean(lambda e: e.turns)
    yield "tokens", _mean(lambda e: e.usage.prompt_tokens + e.usage.completion_tokens)
    yield "cost", _cost
    yield "seconds", _mean(lambda e: e.seconds)


def _of(tasks: Sequence[Tally], condition: str) -> list[Tally]:
    return [task for task in tasks if condition in (ALL, task.facts.condition)]


def _where(counts: Callable[[Tally], bool], rate: Rate) -> Rate:
    """The rate over the tasks of which that holds."""
    return lambda task: rate(task) if counts(task) else (0.0, 0.0)


def _metric(name: str, condition: str, tasks: Sequence[Tally], part: Rate, resampler: Resampler) -> Metric:
    """A rate over tasks; those that add nothing to the denominator have no say in it."""
    counted = [(task, *part(task)) for task in tasks]
    counted = [(task, over, under) for task, over, under in counted if under > 0]
    names, over, under = [t.task_id for t, *_ in counted], [n for _, n, _ in counted], [d for *_, d in counted]
    ratio = Ratio(names, over, under, share=name not in MEANS)
    return _with(name, condition, resampler.interval(ratio), [task for task, *_ in counted])


def _with(name: str, condition: str, interval: Interval, tasks: Sequence[Tally]) -> Metric:
    episodes = sum(len(task.episodes) for task in tasks)
    return Metric(name, condition, interval.value, interval.low, interval.high, len(tasks), episodes)


def _gap(clean: Sequence[Tally], noise: Sequence[Tally], resampler: Resampler) -> Metric:
    """Success on clean tasks less success on noise tasks."""
    sides = [[task for task in side if task.n] for side in (clean, noise)]
    ratios = [Ratio([t.task_id for t in side], [t.c / t.n for t in side], [1.0] * len(side)) for side in sides]
    return _with("robustness_gap", ALL, resampler.interval(ratios[0], less=ratios[1]), [*sides[0], *sides[1]])


def _pairs(tasks: Sequence[Tally], resampler: Resampler) -> Metric:
    """Share of the pairs of which both tasks succeed, trial by trial."""
    found = [(task, gone.count(Moved.ROBUST) / len(gone)) for task, gone in ways(tasks)]
    ratio = Ratio([task.task_id for task, _ in found], [value for _, value in found], [1.0] * len(found))
    return _with("pair_success", ALL, resampler.interval(ratio), [task for task, _ in found])


def _success(task: Tally) -> Part:
    return (task.c / task.n, 1.0) if task.n else (0.0, 0.0)


def _at(chance: Callable[[int, int, int], float], k: int) -> Rate:
    def part(task: Tally) -> Part:
        return (chance(task.n, task.c, k), 1.0) if task.n >= k else (0.0, 0.0)

    return part


def _share(outcome: Outcome) -> Rate:
    def part(task: Tally) -> Part:
        return (task.count(outcome) / task.n, 1.0) if task.n else (0.0, 0.0)

    return part


def _evidence(task: Tally) -> Part:
    """Abstentions with evidence among all abstentions, so that a task with many weighs more."""
    return float(task.count(Outcome.ABSTAINED_RIGHTLY)), float(task.count(*ABSTAINED))


def _mean(read: Callable[..., float]) -> Rate:
    def part(task: Tally) -> Part:
        return float(sum(read(episode) for episode in task.episodes)), float(len(task.episodes))

    return part


def _cost(task: Tally) -> Part:
    known = [episode.usage.cost for episode in task.episodes if episode.usage.cost is not None]
    return float(sum(known)), float(len(known))
