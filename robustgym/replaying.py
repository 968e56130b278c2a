"""An episode shown step by step: each call, what it showed, and what the evidence rule saw in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from robustgym.metrics.failures import Known, class_of
from robustgym.play import OUTCOMES
from robustgym.readable import readable
from robustgym.reader import Source
from robustgym.runs import Run
from robustgym.sandbox import Stock
from robustgym.show import answer, evidence_rule
from robustgym.shown import Shown
from robustgym.verifier.evidence import OWN, Weighed, before_the_answer, weigh
from robustgym.verifier.judge import counterfactual, judge
from schemas.errors import InputError, Problem
from schemas.noise import Level
from schemas.pairs import GoldRow, Pair
from schemas.runs import EpisodeRecord
from schemas.verdicts import Verdict

LINES = 30
"""Lines of a result that are shown; the transcript has them all."""


@dataclass(frozen=True)
class Judged:
    """What the hospital says of an episode today."""

    weighed: tuple[Weighed | None, ...]
    """Call by call; None where none can be evidence: the task has an answer, or asks for a look at the columns."""
    worlds: tuple[str, ...]
    """The supported worlds, the nearest first."""
    verdict: Verdict
    """The verdict, judged again."""


@dataclass(frozen=True)
class Replayed:
    """An episode and everything that explains its verdict."""

    record: EpisodeRecord
    pair: Pair | None
    """Its pair, where the release is known."""
    judged: Judged | None
    """Where the hospital is known."""

    @property
    def failure(self) -> str | None:
        """Why it failed, by rule."""
        if self.pair is None:
            return class_of(self.record)
        return class_of(self.record, Known(_row(self.pair, self.record), self.pair.clean))

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        steps = [
            call.model_dump(mode="json") | {"index": index, "evidence_rule": self._rule(index)}
            for index, call in enumerate(self.record.transcript.calls)
        ]
        row = _row(self.pair, self.record) if self.pair else None
        return {
            "task_id": self.record.task_id,
            "trial": self.record.trial,
            "question": row.question if row else None,
            "right": row.gold if row else None,
            "facts": self.record.facts.model_dump(mode="json"),
            "steps": steps,
            "submitted": self.record.transcript.submitted,
            "stop": self.record.stop,
            "verdict": self.record.verdict.model_dump(mode="json"),
            "verdict_again": self.judged.verdict.model_dump(mode="json") if self.judged else None,
            "worlds": list(self.judged.worlds) if self.judged else None,
            "failure": self.failure,
        }

    def _rule(self, index: int) -> dict[str, Any] | None:
        weighed = self.judged.weighed[index] if self.judged else None
        return asdict(weighed) | {"evidence": weighed.evidence} if weighed else None

    def __rich__(self) -> RenderableType:
        return Group(*self.steps())

    def steps(self) -> Sequence[RenderableType]:
        """What is shown: the task, each call, the verdict."""
        return [self._head(), *(self._step(i) for i in range(len(self.record.transcript.calls))), self._end()]

    def _head(self) -> RenderableType:
        facts = self.record.facts
        text = Text.assemble(
            (f"Task {self.record.task_id}, trial {self.record.trial}", "bold"),
            f"  {facts.intent}, {facts.scope}; {facts.condition} task of a {facts.level}-level pair "
            f"({facts.operator}, {facts.severity})",
        )
        if self.pair:
            row = _row(self.pair, self.record)
            text.append(f"\n{row.question}\nThe right answer: {answer(row)}.\nEvidence: {evidence_rule(row)}")
        return text

    def _step(self, index: int) -> RenderableType:
        call = self.record.transcript.calls[index]
        lines = readable(call.tool, Shown.from_dict(call.shown)).splitlines()
        more = f"\n… {len(lines) - LINES} more lines" if len(lines) > LINES else ""
        argument = next((str(value) for value in call.arguments.values()), "")
        asked: RenderableType = Text(argument)
        if call.tool in ("sql", "python"):
            asked = Syntax(argument, call.tool, word_wrap=True, background_color="default")
        parts = [asked, Text("\n".join(lines[:LINES]) + more, style="dim")]
        weighed = self.judged.weighed[index] if self.judged else None
        if weighed and self.judged:
            parts.append(Text(said(weighed, self.judged.worlds), style="bold green" if weighed.evidence else ""))
        title = f"{index}: {call.tool}" + (" — the evidence" if self.record.verdict.evidence == index else "")
        return Panel(Group(*parts), title=title, title_align="left")

    def _end(self) -> RenderableType:
        record, verdict = self.record, self.record.verdict
        text = Text.assemble((OUTCOMES[verdict.outcome], "bold green" if verdict.outcome.success else "bold red"))
        text.append(f". {verdict.reason}\nSubmitted: {record.transcript.submitted or 'nothing'}. Ended: {record.stop}.")
        if self.failure:
            text.append(f" Class: {self.failure.replace('_', ' ')}.")
        if self.judged and self.judged.verdict != verdict:
            text.append(f"\nJudged again: {OUTCOMES[self.judged.verdict.outcome]}. {self.judged.verdict.reason}")
        return Panel(text, title="Verdict", title_align="left")


def said(weighed: Weighed, worlds: Sequence[str]) -> str:
    """What the evidence rule saw in a call, in a sentence.

    >>> said(Weighed(True, True, (True, False), 1.0), ("the clean hospital", "world 1"))
    'No evidence: the patient is named, or need not be; it shows the same in world 1.'
    """
    if not weighed.shown:
        return "No evidence: it shows nothing."
    parts = ["the patient is named, or need not be" if weighed.named else "the patient is neither named nor shown"]
    same = [world for world, differs in zip(worlds, weighed.differs, strict=False) if not differs]
    if same:
        parts.append(f"it shows the same in {', '.join(same)}")
    elif weighed.differs:
        parts.append(f"it shows something else in {', '.join(worlds)}")
    if weighed.own is not None and not same:
        enough = "enough" if weighed.own >= OWN else f"less than the {OWN:.0%} needed"
        parts.append(f"of what differs {weighed.own:.0%} is the asked records' own, {enough}")
    return f"{'Evidence' if weighed.evidence else 'No evidence'}: {'; '.join(parts)}."


def find(run: Run, name: str) -> EpisodeRecord:
    """The episode `TASK` or `TASK/TRIAL` of a run; the beginning of a task's id is enough.

    Raises:
        InputError: There is none, or there are several.
    """
    task, _, trial = name.partition("/")
    records = run.episodes()
    found = [r for r in records if task and r.task_id.startswith(task) and trial in ("", str(r.trial))]
    tasks = sorted({record.task_id for record in found})
    if len(tasks) == 1 and (trial or len(found) == 1):
        return found[0]
    if len(tasks) == 1:
        names = ", ".join(f"{record.task_id}/{record.trial}" for record in found[:5])
        raise InputError(Problem(f"episode {name}", f"the task was worked {len(found)} times", f"name one: {names}"))
    some = ", ".join(tasks[:5]) or next((record.task_id for record in records), "none at all")
    what = f"{len(tasks)} tasks begin like that" if tasks else f"{run.path} has none of that name"
    raise InputError(Problem(f"episode {name}", what, f"write more of it: {some}" if tasks else f"its first is {some}"))


def replayed(record: EpisodeRecord, pair: Pair | None, source: Source | None, stock: Stock | None = None) -> Replayed:
    """An episode, explained as far as release and hospital are known.

    Args:
        record: The episode.
        pair: The pair of its task.
        source: The hospital the release was made from.
        stock: Interpreters for its cells of Python.

    Raises:
        InputError: The pair's overlay does not fit the hospital.
    """
    judged = None
    if pair is not None and source is not None:
        row = _row(pair, record)
        transcript = record.transcript
        weighed: list[Weighed | None] = [None] * len(transcript.calls)
        worlds = (*["the clean hospital"] * row.clean_answers, *(f"world {n}" for n, _ in enumerate(row.worlds, 1)))
        if row.gold is None and not (row.level is Level.QUERY and not row.worlds):
            before = transcript.model_copy(update={"calls": before_the_answer(transcript)})
            with counterfactual(row, source, stock) as hospitals:
                weighed[: len(before.calls)] = [
                    weigh(before, index, hospitals, whole=True) for index in range(len(before.calls))
                ]
        judged = Judged(tuple(weighed), worlds, judge(transcript, row, source, stock=stock))
    return Replayed(record, pair, judged)


def _row(pair: Pair, record: EpisodeRecord) -> GoldRow:
    return pair.clean if pair.clean.task_id == record.task_id else pair.noise
