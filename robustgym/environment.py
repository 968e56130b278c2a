"""The gym: a release and its hospital, in which any number of episodes are worked at the same time.

with Gym.open(release, warehouse) as gym, gym.environment() as environment:
    observation = environment.reset(task_id)
    result = environment.step(Action("sql", {"statement": "SELECT ..."}))
    ...
    verdict = environment.verdict()
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

from robustgym.episode import Episode, session_of
from robustgym.hospital import SECONDS, Hospital
from robustgym.readable import readable
from robustgym.reader import Source
from robustgym.release import Release
from robustgym.sandbox import Box, Query, Stock
from robustgym.shown import Shown
from robustgym.tools import described
from robustgym.verifier import judge
from robustgym.verify import same_source
from robustgym.warehouse import Warehouse
from robustgym.workers import Pool
from schemas.answers import AnswerType
from schemas.errors import InputError, Problem
from schemas.pairs import GoldRow, Split
from schemas.runs import Budget, Isolation, Stop
from schemas.verdicts import Transcript, Verdict

WAREHOUSES = Path("data") / "warehouse"
"""Where `robustgym build` keeps the staged tables of its sources."""

SAID = {
    Stop.SUBMITTED: "an answer was given",
    Stop.TURNS: "all turns are used",
    Stop.SECONDS: "the time is used up",
    Stop.TOKENS: "the tokens are used up",
    Stop.GAVE_UP: "the agent gave up",
    Stop.FAILED: "it failed",
}
"""Why an episode is over, in words."""


class Action(NamedTuple):
    """One tool call."""

    tool: str
    arguments: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent is told before its first step, and nothing else: both conditions are told the same."""

    question: str
    """The question; it says in words what to return."""
    answer: AnswerType
    """The same as data: the contract of the answer."""
    tools: list[dict[str, Any]]
    """JSON schemas of the tools, as OpenAI-compatible endpoints take them."""
    budget: Budget


class Left(NamedTuple):
    """What is left of the budget."""

    turns: int
    seconds: float
    tokens: int


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step showed. Nothing in it tells whether the agent is on the right way."""

    text: str
    """What the tool showed, to be read."""
    shown: Shown
    """The same as data; it is what the transcript keeps."""
    over: bool
    stop: Stop | None
    """Why the episode is over."""
    left: Left


class Gym:
    """A release and its hospital, open for episodes. May be shared by threads; each has an environment of its own.

    Made by `open`, or over a hospital that is open already, which then is whoever's opened it.
    """

    def __init__(
        self,
        release: Release,
        source: Source,
        *,
        stock: Stock | None = None,
        budget: Budget = Budget(),  # noqa: B008 - immutable
    ) -> None:
        self.release, self.source, self.stock, self.budget = release, source, stock, budget
        self._rows = {row.task_id: row for row in release.rows}
        self._opened = ExitStack()

    @classmethod
    def open(
        cls,
        release: Release | Path | str,
        warehouse: Warehouse | Path | str | None = None,
        *,
        budget: Budget = Budget(),  # noqa: B008 - immutable
        workers: int | None = None,
        python: bool = True,
        unsafe_python: bool = False,
        seconds: float = SECONDS,
    ) -> Gym:
        """Open a release with the hospital it was made from.

        Args:
            release: The release, or its directory.
            warehouse: The staged tables of its source; by default those below `data/warehouse` that fit.
            budget: What each episode may use.
            workers: Processes for the agents' SQL; one per core if not said. 0 runs it in this process, where nothing
                but the guard keeps it from the gold: for statements that are trusted.
            python: Whether there is a Python tool, where a sandbox is to be had.
            unsafe_python: Run it without a sandbox, as whoever runs the gym.
            seconds: A statement is stopped after so long.

        Raises:
            InputError: There is no such release, or no warehouse that holds the records it was made from.
        """
        opened = release if isinstance(release, Release) else Release.open(release)
        found = its_warehouse(opened, warehouse)
        with ExitStack() as opening:
            if workers == 0:
                source: Hospital | Pool = opening.enter_context(Hospital.open(found, seconds=seconds))
            else:
                source = opening.enter_context(Pool.open(found, workers=workers, seconds=seconds))
            stock = opening.enter_context(Stock(unsafe=unsafe_python)) if python else None
            gym = cls(opened, source, stock=stock, budget=budget)
            gym._opened = opening.pop_all()
        return gym

    @property
    def isolation(self) -> Isolation:
        """What keeps the agents from everything else, for a run's manifest."""
        sql = self.source.isolation if isinstance(self.source, Pool) else "the gym's own process"
        return Isolation(sql=sql, python=str(self.stock.isolation) if self.stock else "off: not asked for")

    def environment(self, budget: Budget | None = None) -> Environment:
        """A seat for one agent; it works one task after the other.

        Args:
            budget: What each of its episodes may use, if it is another than the gym's.
        """
        return Environment(self, budget=budget)

    def tasks(self, split: Split) -> tuple[str, ...]:
        """Ids of a split's tasks, sorted."""
        return tuple(task.task_id for task in self.release.tasks(split))

    def row(self, task_id: str) -> GoldRow:
        """A task's gold row. It is the evaluator's; no step shows any of it.

        Raises:
            InputError: The release has no such task.
        """
        try:
            return self._rows[task_id]
        except KeyError:
            some = next(iter(self._rows), "none at all")
            do = f"name one of its tasks, such as {some}"
            raise InputError(Problem(f"task {task_id}", "the release has no such task", do)) from None

    def close(self) -> None:
        """Close what `open` has opened. Its environments must be closed before."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Environment:
    """One agent's seat: a task is reset, worked step by step within a budget, and judged apart from it.

    Not to be shared by threads.
    """

    def __init__(
        self,
        gym: Gym | Release | Path | str,
        warehouse: Warehouse | Path | str | None = None,
        *,
        budget: Budget | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take a seat.

        Args:
            gym: The gym; or a release, for which one is opened, and closed with the environment.
            warehouse: Given a release, the staged tables of its source (see `Gym.open`).
            budget: What an episode may use, if it is another than the gym's.
            clock: What its seconds are counted by.

        Raises:
            InputError: There is no such release, or no warehouse for it.
        """
        self._gym = gym if isinstance(gym, Gym) else Gym.open(gym, warehouse)
        self._owns = self._gym is not gym
        self._clock = clock
        self.budget = budget if budget is not None else self._gym.budget
        self._opened = ExitStack()
        self._row: GoldRow | None = None
        self._began: float | None = None
        self._stop: Stop | None = None

    def reset(self, task_id: str) -> Observation:
        """Begin a task, from the start.

        Args:
            task_id: One of the release's tasks.

        Raises:
            InputError: The release has no such task.
        """
        row = self._gym.row(task_id)
        self._opened.close()
        reader = self._opened.enter_context(session_of(self._gym.source, row))
        stock = self._gym.stock if self._gym.stock and self._gym.stock.isolation.on else None
        interpreter = _Interpreter(stock, self._opened) if stock else None
        self._episode = Episode(reader, row.task, interpreter)
        self._row, self._turns, self._tokens, self._began, self._stop = row, 0, 0, None, None
        return Observation(row.question, row.answer, described(python=stock is not None), self.budget)

    def step(self, action: Action | Mapping[str, Any]) -> StepResult:
        """Call a tool.

        A call that is wrong in itself is answered with an error and counts as a turn. After the end nothing is called,
        counted or recorded.

        Args:
            action: The tool and its arguments: an `Action`, or a mapping with `tool` and `arguments`.
        """
        episode = self._working()
        if self._over():
            return self._result(Shown(error=f"The episode is over: {SAID[self.stop or Stop.FAILED]}."), "", None)
        if not isinstance(action, Action):
            action = Action(str(action.get("tool", "")), action.get("arguments") or {})
        arguments = action.arguments if isinstance(action.arguments, Mapping) else {}
        began = self._clock()
        self._began = began if self._began is None else self._began
        self._turns += 1
        shown = episode.call(action.tool, arguments)
        return self._result(shown, action.tool, self._clock() - began)

    def used(self, tokens: int) -> None:
        """Count tokens that the model has used; the caller knows them from the endpoint.

        Args:
            tokens: Prompt and completion of one request.
        """
        self._working()
        self._tokens += tokens

    def end(self, stop: Stop) -> None:
        """End the episode from outside: the agent gave up, or its endpoint failed. What has ended stays as it ended."""
        self._working()
        self._stop = self.stop or stop

    @property
    def stop(self) -> Stop | None:
        """Why the episode is over; None while it goes on."""
        if self._stop is None and self._row is not None:
            left = self.left
            if self._episode.submitted:
                self._stop = Stop.SUBMITTED
            elif left.turns <= 0:
                self._stop = Stop.TURNS
            elif left.seconds <= 0:
                self._stop = Stop.SECONDS
            elif left.tokens <= 0:
                self._stop = Stop.TOKENS
        return self._stop

    @property
    def left(self) -> Left:
        """What is left of the budget; time runs from the first step."""
        passed = 0.0 if self._began is None else self._clock() - self._began
        budget = self.budget
        left = (budget.turns - self._turns, budget.seconds - passed, budget.tokens - self._tokens)
        return Left(max(0, left[0]), max(0.0, left[1]), max(0, left[2]))

    @property
    def transcript(self) -> Transcript:
        """The episode so far."""
        return self._working().transcript

    def verdict(self) -> Verdict:
        """Judge the episode as it stands. It is the evaluator's: nothing of it goes to the agent."""
        transcript = self._working().transcript
        assert self._row is not None
        return judge(transcript, self._row, self._gym.source, recorded=True, stock=self._gym.stock)

    def close(self) -> None:
        """Give up the task's session and interpreter, and the gym if it was opened for this environment."""
        self._opened.close()
        if self._owns:
            self._gym.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _working(self) -> Episode:
        if self._row is None:
            raise RuntimeError("no task has been begun: call reset(task_id)")
        return self._episode

    def _over(self) -> bool:
        return self.stop is not None

    def _result(self, shown: Shown, tool: str, seconds: float | None) -> StepResult:
        return StepResult(readable(tool, shown, seconds), shown, self._over(), self.stop, self.left)


class _Interpreter:
    """An episode's Python, taken from the stock with its first cell: who works with SQL alone pays for none."""

    def __init__(self, stock: Stock, opened: ExitStack) -> None:
        self._stock, self._opened = stock, opened
        self._box: Box | None = None

    def __call__(self, code: str, query: Query) -> Shown:
        if self._box is None:
            self._box = self._opened.enter_context(self._stock.take())
        return self._box.run(code, query)


def its_warehouse(release: Release, warehouse: Warehouse | Path | str | None) -> Warehouse:
    """The staged tables that a release was made from.

    Raises:
        InputError: They are not there, or are others.
    """
    source, name = release.manifest.source, f"release {release.manifest.name}"
    if warehouse is None:
        for folder in sorted(WAREHOUSES.glob("*/")):
            if (folder / ".staging").is_dir():
                found = Warehouse.open(folder)
                if found.fingerprint == source.fingerprint:
                    return found
        what = f"no warehouse below {WAREHOUSES} holds the records it was made from ({source.kind} {source.version})"
        do = "name the warehouse, or stage the source again with `robustgym verify RELEASE --source DIR`"
        raise InputError(Problem(name, what, do))
    found = warehouse if isinstance(warehouse, Warehouse) else Warehouse.open(warehouse)
    if others := list(same_source(release, found)):
        raise InputError(Problem(name, said, "name the warehouse of its own source") for said in others)
    return found
