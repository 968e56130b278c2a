"""What a report of runs rests on: every figure of every run, and which runs may be held against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from robustgym import agents
from robustgym.agents.noise_blind import NoiseBlind
from robustgym.hospital import Hospital
from robustgym.layout import MANIFEST
from robustgym.licence import LICENCES
from robustgym.metrics import Comparison, Metric, Transition, compare, metrics, transitions
from robustgym.metrics.failures import FailureClass, Known, class_of, failure_classes
from robustgym.metrics.intervals import LEVEL, UNIT, Resampler
from robustgym.metrics.slicing import SUBGROUPS, slices
from robustgym.metrics.tallies import Tally, tallies
from robustgym.release import Release
from robustgym.report.published import Published
from robustgym.report.release import SMALL
from robustgym.runs import Run
from robustgym.yardsticks import worked
from schemas.errors import InputError, Problem
from schemas.pairs import Condition
from schemas.runs import EpisodeRecord, RunManifest
from schemas.verdicts import Outcome

SLICED = ("success", "robustness_gap", "over_abstention", "unsupported_answers")
"""Figures that are given for every slice."""

Key = tuple[str, int]


@dataclass(frozen=True)
class Slice:
    """A part of a run's tasks, and its figures."""

    slice: str
    value: str
    tasks: int
    clusters: int
    """Patients, or population questions, that the tasks are of."""
    metrics: tuple[Metric, ...]
    """Empty where so few patients are in it that they could be told from it."""


@dataclass(frozen=True)
class Evaluated:
    """A run with all its figures."""

    name: str
    """The run's, with its parent directory where two are called the same."""
    manifest: RunManifest
    tasks: tuple[Tally, ...]
    metrics: tuple[Metric, ...]
    transitions: tuple[Transition, ...]
    slices: tuple[Slice, ...]
    failures: tuple[FailureClass, ...]
    classes: Mapping[Key, str | None]
    """Why each episode failed, by task and trial."""

    @property
    def agent(self) -> str:
        """Who was evaluated: the model, or the scripted agent."""
        return self.manifest.model.name if self.manifest.model else self.manifest.agent

    @property
    def yardstick(self) -> bool:
        """Whether the agent is given gold rows, so that it is none to compete with."""
        return self.manifest.agent in agents.names() and agents.knows_gold(self.manifest.agent)

    @cached_property
    def episodes(self) -> tuple[EpisodeRecord, ...]:
        """Every episode, by task and trial."""
        return tuple(episode for task in self.tasks for episode in task.episodes)

    def metric(self, name: str, condition: str = "all") -> Metric:
        """One of its figures."""
        return next(m for m in self.metrics if (m.name, m.condition) == (name, condition))

    @property
    def outcomes(self) -> dict[tuple[Condition, Outcome], int]:
        """Episodes by condition and outcome."""
        found = {(condition, outcome): 0 for condition in Condition for outcome in Outcome}
        for episode in self.episodes:
            found[episode.facts.condition, episode.verdict.outcome] += 1
        return found


@dataclass(frozen=True)
class Group:
    """Runs over the same tasks of the same release: they may be held against each other."""

    title: str
    runs: tuple[Evaluated, ...]
    """The best on noise first."""
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]
    """In what the runs differ besides the agent, and what is missing."""

    @property
    def k(self) -> int:
        """Trials that every run has of each task."""
        return min(run.manifest.k for run in self.runs)


@dataclass(frozen=True)
class Results:
    """Everything a report says."""

    groups: tuple[Group, ...]
    published: tuple[Published, ...]
    aggregate_only: bool
    release: Release | None
    naive: bool
    """Whether it was computed what whoever takes the record as it is answers."""

    @property
    def runs(self) -> tuple[Evaluated, ...]:
        """The runs of all groups."""
        return tuple(run for group in self.groups for run in group.runs)

    def as_dict(self) -> dict[str, Any]:
        """As `results.json` has it: flat lists of objects, each of which names its run."""
        found: dict[str, Any] = {
            "aggregate_only": self.aggregate_only,
            "interval": {"level": LEVEL, "method": "bootstrap", "unit": UNIT},
            "groups": [
                {"group": g.title, "runs": [run.name for run in g.runs], "warnings": list(g.warnings)}
                for g in self.groups
            ],
            "runs": [
                {"run": run.name, "group": group.title, "label": run.agent, "yardstick": run.yardstick}
                | run.manifest.model_dump(mode="json", exclude={"name"})
                for group in self.groups
                for run in group.runs
            ],
            "metrics": [_named(run) | asdict(metric) for run in self.runs for metric in run.metrics],
            "slices": [row for run in self.runs for part in run.slices for row in _flat(run, part)],
            "transitions": [_named(run) | asdict(way) for run in self.runs for way in run.transitions],
            "outcomes": [
                _named(run) | {"condition": condition, "outcome": outcome, "episodes": n}
                for run in self.runs
                for (condition, outcome), n in run.outcomes.items()
            ],
            "failures": [_named(run) | asdict(failure) for run in self.runs for failure in run.failures],
            "comparisons": [{"group": g.title} | asdict(made) for g in self.groups for made in g.comparisons],
            "published": [figure.model_dump(mode="json") for figure in self.published],
        }
        if not self.aggregate_only:
            found["episodes"] = [_episode(run, episode) for run in self.runs for episode in run.episodes]
        return found


def evaluated(
    runs: Sequence[Run],
    *,
    release: Release | None = None,
    hospital: Hospital | None = None,
    published: Sequence[Published] = (),
    aggregate_only: bool | None = None,
) -> Results:
    """Every figure of these runs.

    Args:
        runs: The runs.
        release: The release they were made on, to say more exactly why episodes failed.
        hospital: Its hospital, to tell answers that take the record as it is.
        published: Figures to stand beside them.
        aggregate_only: Leave out whatever derives from single patients. By default so for credentialed data.

    Raises:
        InputError: A run is given twice, or has no episode, or was made on another release than the one given.
    """
    problems = list(_problems(runs, release))
    records = {run.path.resolve(): run.episodes() for run in runs}
    problems += [
        Problem(str(run.path), "holds no episode that has ended", "let robustgym eval go on, or leave it out")
        for run in runs
        if not records[run.path.resolve()]
    ]
    if problems:
        raise InputError(problems)
    aggregate = aggregate_only
    if aggregate is None:
        aggregate = any(not LICENCES[run.manifest.licence].public for run in runs)
    counted = {run.path.resolve(): tallies(records[run.path.resolve()]) for run in runs}
    known = _known(release, hospital, [task for tasks in counted.values() for task in tasks])
    names = _names(runs)
    all_ = [
        _evaluated(names[path], run.manifest, counted[path], known, aggregate)
        for run, path in ((run, run.path.resolve()) for run in runs)
    ]
    groups: dict[tuple[str, str], list[Evaluated]] = {}
    for one in sorted(all_, key=lambda run: (run.manifest.release, run.manifest.release_version, run.name)):
        groups.setdefault((one.manifest.release_sha256, one.manifest.split), []).append(one)
    return Results(
        tuple(_group(runs_, ambiguous=len(groups) > 1) for runs_ in groups.values()),
        tuple(published),
        aggregate,
        release,
        hospital is not None,
    )


def _evaluated(
    name: str, manifest: RunManifest, tasks: tuple[Tally, ...], known: Mapping[str, Known], aggregate: bool
) -> Evaluated:
    # Draws are the same for the same tasks, whoever worked them: so two runs' intervals move together.
    resampler = Resampler(tasks, manifest.release_sha256)
    classes = {(e.task_id, e.trial): class_of(e, known.get(e.task_id)) for task in tasks for e in task.episodes}
    return Evaluated(
        name,
        manifest,
        tasks,
        metrics(tasks, resampler, manifest.k),
        transitions(tasks, resampler),
        tuple(_slice(*part, resampler, aggregate) for part in slices(tasks)),
        failure_classes(tasks, classes),
        classes,
    )


def _slice(name: str, value: str, tasks: Sequence[Tally], resampler: Resampler, aggregate: bool) -> Slice:
    clusters = len({task.patient for task in tasks})
    hidden = aggregate and name in SUBGROUPS and clusters < SMALL  # no population question is in a subgroup
    found = () if hidden else metrics(tasks, resampler, only=SLICED)
    return Slice(name, value, len(tasks), clusters, found)


def _group(runs: Sequence[Evaluated], *, ambiguous: bool) -> Group:
    manifest = runs[0].manifest
    title = f"{manifest.release} {manifest.release_version}, {manifest.split} split"
    if ambiguous:
        title += f" ({manifest.release_sha256[:8]})"
    ordered = sorted(runs, key=lambda run: (-(run.metric("success", "noise").value or 0.0), run.name))
    k = min(run.manifest.k for run in runs)
    made = compare({run.name: run.tasks for run in runs}, k) if len(runs) > 1 else ()
    return Group(title, tuple(ordered), made, tuple(_warnings(runs)))


def _warnings(runs: Sequence[Evaluated]) -> list[str]:
    found = []
    for run in runs:
        due, there = run.manifest.tasks * run.manifest.k, len(run.episodes)
        if there < due:
            found.append(f"{run.name}: {there:,} of {due:,} episodes are there.")
        if unjudged := sum(len(task.episodes) - task.n for task in run.tasks):
            found.append(f"{run.name}: {unjudged:,} episodes could not be judged and count in no rate of success.")
        if run.manifest.model and len(run.manifest.model.snapshots) > 1:
            found.append(f"{run.name}: the endpoint changed the model: {', '.join(run.manifest.model.snapshots)}.")
    if len({frozenset(task.task_id for task in run.tasks) for run in runs}) > 1:
        found.append("The runs have not worked the same tasks: only the paired tests compare them on equal ground.")
    manifests = [(run.name, run.manifest) for run in runs]
    for what, read in (
        ("harness", lambda m: m.harness_sha256[:8]),
        ("budget", lambda m: f"{m.budget.turns} turns, {m.budget.seconds:g} s, {m.budget.tokens:,} tokens"),
        ("Python tool", lambda m: m.isolation.python),
    ):
        values: dict[str, list[str]] = {}
        for name, manifest in manifests:
            if what != "Python tool" or manifest.model:  # scripted agents write no Python
                values.setdefault(read(manifest), []).append(name)
        if len(values) > 1:
            said = "; ".join(f"{value} ({', '.join(names)})" for value, names in values.items())
            found.append(f"The runs differ in their {what}: {said}.")
    return found


def _known(release: Release | None, hospital: Hospital | None, tasks: Sequence[Tally]) -> dict[str, Known]:
    """What the release knows of the tasks; naive answers of those only on which someone was wrong."""
    if release is None:
        return {}
    wanted = {task.task_id for task in tasks}
    wrong = {task.task_id for task in tasks if task.count(Outcome.WRONG)}
    found = {}
    for pair in release.pairs():
        for row in pair:
            if row.task_id in wanted:
                naive = None
                if hospital is not None and row.task_id in wrong and row.naive_sql:
                    naive = worked(NoiseBlind([row]), row, hospital).submitted
                found[row.task_id] = Known(row, pair.clean, naive)
    return found


def _problems(runs: Sequence[Run], release: Release | None) -> list[Problem]:
    found = []
    seen = set()
    for run in runs:
        if run.path.resolve() in seen:
            found.append(Problem(str(run.path), "is given twice", "name each run once"))
        seen.add(run.path.resolve())
    if release is not None:
        sha = hashlib.sha256((release.path / MANIFEST).read_bytes()).hexdigest()
        for run in runs:
            if run.manifest.release_sha256 != sha:
                what = f"was made on {run.manifest.release} {run.manifest.release_version}, not on {release.path}"
                found.append(Problem(str(run.path), what, "name its release, or report it by itself"))
    return found


def _names(runs: Sequence[Run]) -> dict[Any, str]:
    paths = [run.path.resolve() for run in runs]
    plain = [path.name for path in paths]
    return {path: path.name if plain.count(path.name) == 1 else f"{path.parent.name}/{path.name}" for path in paths}


def _named(run: Evaluated) -> dict[str, Any]:
    return {"run": run.name, "agent": run.agent}


def _flat(run: Evaluated, part: Slice) -> list[dict[str, Any]]:
    head = _named(run) | {"slice": part.slice, "value_of_slice": part.value}
    if not part.metrics:
        return [head | {"metric": None, "hidden": f"fewer than {SMALL} patients"}]
    return [
        head
        | {"metric": m.name, "condition": m.condition, "value": m.value, "low": m.low, "high": m.high}
        | {"n": m.n, "episodes": m.episodes, "clusters": part.clusters}
        for m in part.metrics
    ]


def _episode(run: Evaluated, episode: EpisodeRecord) -> dict[str, Any]:
    return _named(run) | {
        "task_id": episode.task_id,
        "trial": episode.trial,
        "condition": episode.facts.condition,
        "outcome": episode.verdict.outcome,
        "stop": episode.stop,
        "failure": run.classes[episode.task_id, episode.trial],
    }
