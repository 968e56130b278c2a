"""The report of runs as one HTML page: leaderboard, figures, slices, tests, and how each run was made."""

from __future__ import annotations

from dataclasses import dataclass

from robustgym.metrics import Metric, Moved
from robustgym.metrics.failures import RULES, FailureClass, Rule
from robustgym.metrics.intervals import UNIT
from robustgym.report import leaderboard
from robustgym.report.page import page
from robustgym.report.release import SMALL
from robustgym.report.results import Evaluated, Group, Results, Slice
from robustgym.show import answer
from schemas.noise import Level
from schemas.pairs import Condition, GoldRow
from schemas.questions import Intent, Scope
from schemas.runs import EpisodeRecord


@dataclass(frozen=True)
class Sample:
    """An episode that failed, shown as an example of its class."""

    name: str
    """The class."""
    episode: EpisodeRecord
    row: GoldRow | None
    """Its task, where the release was given."""

    @property
    def right(self) -> str:
        """The right answer in words."""
        return answer(self.row) if self.row else ""


def report(results: Results) -> str:
    """The page.

    Args:
        results: What is to be reported.
    """
    rows = {row.task_id: row for row in results.release.rows} if results.release else {}
    title = "Report of " + (results.runs[0].agent if len(results.runs) == 1 else f"{len(results.runs)} runs")
    return page(
        "runs.html.j2",
        title=title,
        results=results,
        several=leaderboard.GROUPS.format(len(results.groups)),
        yardstick=leaderboard.YARDSTICK.replace("*", ""),
        unit=UNIT,
        small=SMALL,
        intents=tuple(Intent),
        scopes=tuple(Scope),
        levels=tuple(Level),
        conditions=tuple(Condition),
        ways=tuple(Moved),
        columns=leaderboard.columns,
        figure=leaderboard.figure,
        label=leaderboard.label,
        status=leaderboard.status,
        said=leaderboard.said,
        p_value=leaderboard.p_value,
        sliced=_sliced,
        of_slice=_of_slice,
        slice_names=_slice_names,
        slice_values=_slice_values,
        group_rules=_group_rules,
        failure=_failure,
        samples=lambda run: samples(run, rows),
    )


def samples(run: Evaluated, rows: dict[str, GoldRow]) -> tuple[Sample, ...]:
    """Of each class and condition the first episode, in the order of the rules.

    Args:
        run: The run.
        rows: Gold rows by task, as far as they are known.
    """
    first: dict[tuple[str, str], EpisodeRecord] = {}
    for episode in run.episodes:
        if name := run.classes[episode.task_id, episode.trial]:
            first.setdefault((name, episode.facts.condition), episode)
    return tuple(
        Sample(rule.name, first[rule.name, condition], rows.get(first[rule.name, condition].task_id))
        for rule in RULES
        for condition in Condition
        if (rule.name, condition) in first
    )


def _sliced(run: Evaluated, name: str, value: str) -> Slice | None:
    return next((part for part in run.slices if (part.slice, part.value) == (name, value)), None)


def _of_slice(part: Slice, name: str, condition: str) -> Metric | None:
    return next((m for m in part.metrics if (m.name, m.condition) == (name, condition)), None)


def _slice_names(group: Group) -> list[str]:
    return list(dict.fromkeys(part.slice for run in group.runs for part in run.slices))


def _slice_values(group: Group, name: str) -> list[str]:
    return sorted({part.value for run in group.runs for part in run.slices if part.slice == name})


def _group_rules(group: Group) -> list[Rule]:
    there = {failure.name for run in group.runs for failure in run.failures}
    return [rule for rule in RULES if rule.name in there]


def _failure(run: Evaluated, name: str, condition: str) -> FailureClass | None:
    return next((f for f in run.failures if (f.name, f.condition) == (name, condition)), None)
