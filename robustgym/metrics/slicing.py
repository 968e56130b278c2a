"""The slices of a run: by what the question is about, how it was spoilt, and whom it asks about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from robustgym.metrics.tallies import Tally
from schemas.questions import Intent

DECISION = {
    Intent.MEDICATIONS: "treats",
    Intent.VITALS: "drives treatment",
    Intent.LABS: "drives treatment",
    Intent.DIAGNOSES: "drives treatment",
    Intent.DEMOGRAPHICS: "informs",
    Intent.COST: "informs",
}
"""What a decision that rests on the answer would do, after the significance of information in IMDRF/SaMD
WG/N12 (2014): treat or diagnose, drive clinical management, inform. An unsupported dose weighs more than an unsupported
insurance."""

SLICES: dict[str, Callable[[Tally], str]] = {
    "intent": lambda task: task.facts.intent.value,
    "scope": lambda task: task.facts.scope.value,
    "level": lambda task: task.facts.level.value,
    "operator": lambda task: task.facts.operator,
    "severity": lambda task: f"{task.facts.operator} {task.facts.severity}",
    "promise": lambda task: task.facts.promise.value,
    "origin": lambda task: task.facts.origin,
    "register": lambda task: task.facts.said_in or "not recorded",
    "split": lambda task: task.facts.split.value,
    "seen in training": lambda task: "never" if task.facts.test_only else "may be",
    "decision": lambda task: DECISION[task.facts.intent],
    "cell": lambda task: f"{task.facts.intent}/{task.facts.scope}/{task.facts.level}",
}
"""What a task is sliced by, and the value it has."""

SUBGROUPS = ("sex", "age band", "race", "insurance")
"""Characteristics of the patient; population questions are in none."""


def slices(tasks: Sequence[Tally]) -> Iterator[tuple[str, str, tuple[Tally, ...]]]:
    """Slice, value and tasks: every slice in its order, values sorted."""
    for name, value_of in SLICES.items():
        yield from _by(name, tasks, value_of)
    for name in SUBGROUPS:
        known = [task for task in tasks if name in task.facts.subgroup]
        yield from _by(name, known, lambda task, name=name: task.facts.subgroup[name])  # type: ignore[misc]


def _by(
    name: str, tasks: Sequence[Tally], value_of: Callable[[Tally], str]
) -> Iterator[tuple[str, str, tuple[Tally, ...]]]:
    for value in sorted({value_of(task) for task in tasks}):
        yield name, value, tuple(task for task in tasks if value_of(task) == value)
