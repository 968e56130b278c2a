"""The tools of an episode over MCP, used by the SDK's own client: over stdio and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from robustgym.gold import canonical
from robustgym.release import Release
from robustgym.runs import Run
from robustgym.tools import described
from schemas.pairs import Condition, GoldRow, Split
from schemas.verdicts import Outcome
from tests import small_release

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release and its warehouse."""
    return small_release.build(tmp_path_factory.mktemp("small"))


def command(made: tuple[Path, Path], *more: str) -> list[str]:
    release, warehouse = made
    return [
        sys.executable,
        "-m",
        "pipelines.cli",
        "serve",
        str(release),
        "--warehouse",
        str(warehouse),
        "--no-python",
        *more,
    ]


def row_of(made: tuple[Path, Path], condition: Condition) -> GoldRow:
    return next(row for row in Release.open(made[0]).gold(Split.TEST) if row.condition is condition)


async def worked(target: Any, row: GoldRow, mode: Any = "auto") -> list[Any]:
    """What a client is sent as it works a task to its end, and beyond."""
    seen: list[Any] = []
    async with Client(target, mode=mode) as client:

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            seen.append(result.model_dump(mode="json"))
            return result

        listed = await client.list_tools()
        seen.append(listed.model_dump(mode="json"))
        assert_tools_are_the_gyms(listed.tools)
        asked = await call("question")
        assert row.question in asked.content[0].text
        wrong = await call("sql", statement="SELECT * FROM no_such_table")
        assert wrong.is_error
        assert "no table" in wrong.content[0].text
        refused = await call("sql", statement="SELECT * FROM read_csv('/etc/passwd')")
        assert refused.is_error
        assert (await call("no_such_tool")).is_error
        shown = await call("sql", statement=row.witness_sql)
        assert not shown.is_error
        assert "[" in shown.content[0].text
        malformed = await call("submit", answer="about four")
        assert malformed.is_error
        taken = await call("submit", answer=canonical(row.gold))
        assert not taken.is_error
        after = await call("sql", statement="SELECT 1")
        assert after.is_error
        assert "over" in after.content[0].text
    return seen


def assert_tools_are_the_gyms(tools: list[Any]) -> None:
    """The same contract as everywhere, and a way to read the question."""
    names = [tool.name for tool in tools]
    due = [tool["function"] for tool in described(python="python" in names)]
    assert names == ["question", *(function["name"] for function in due)]
    for tool, function in zip(tools[1:], due, strict=True):
        assert (tool.description, tool.input_schema) == (function["description"], function["parameters"])


def assert_nothing_of_the_gold(seen: list[Any], row: GoldRow) -> None:
    told = json.dumps(seen)
    for secret in (
        row.pair_id,
        row.operator,
        row.reference_sql,
        "verdict",
        "abstained",
        '"clean"',
        '"noise"',
        "correct",
    ):
        assert secret not in told


@pytest.mark.parametrize("condition", Condition)
def test_an_episode_over_stdio(condition: Condition, made: tuple[Path, Path], tmp_path: Path) -> None:
    row = row_of(made, condition)
    call = command(made, "--task", row.task_id, "--out", str(tmp_path / "run"))
    server = StdioServerParameters(command=call[0], args=call[1:], env=ENVIRONMENT)
    assert_nothing_of_the_gold(anyio.run(worked, server, row), row)
    [record] = Run.open(tmp_path / "run").episodes()
    due = Outcome.CORRECT if condition is Condition.CLEAN else Outcome.ABSTAINED_RIGHTLY
    assert (record.task_id, record.verdict.outcome) == (row.task_id, due)
    assert record.turns == 6


@contextmanager
def listening(call: list[str]) -> Iterator[str]:
    """A server that listens, and its address."""
    process = subprocess.Popen([*call, "--http", "127.0.0.1:0"], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        told = []
        for line in process.stderr:
            told.append(line)
            if line.strip().startswith("http://"):
                yield line.split("/mcp")[0].rsplit("/", 1)[0].strip()
                break
        else:
            pytest.fail("".join(told))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_every_task_has_its_own_episode_over_http(made: tuple[Path, Path], tmp_path: Path) -> None:
    clean, noise = row_of(made, Condition.CLEAN), row_of(made, Condition.NOISE)
    with listening(command(made, "--split", "test", "--out", str(tmp_path / "run"))) as address:
        # The protocol of 2026 has no sessions, the one before has: both work an episode to its end.
        for row, mode in ((clean, "auto"), (noise, "legacy")):
            assert_nothing_of_the_gold(anyio.run(worked, f"{address}/{row.task_id}/mcp", row, mode), row)

        async def nowhere() -> Any:
            async with Client(f"{address}/{'0' * 16}/mcp") as client:
                return await client.call_tool("sql", {"statement": "SELECT 1"})

        assert anyio.run(nowhere).is_error
    records = {record.task_id: record for record in Run.open(tmp_path / "run").episodes()}
    assert records[clean.task_id].verdict.outcome is Outcome.CORRECT
    assert records[noise.task_id].verdict.outcome is Outcome.ABSTAINED_RIGHTLY
    assert len(records) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "over stdio one process is one episode"),
        (("--task", "0" * 16), "no such task"),
        (("--http", "8000"), "not a host and a port"),
        (("--split", "dev", "--http", "127.0.0.1:0"), "use test or train"),
    ],
)
def test_a_mistake_is_said(arguments: tuple[str, ...], said: str, made: tuple[Path, Path]) -> None:
    result = CliRunner().invoke(app, ["serve", str(made[0]), "--warehouse", str(made[1]), *arguments])
    assert result.exit_code == 2
    assert said in result.stderr


def test_credentialed_records_are_not_offered_to_others(tmp_path: Path) -> None:
    release, warehouse = small_release.build(tmp_path, "credentialed")
    arguments = ["serve", str(release), "--warehouse", str(warehouse), "--http", "0.0.0.0:0"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "i-have-verified-zero-retention" in result.stderr
