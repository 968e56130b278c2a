"""A run: every episode of a plan, side by side, each on the disk as soon as it has ended."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from robustgym import agents, atif
from robustgym.agents import Agent
from robustgym.agents.llm import Llm, Protocol
from robustgym.environment import Gym
from robustgym.evaluation.episodes import Worked, Worker
from robustgym.evaluation.plan import Plan
from robustgym.facts import facts
from robustgym.runs import Key, Log, Run
from schemas.errors import InputError, Problem
from schemas.pairs import Condition, GoldRow, Split
from schemas.runs import EpisodeRecord, RunManifest, Stop
from schemas.verdicts import Outcome

Progress = Callable[[str, int, int], None]
"""Called after each episode with how it stands, how many are done, and how many there are."""

FAILURES = 5
"""An endpoint that failed so many episodes in a row, or one for each that is under way, is down: the run stops."""


@dataclass(frozen=True)
class Finished:
    """What came of a run, in short. `robustgym report` says it at length."""

    manifest: RunManifest
    records: tuple[EpisodeRecord, ...]

    @property
    def failed(self) -> int:
        """Episodes that the endpoint failed; they are asked again when the run is called again."""
        return sum(record.stop is Stop.FAILED for record in self.records)

    def score(self, condition: Condition | None = None) -> tuple[float, int]:
        """Share of successes among the judged episodes of a condition, and how many those are."""
        judged = [
            record.verdict.outcome.success
            for record in self.records
            if condition in (None, record.facts.condition) and record.verdict.outcome is not Outcome.UNJUDGED
        ]
        return (sum(judged) / len(judged) if judged else float("nan")), len(judged)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        outcomes = Counter((r.facts.condition, r.verdict.outcome) for r in self.records)
        costs = [r.usage.cost for r in self.records if r.usage.cost is not None]
        return {
            "run": self.manifest.name,
            "agent": self.manifest.agent,
            "model": self.manifest.model.name if self.manifest.model else None,
            "release": f"{self.manifest.release} {self.manifest.release_version}",
            "episodes": len(self.records),
            "failed": self.failed,
            "conditions": [
                {
                    "condition": condition,
                    "judged": self.score(condition)[1],
                    "success": self.score(condition)[0] if self.score(condition)[1] else None,
                    "outcomes": {o: outcomes[condition, o] for o in Outcome if outcomes[condition, o]},
                }
                for condition in Condition
            ],
            "turns": sum(r.turns for r in self.records),
            "requests": sum(r.usage.requests for r in self.records),
            "retries": sum(r.usage.retries for r in self.records),
            "prompt_tokens": sum(r.usage.prompt_tokens for r in self.records),
            "completion_tokens": sum(r.usage.completion_tokens for r in self.records),
            "cost": sum(costs) if costs else None,
        }


def evaluate(plan: Plan, gym: Gym, progress: Progress | None = None) -> Finished:
    """Work every episode of a plan that the run does not hold yet.

    Args:
        plan: The plan.
        gym: Its release, open with its hospital.
        progress: Told how far it has come.

    Raises:
        InputError: The run was begun with other arguments, or the endpoint is down; what has ended is kept.
    """
    manifest = plan.manifest(gym)
    with ExitStack() as opened:
        log = opened.enter_context(Log.open(plan.asked.out, manifest))
        keys = [(row, trial) for trial in range(plan.asked.k) for row in plan.rows]
        open_ = [(row, trial) for row, trial in keys if (row.task_id, trial) not in log.done]
        if open_:
            asked = plan.asked
            known = facts(plan.release, gym.source, plan.rows)
            worker = Worker(gym, known, asked.budget, asked.seed, asked.price_in, asked.price_out)
            agent_of = _agents(plan, opened)

            def work(item: tuple[GoldRow, int]) -> Worked:
                row, trial = item
                return worker.work(agent_of(trial), row, trial)

            ended = _side_by_side(work, open_, plan.concurrency)
            _keep(ended, log, plan, len(keys), progress)
        order: dict[Key, int] = {(row.task_id, trial): number for number, (row, trial) in enumerate(keys)}
        records = sorted(log.done.values(), key=lambda record: order[record.task_id, record.trial])
        atif.write(Run(log.path, log.manifest))
        return Finished(log.manifest, tuple(records))


def _agents(plan: Plan, opened: ExitStack) -> Callable[[int], Agent | Llm]:
    """The agent of each trial: independent trials of a scripted agent differ in its seed."""
    if plan.endpoint is not None:
        chat = plan.chat()
        opened.callback(chat.close)
        protocol: Protocol = "text" if plan.asked.protocol == "text" else "tools"
        model = Llm(chat, protocol)
        return lambda trial: model
    train = plan.release.gold(Split.TRAIN) if agents.knows_gold(plan.agent) else ()
    known = {"rows": plan.rows, "train": train}
    made = [agents.make(plan.agent, **known, seed=f"{plan.seed}/{trial}") for trial in range(plan.asked.k)]
    return lambda trial: made[trial]


def _keep(ended: Iterator[Worked], log: Log, plan: Plan, total: int, progress: Progress | None) -> None:
    """Put each episode on the disk; stop where the endpoint is down."""
    in_a_row, right, judged, cost = 0, 0, 0, 0.0
    for record in log.done.values():
        right, judged = right + record.verdict.outcome.success, judged + 1
        cost += record.usage.cost or 0.0
    answered = bool(log.done)
    try:
        for worked in ended:
            record = worked.record
            log.add(record, worked.messages)
            for model in worked.models:
                log.saw(model)
            cost += record.usage.cost or 0.0
            if record.stop is Stop.FAILED:
                in_a_row += 1
                if (worked.hopeless and not answered) or in_a_row >= max(FAILURES, plan.concurrency):
                    do = "mend it and call the same again: what has ended is kept, what failed is asked again"
                    raise InputError(Problem(f"--model {plan.asked.model}", record.error or "failed", do))
            else:
                in_a_row, answered = 0, True
                right, judged = right + record.verdict.outcome.success, judged + 1
            if progress:
                standing = f"{right / judged:.0%} right" if judged else "none judged yet"
                progress(standing + (f", ${cost:.2f}" if cost else ""), len(log.done), total)
    finally:
        ended.close()  # type: ignore[attr-defined]


def _side_by_side(
    work: Callable[[tuple[GoldRow, int]], Worked], items: Sequence[tuple[GoldRow, int]], threads: int
) -> Iterator[Worked]:
    """Episodes as they end. When nobody asks for more, none is begun; those under way are given up.

    Raises:
        Exception: What working an episode raised.
    """
    waiting = iter(items)
    taking, stop = threading.Lock(), threading.Event()
    done: queue.Queue[Worked | BaseException | None] = queue.Queue()

    def run() -> None:
        while not stop.is_set():
            with taking:
                item = next(waiting, None)
            if item is None:
                break
            try:
                done.put(work(item))
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                done.put(error)
                break
        done.put(None)

    # Daemons: an interrupted run does not wait for a model that takes minutes.
    crew = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, len(items)))]
    for thread in crew:
        thread.start()
    running = len(crew)
    try:
        while running:
            match done.get():
                case None:
                    running -= 1
                case Worked() as worked:
                    yield worked
                case BaseException() as error:
                    raise error
    finally:
        stop.set()
        for thread in crew:
            thread.join(timeout=2)
