"""Confidence intervals by a bootstrap that draws patients and templates, not episodes.

Episodes of one patient, and questions of one template, succeed and fail together: an interval that took them for
independent would be too narrow. Both are drawn with replacement at once, and a task weighs as often as its patient was
drawn times as often as its template was (the pigeonhole bootstrap: Owen 2007, doi 10.1214/07-AOAS122).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robustgym.metrics.tallies import Tally

DRAWS = 2_000
LEVEL = 0.95
UNIT = "patient and template"
"""What is drawn; named wherever an interval is printed."""

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """A rate and the interval about it; None where there is nothing to say."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Ratio:
    """A rate over tasks: the sum of `over` by the sum of `under`."""

    tasks: Sequence[str]
    over: Sequence[float]
    under: Sequence[float]
    share: bool = True
    """Whether it lies between 0 and 1."""


class Resampler:
    """The draws of one run, made once and used for every figure, so that figures can be compared draw by draw.

    The same tasks and the same name give the same draws.
    """

    def __init__(self, tasks: Sequence[Tally], name: str, draws: int = DRAWS) -> None:
        self._tasks = tuple(sorted(tasks, key=lambda task: task.task_id))
        self._place = {task.task_id: place for place, task in enumerate(self._tasks)}
        self._seed = int.from_bytes(hashlib.sha256(f"bootstrap|{name}".encode()).digest()[:8], "big")
        self._draws = draws

    @cached_property
    def weights(self) -> Floats:
        """How much each task weighs in each draw: shape (draws, tasks)."""
        rng = np.random.Generator(np.random.PCG64(self._seed))
        weights = np.ones((self._draws, len(self._tasks)))
        for clusters in ([t.patient for t in self._tasks], [t.facts.template for t in self._tasks]):
            names = {name: place for place, name in enumerate(sorted(set(clusters)))}
            if not names:
                continue
            drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=self._draws)
            weights *= drawn[:, [names[name] for name in clusters]]
        return weights

    def interval(self, ratio: Ratio, less: Ratio | None = None) -> Interval:
        """A rate with its 95% percentile interval; of a difference, if another rate is taken from it.

        A draw in which none of the tasks was drawn says nothing and is left out. Where all tasks came out alike every
        draw does, which says nothing of what was not seen: the interval is then the exact one (Clopper and Pearson
        1934) of as many tries as there are patients or templates, whichever are fewer.
        """
        value, draws = self._rate(ratio)
        if less is not None:
            taken, other = self._rate(less)
            value = None if value is None or taken is None else value - taken
            draws = draws - other
        draws = draws[np.isfinite(draws)]
        if value is None or not draws.size:
            return Interval(value)
        if less is None and ratio.share and value in (0.0, 1.0):
            bound = float(1 - ((1 - LEVEL) / 2) ** (1 / self._clusters(ratio)))
            return Interval(value, 0.0, bound) if value == 0.0 else Interval(value, 1.0 - bound, 1.0)
        low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(value, float(low), float(high))

    def _clusters(self, ratio: Ratio) -> int:
        tasks = [self._tasks[self._place[task]] for task in ratio.tasks]
        return min(len({task.patient for task in tasks}), len({task.facts.template for task in tasks}))

    def _rate(self, ratio: Ratio) -> tuple[float | None, Floats]:
        if not ratio.tasks:
            return None, np.full(self._draws, np.nan)
        told = sorted(zip((self._place[task] for task in ratio.tasks), ratio.over, ratio.under, strict=True))
        places, over, under = (np.array(part) for part in zip(*told, strict=True))
        weights = self.weights if len(places) == len(self._tasks) else self.weights[:, places]
        with np.errstate(invalid="ignore", divide="ignore"):
            # Not a matrix product: its last digit may depend on threads.
            draws = np.einsum("ij,j->i", weights, over) / np.einsum("ij,j->i", weights, under)
        return float(over.sum() / under.sum()), draws
