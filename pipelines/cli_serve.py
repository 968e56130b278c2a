"""The command that serves episodes over MCP: `serve`. Over stdio, stdout is the protocol's: nothing else goes there."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from pipelines.cli_console import watch
from pipelines.cli_release import warehouse_of
from robustgym.environment import Gym
from robustgym.facts import facts
from robustgym.harness import harness_sha256, software
from robustgym.layout import MANIFEST
from robustgym.licence import LICENCES, require_permission
from robustgym.release import Release
from robustgym.runs import Log
from schemas.errors import InputError, Problem
from schemas.pairs import Split
from schemas.runs import Budget, RunManifest
from schemas.version import CODE_VERSION

AGENT = "mcp"
"""Agent of a run whose episodes were worked by MCP clients: who they were is not known."""


def serve(
    release: Path,
    *,
    task: str | None,
    split: str | None,
    http: str | None,
    out: Path | None,
    source: Path | None,
    warehouse: Path | None,
    budget: Mapping[str, Any],
    python: bool,
    confirmed: bool,
) -> None:
    """Serve until the client leaves (stdio) or the command is interrupted (HTTP)."""
    opened = Release.open(release)
    task_ids, of = _offered(opened, task, split, http)
    host, port = _address(http) if http else ("", 0)
    ground = require_permission(opened.manifest.licence, f"http://{host}" if http else "http://localhost", confirmed)
    print(f"served because {ground}", file=sys.stderr)
    if not LICENCES[opened.manifest.licence].public:
        print("the records are credentialed: a client must not send them to a model elsewhere", file=sys.stderr)
    serving = _serving()
    with ExitStack() as stack:
        with watch("serve") as progress:
            where = warehouse_of(source, progress) if source else warehouse
            gym = stack.enter_context(Gym.open(opened, where, budget=Budget(**budget), python=python))
        known, ended = {}, None
        if out is not None:
            log = stack.enter_context(Log.open(out, _manifest(opened, gym, of, out)))
            task_ids = tuple(task_id for task_id in task_ids if (task_id, 0) not in log.done)
            if not task_ids:
                raise InputError(Problem(f"--out {out}", "holds the episode already", "name another directory"))
            known = facts(opened, gym.source, [gym.row(task_id) for task_id in task_ids])
            ended = log.add
        episodes = stack.enter_context(serving.Episodes(gym, task_ids, known, ended))
        if http:
            serving.over_http(episodes, host, port, lambda address: _say(address, task_ids))
        else:
            serving.over_stdio(episodes)


def _offered(release: Release, task: str | None, split: str | None, http: str | None) -> tuple[tuple[str, ...], Split]:
    """Ids of the tasks that are offered, and the split they are of.

    Raises:
        InputError: None is named, or several for a single client.
    """
    problems = []
    if split is not None and split not in tuple(Split):
        problems.append(Problem(f"--split {split}", "there is none of that name", "use test or train"))
    if task is None and http is None:
        problems.append(
            Problem("--task", "missing, and over stdio one process is one episode", "name it, or add --http")
        )
    if task is not None and split is not None:
        problems.append(Problem("--task and --split", "both are given", "give one of them"))
    if problems:
        raise InputError(problems)
    if task is None:
        of = Split(split or Split.TEST)
        return tuple(found.task_id for found in release.tasks(of)), of
    row = {row.task_id: row for row in release.rows}.get(task)
    if row is None:
        first = release.tasks(Split.TEST)[0].task_id
        raise InputError(Problem(f"--task {task}", "the release has no such task", f"its first one is {first}"))
    return (task,), row.split


def _address(http: str) -> tuple[str, int]:
    """Host and port.

    Raises:
        InputError: It is not that.

    >>> _address("127.0.0.1:8765"), _address("[::1]:0")
    (('127.0.0.1', 8765), ('::1', 0))
    """
    host, colon, port = http.rpartition(":")
    if not colon or not host or not port.isdigit() or int(port) > 65_535:
        raise InputError(Problem(f"--http {http}", "not a host and a port", "write for example 127.0.0.1:8765"))
    return host.strip("[]"), int(port)


def _say(address: str, task_ids: tuple[str, ...]) -> None:
    shown = "".join(f"\n  {address}/{task_id}/mcp" for task_id in task_ids[:5])
    more = f"\n  and so on, {len(task_ids):,} tasks" if len(task_ids) > 5 else ""
    print(f"serving MCP, one episode at each of{shown}{more}", file=sys.stderr, flush=True)


def _manifest(release: Release, gym: Gym, split: Split, out: Path) -> RunManifest:
    made = release.manifest
    return RunManifest(
        name=out.resolve().name,
        release=made.name,
        release_version=made.version,
        release_sha256=hashlib.sha256((release.path / MANIFEST).read_bytes()).hexdigest(),
        licence=made.licence,
        agent=AGENT,
        split=split,
        tasks=len(release.tasks(split)),
        budget=gym.budget,
        isolation=gym.isolation,
        harness_version=CODE_VERSION,
        harness_sha256=harness_sha256(),
        software=software(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _serving() -> Any:
    """The module that speaks MCP.

    Raises:
        InputError: Its packages are not installed.
    """
    try:
        return import_module("robustgym.serving")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("anyio", "mcp", "uvicorn"):
            raise
        do = "run `pip install 'ehr-robustgym[mcp]'`"
        raise InputError(Problem(f"the package {error.name}", "not installed, and MCP needs it", do)) from None
