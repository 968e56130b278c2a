"""The tools of episodes over MCP: over stdio one episode a process, over HTTP one episode a path.

A client sees a task's question, its tools and what they show; nothing of condition, gold or verdict is in the messages,
nor is there a tool that asks for it. The paths name tasks by their ids, which say nothing of them.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

import anyio
import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from robustgym.agents.llm import Conversation
from robustgym.environment import Action, Environment, Gym, Observation
from robustgym.evaluation.episodes import recorded, spoken
from schemas.errors import InputError, Problem
from schemas.runs import EpisodeRecord, Messages, Stop, TaskFacts
from schemas.version import CODE_VERSION

PATH = "/{task_id}/mcp"
"""Where a task's episode is, over HTTP."""

QUESTION = "question"
_QUESTION = (
    "Read the question of this task, the form of its answer and the budget. Read-only, without arguments; it may be "
    "called at any time and counts as no turn."
)
_INSTRUCTIONS = (
    "A question about a hospital's records (MIMIC-IV) and the tools to answer it with. Call question first; the task "
    "ends when submit takes an answer, or when the budget is used up."
)

Ended = Callable[[EpisodeRecord, Messages], None]
"""Told of each episode that has ended, with its verdict: the evaluator's, never the client's."""


class Served:
    """One episode that a client works. From any thread, one call at a time."""

    def __init__(self, gym: Gym, task_id: str, ended: Callable[[Served], None]) -> None:
        self.task_id = task_id
        self._environment = Environment(gym)
        self._began = time.monotonic()
        self.observation: Observation = self._environment.reset(task_id)
        self._ended, self._lock, self._over = ended, threading.Lock(), False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What a call shows, and whether it is an error."""
        with self._lock:
            result = self._environment.step(Action(tool, arguments))
            self._finish_if_over()
            return result.text, result.shown.error is not None

    def end(self) -> None:
        """End it, if it goes on still: the client has left."""
        with self._lock:
            self._environment.end(Stop.GAVE_UP)
            self._finish_if_over()
            self._environment.close()

    def record(self, gym: Gym, facts: TaskFacts) -> tuple[EpisodeRecord, Messages]:
        """The record of what was done, with its verdict."""
        row = gym.row(self.task_id)
        said = Conversation(spoken(self.observation, self._environment.transcript))
        record = recorded(self._environment, row, 0, facts, time.monotonic() - self._began, said)
        return record, Messages(task_id=self.task_id, trial=0, messages=tuple(said.messages))

    def _finish_if_over(self) -> None:
        if self._environment.stop is not None and not self._over:
            self._over = True
            self._ended(self)


class Episodes:
    """The episodes that a server offers, each begun when it is first asked for."""

    def __init__(
        self, gym: Gym, task_ids: Iterable[str], facts: Mapping[str, TaskFacts], ended: Ended | None = None
    ) -> None:
        self.gym = gym
        self.task_ids = tuple(task_ids)
        self._facts, self._told = facts, ended
        # Judging takes a while, and how long depends on the task: the client does not wait for it.
        self._judging = ThreadPoolExecutor(1)
        self._served: dict[str, Served] = {}
        self._judged: list[Future[None]] = []
        self._lock = threading.Lock()

    def of(self, task_id: str) -> Served:
        """The episode of a task.

        Raises:
            KeyError: It is not offered.
        """
        if task_id not in self.task_ids:
            raise KeyError(task_id)
        with self._lock:
            if task_id not in self._served:
                self._served[task_id] = Served(self.gym, task_id, self._ended)
            return self._served[task_id]

    def close(self) -> None:
        """End those that go on still."""
        for served in self._served.values():
            served.end()
        self._judging.shutdown()
        for judged in self._judged:
            judged.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _ended(self, served: Served) -> None:
        if self._told:
            self._judged.append(self._judging.submit(self._tell, served, self._told))

    def _tell(self, served: Served, told: Ended) -> None:
        told(*served.record(self.gym, self._facts[served.task_id]))


def over_stdio(episodes: Episodes) -> None:
    """Serve the one episode there is over this process's stdin and stdout, until the client leaves."""
    [task_id] = episodes.task_ids
    server = _server(episodes, lambda context: task_id)

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def over_http(episodes: Episodes, host: str, port: int, ready: Callable[[str], None] | None = None) -> None:
    """Serve episodes over streamable HTTP, each at its own path, until interrupted.

    Args:
        episodes: What is offered.
        host: Address to listen at.
        port: Port; 0 takes a free one.
        ready: Told the address once it listens: `http://127.0.0.1:8765`.

    Raises:
        InputError: The address cannot be had.
    """
    server = _server(episodes, lambda context: str(context.request.path_params["task_id"]))
    app = server.streamable_http_app(streamable_http_path=PATH, host=host)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning")
    try:
        listening = config.bind_socket()
    except (OSError, SystemExit):
        raise InputError(
            Problem(f"--http {host}:{port}", "cannot listen there", "name another address or port")
        ) from None
    # Who is told may call at once: what comes before the server runs waits.
    listening.listen(128)
    if ready:
        ready(f"http://{host if ':' not in host else f'[{host}]'}:{listening.getsockname()[1]}")
    uvicorn.Server(config).run(sockets=[listening])


def _server(episodes: Episodes, task_of: Callable[[Any], str]) -> Server[dict[str, Any]]:
    """The MCP server; `task_of` says whose episode a request belongs to."""
    Context = ServerRequestContext[dict[str, Any]]

    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        served = await _found(episodes, task_of(context))
        empty = {"type": "object", "properties": {}, "additionalProperties": False}
        tools = [types.Tool(name=QUESTION, description=_QUESTION, input_schema=empty)]
        for tool in served.observation.tools if served else ():
            function = tool["function"]
            tools.append(
                types.Tool(
                    name=function["name"], description=function["description"], input_schema=function["parameters"]
                )
            )
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        served = await _found(episodes, task_of(context))
        if served is None:
            return _result("Error: there is no such task here.", True)
        if params.name == QUESTION:
            return _result(_asked(served.observation), False)
        work: Callable[[], tuple[str, bool]] = lambda: served.call(params.name, params.arguments or {})  # noqa: E731
        return _result(*await anyio.to_thread.run_sync(work))

    return Server(
        "robustgym",
        version=CODE_VERSION,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _found(episodes: Episodes, task_id: str) -> Awaitable[Served | None]:
    """The episode of a task, opened off the event loop; None if it is not offered."""

    def find() -> Served | None:
        try:
            return episodes.of(task_id)
        except KeyError:
            return None

    return anyio.to_thread.run_sync(find)


def _result(text: str, wrong: bool) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)


def _asked(observation: Observation) -> str:
    budget = observation.budget
    contract = observation.answer.model_dump(mode="json", exclude_defaults=True)
    return (
        f"{observation.question}\n\nAnswer: {observation.answer.contract}; as data: {json.dumps(contract)}\n"
        f"Budget: {budget.turns} tool calls, {budget.seconds:g} seconds."
    )
