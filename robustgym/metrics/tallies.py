"""One task's episodes, counted: what every rate is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from schemas.runs import EpisodeRecord, Stop, TaskFacts
from schemas.verdicts import Outcome

UNJUDGED = frozenset({Outcome.UNJUDGED})
"""Outcomes that say nothing of the agent: such an episode counts in no rate of success."""


@dataclass(frozen=True)
class Tally:
    """The episodes of one task."""

    task_id: str
    facts: TaskFacts
    episodes: tuple[EpisodeRecord, ...]
    """In the order of their trials."""

    @cached_property
    def judged(self) -> tuple[EpisodeRecord, ...]:
        """Those that could be judged."""
        return tuple(e for e in self.episodes if e.stop is not Stop.FAILED and e.verdict.outcome not in UNJUDGED)

    @cached_property
    def n(self) -> int:
        """How many could be judged."""
        return len(self.judged)

    @cached_property
    def c(self) -> int:
        """How many succeeded."""
        return sum(e.verdict.outcome.success for e in self.judged)

    def count(self, *outcomes: Outcome) -> int:
        """How many ended in one of these outcomes."""
        return sum(e.verdict.outcome in outcomes for e in self.judged)

    @property
    def patient(self) -> str:
        """The cluster of its patient; a population question is a cluster of its own, for both of its conditions."""
        return str(self.facts.subject_ids[0]) if self.facts.subject_ids else f"population {self.facts.pair_id}"


def tallies(records: Iterable[EpisodeRecord]) -> tuple[Tally, ...]:
    """The episodes by task, tasks in the order of their ids; of an episode told twice the last counts."""
    found: dict[str, dict[int, EpisodeRecord]] = {}
    for record in records:
        found.setdefault(record.task_id, {})[record.trial] = record
    return tuple(
        Tally(task_id, next(iter(trials.values())).facts, tuple(trials[trial] for trial in sorted(trials)))
        for task_id, trials in sorted(found.items())
    )
