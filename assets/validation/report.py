"""The examination of a set of pairs by running them: what a release shows for itself, and what stops it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assets.validation.shortcuts import broken, shortcuts
from robustgym.hospital import Hospital
from robustgym.validating import validate
from robustgym.yardsticks import DUE, SILENCE, Clock, failures, scores
from schemas.pairs import Pair
from schemas.release import Shortcut
from schemas.validation import VerifierValidation

Progress = Callable[[str, int, int], None]

PER_STRATUM = 1
"""Submissions of one sort for each operator and scope; `validate-verifier` tries the verifier on more."""


@dataclass(frozen=True)
class Report:
    """What was found of exactly these pairs."""

    pairs: str
    """sha256 of the pairs' content: a report about others proves nothing."""
    contract: tuple[str, ...]
    """Rules of the pairs' contract that are broken."""
    verdicts: tuple[tuple[str, str, str], ...]
    """Yardstick, task and reason, where a yardstick does not score what it must."""
    yardsticks: Mapping[str, float]
    """Scores of the oracle and of silence; empty if there are no pairs."""
    shortcuts: tuple[Shortcut, ...] = ()
    """How far the condition can be told before the first query."""
    verifier: VerifierValidation | None = None
    """How often the verifier is wrong about submissions whose verdict is known; None if there are no pairs."""

    @property
    def answers_hold(self) -> bool:
        """Whether every reference gives its gold answer, and the oracle reaches it through the gym's own tools."""
        oracle = {name: due for name, due in DUE.items() if name != SILENCE}
        return all(self.yardsticks.get(name) == due for name, due in oracle.items())

    @property
    def silence_fails(self) -> bool:
        """Whether an agent that abstains without having looked scores nothing."""
        return self.yardsticks.get(SILENCE) == DUE[SILENCE]

    @property
    def given_away(self) -> tuple[str, ...]:
        """Where the condition can be told before the first query, as sentences."""
        return broken(self.shortcuts)

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that keeps these pairs from being released; empty if nothing does."""
        found = (*self.contract, *(f"{task}: {why} ({name})" for name, task, why in self.verdicts))
        found += self.given_away
        return found or (() if self.yardsticks else ("there are no pairs",))


def examine(
    pairs: Sequence[Pair],
    content: str,
    contract: tuple[str, ...],
    hospital: Hospital,
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> Report:
    """Let both yardsticks work every task, a classifier look for shortcuts, and the verifier judge what is known.

    The oracle runs every reference again, in both hospitals.

    Args:
        pairs: The pairs.
        content: sha256 of their content, to know them by.
        contract: Rules of their contract that are broken.
        hospital: The clean hospital.
        progress: Called once per task.
        clock: Told how long the oracle took for each task.
    """
    tasks = [task for pair in pairs for task in pair]
    if not tasks:
        return Report(content, contract, (), {})

    def working(done: int, total: int) -> None:
        if progress:
            progress("oracle and silence", done, total)

    failed = failures(tasks, hospital, working, clock)
    verdicts = tuple((name, verdict.task_id, verdict.reason) for name, found in failed.items() for verdict in found)
    verifier = validate(tasks, hospital, progress, per_stratum=PER_STRATUM)
    return Report(content, contract, verdicts, scores(tasks, failed), shortcuts(tasks), verifier)
