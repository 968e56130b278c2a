"""One episode of a run: worked, judged, and put into words."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from robustgym.agents import Agent
from robustgym.agents.llm import Conversation, Llm
from robustgym.environment import Action, Environment, Gym, Observation
from robustgym.readable import readable
from robustgym.shown import Shown
from schemas.pairs import GoldRow
from schemas.runs import Budget, EpisodeRecord, Messages, Stop, TaskFacts, Usage
from schemas.verdicts import Outcome, Transcript, Verdict


@dataclass
class Stopwatch:
    """Time that passes for an agent: not while its endpoint is busy or failing."""

    idle: float = 0.0
    _began: float = field(default_factory=time.monotonic)

    def __call__(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self._began - self.idle

    def wait(self, seconds: float) -> None:
        """Take out so many seconds."""
        self.idle += seconds


class Seat:
    """An environment as a scripted agent uses it: the tools by their names, within the budget."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def schema(self, table: str | None = None) -> Shown:
        """Look at the tables, or at the columns of one."""
        return self._call("schema", {"table": table} if table is not None else {})

    def sql(self, statement: str) -> Shown:
        """Run a statement."""
        return self._call("sql", {"statement": statement})

    def python(self, code: str) -> Shown:
        """Run a cell of Python."""
        return self._call("python", {"code": code})

    def submit(self, answer: str) -> Shown:
        """Give the answer, as JSON text."""
        return self._call("submit", {"answer": answer})

    @property
    def transcript(self) -> Transcript:
        """The episode so far."""
        return self._environment.transcript

    def _call(self, tool: str, arguments: Mapping[str, str]) -> Shown:
        return self._environment.step(Action(tool, arguments)).shown


@dataclass(frozen=True)
class Worked:
    """An episode that has ended."""

    record: EpisodeRecord
    messages: Messages
    models: tuple[str, ...] = ()
    """What the endpoint called the model that answered."""
    hopeless: bool = False
    """Whether the endpoint refused in a way that asking again cannot help."""


@dataclass(frozen=True)
class Worker:
    """Works the episodes of a run, in any thread."""

    gym: Gym
    facts: Mapping[str, TaskFacts]
    budget: Budget
    seed: int | None = None
    """Sent to the endpoint with the trial's number added, if the user asked for it."""
    price_in: float | None = None
    price_out: float | None = None

    def work(self, agent: Agent | Llm, row: GoldRow, trial: int) -> Worked:
        """Work an episode and judge it.

        Args:
            agent: Who works.
            row: The task's gold row.
            trial: Which of the task's episodes it is.
        """
        watch = Stopwatch()
        with Environment(self.gym, budget=self.budget, clock=watch) as environment:
            observation = environment.reset(row.task_id)
            began = watch()
            if isinstance(agent, Llm):
                seed = None if self.seed is None else self.seed + trial
                said = agent.converse(
                    environment, observation, name=f"{row.task_id}/{trial}", seed=seed, idle=watch.wait
                )
            else:
                agent.run(row.task, Seat(environment))
                environment.end(Stop.GAVE_UP)
                said = Conversation(spoken(observation, environment.transcript))
            record = recorded(
                environment, row, trial, self.facts[row.task_id], watch() - began, said, self._usage(said)
            )
        messages = Messages(task_id=row.task_id, trial=trial, messages=tuple(said.messages))
        return Worked(record, messages, tuple(said.models), bool(said.error and said.error.hopeless))

    def _usage(self, said: Conversation) -> Usage:
        cost = None
        if self.price_in is not None and self.price_out is not None and said.requests:
            cost = (said.prompt_tokens * self.price_in + said.completion_tokens * self.price_out) / 1e6
        return Usage(
            requests=said.requests,
            retries=said.retries,
            prompt_tokens=said.prompt_tokens,
            completion_tokens=said.completion_tokens,
            cost=cost,
        )


def recorded(
    environment: Environment,
    row: GoldRow,
    trial: int,
    facts: TaskFacts,
    seconds: float,
    said: Conversation,
    usage: Usage = Usage(),  # noqa: B008 - immutable
) -> EpisodeRecord:
    """The record of an episode that has ended, with its verdict.

    Args:
        environment: Where it was worked.
        row: The task's gold row.
        trial: Which of the task's episodes it was.
        facts: Facts of the task.
        seconds: Wall time it took.
        said: What was said, and whether the endpoint failed.
        usage: What it used.
    """
    stop, transcript = environment.stop or Stop.GAVE_UP, environment.transcript
    if stop is Stop.FAILED:
        why = f"The endpoint failed. {said.error}."
        verdict = Verdict(task_id=row.task_id, outcome=Outcome.UNJUDGED, reason=why)
    else:
        verdict = environment.verdict()
    return EpisodeRecord(
        task_id=row.task_id,
        trial=trial,
        facts=facts,
        transcript=transcript,
        verdict=verdict,
        stop=stop,
        turns=len(transcript.calls),
        invalid_calls=sum("error" in call.shown for call in transcript.calls),
        seconds=round(seconds, 3),
        usage=usage,
        error=str(said.error) if said.error else None,
    )


def spoken(observation: Observation, transcript: Transcript) -> list[dict[str, object]]:
    """What a scripted agent did, as the conversation that a model would have had."""
    messages: list[dict[str, object]] = [{"role": "user", "content": observation.question}]
    for number, call in enumerate(transcript.calls):
        function = {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        called = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [called]})
        text = readable(call.tool, Shown.from_dict(call.shown))
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": text})
    return messages
