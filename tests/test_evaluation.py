"""Evaluating agents and models: over real HTTP, through the command, killed and gone on with."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from robustgym import agents
from robustgym.agents.llm import called
from robustgym.endpoint import KEY
from robustgym.environment import Gym
from robustgym.evaluation import Asked, Finished, Plan, evaluate
from robustgym.evaluation.plan import chosen
from robustgym.release import Release
from robustgym.runs import ATIF, EPISODES, MANIFEST, MESSAGES, Log, Run
from schemas.atif import AtifTrajectory
from schemas.errors import InputError
from schemas.pairs import Condition, Split
from schemas.runs import Budget, Decoding, Stop
from schemas.verdicts import Outcome
from tests import small_release
from tests.scripted_endpoint import SNAPSHOT, Answer, Script, in_turn, refuses, says, serving

ROOT = Path(__file__).resolve().parents[1]
SECRET = "sk-not-to-be-seen"
ASKED = re.compile(r"highest (?P<item>[\w ]+) of patient (?P<patient>\d+)\?")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release and its warehouse."""
    return small_release.build(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def gym(made: tuple[Path, Path]) -> Iterator[Gym]:
    release, warehouse = made
    with Gym.open(release, warehouse, workers=0, python=False) as opened:
        yield opened


def asked(gym: Gym, out: Path, **more: Any) -> Asked:
    return Asked(release=gym.release.path, out=out, **more)


def ran(gym: Gym, out: Path, **more: Any) -> Finished:
    return evaluate(Plan.of(asked(gym, out, **more)), gym)


def outcomes(finished: Finished) -> Counter[tuple[Condition, Outcome]]:
    return Counter((r.facts.condition, r.verdict.outcome) for r in finished.records)


# -- scripted agents ------------------------------------------------------------------------------------------------

DUE: dict[str, tuple[Outcome, Outcome]] = {
    "oracle": (Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY),
    "abstain": (Outcome.ABSTAINED_WRONGLY, Outcome.ABSTAINED_WITHOUT_EVIDENCE),
    "abstain-after-select": (Outcome.ABSTAINED_WRONGLY, Outcome.ABSTAINED_WITHOUT_EVIDENCE),
    # Its one statement shows NULL where the clean hospital shows a number: seen, by whoever was lucky enough to look.
    "noise-blind": (Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY),
}


@pytest.mark.parametrize("name", DUE)
def test_a_scripted_agent_scores_what_it_must(name: str, gym: Gym, tmp_path: Path) -> None:
    clean, noise = DUE[name]
    assert outcomes(ran(gym, tmp_path / "run", agent=name)) == {
        (Condition.CLEAN, clean): small_release.TEST_PAIRS,
        (Condition.NOISE, noise): small_release.TEST_PAIRS,
    }


@pytest.mark.parametrize("name", ["most-frequent", "random"])
def test_an_agent_that_does_not_look_never_abstains(name: str, gym: Gym, tmp_path: Path) -> None:
    found = outcomes(ran(gym, tmp_path / "run", agent=name))
    assert sum(found.values()) == 2 * small_release.TEST_PAIRS
    assert {outcome for _, outcome in found} <= {Outcome.CORRECT, Outcome.WRONG}
    assert found[Condition.NOISE, Outcome.WRONG] == small_release.TEST_PAIRS


def test_trials_of_a_guesser_are_independent_and_reproducible(gym: Gym, tmp_path: Path) -> None:
    def answers(out: str, seed: int) -> list[str | None]:
        records = ran(gym, tmp_path / out, agent="random", k=3, seed=seed).records
        return [record.transcript.submitted for record in records]

    first = answers("a", 1)
    assert first == answers("b", 1)
    assert first != answers("c", 2)
    tasks = 2 * small_release.TEST_PAIRS
    assert first[:tasks] != first[tasks : 2 * tasks]


def test_every_agent_is_found_by_its_name_and_has_a_file() -> None:
    assert {"oracle", "abstain", "abstain-after-select", "noise-blind", "most-frequent", "random", "llm"} <= {
        *agents.names()
    }
    for name in agents.names():
        assert callable(agents.find(name))


def test_a_few_tasks_are_whole_pairs_of_many_cells(gym: Gym) -> None:
    rows = gym.release.gold(Split.TEST)
    few = chosen(rows, 6)
    assert len(few) == 6
    assert set(Counter(row.pair_id for row in few).values()) == {2}
    assert chosen(rows, None) == chosen(tuple(reversed(rows)), None)


# -- models ---------------------------------------------------------------------------------------------------------


def careful(body: dict[str, Any]) -> Answer:
    """A model that looks once and then answers by what it was shown, with the endpoint's tool calling."""
    last = body["messages"][-1]
    if last["role"] != "tool":
        found = ASKED.search(body["messages"][1]["content"])
        assert found is not None
        return says(None, ("sql", {"statement": _statement(found["patient"], found["item"])}))
    return says(None, ("submit", {"answer": _answer(last["content"])}))


def careful_in_text(body: dict[str, Any]) -> Answer:
    """The same through plain text."""
    last = body["messages"][-1]["content"]
    if not last.startswith("Result of sql"):
        found = ASKED.search(last)
        assert found is not None
        return says(f"Let me look.\n```sql\n{_statement(found['patient'], found['item'])}\n```\nThen I know.")
    return says(f"<think>```submit\n0\n```</think>\n```submit\n{_answer(last)}\n```")


def _statement(patient: str, item: str) -> str:
    return (
        f"SELECT max(valuenum) AS v, string_agg(value) AS said\nFROM labevents JOIN d_labitems USING (itemid)\n"
        f"WHERE subject_id = {patient} AND label = '{item}'"
    )


def _answer(shown: str) -> str:
    value = shown.splitlines()[2 + shown.startswith("Result of")].split("|")[0].strip()
    return "null" if value == "NULL" else value


def model(url: str, **more: Any) -> dict[str, Any]:
    return {"model": "reader-1", "base_url": url, **more}


@pytest.mark.parametrize(("protocol", "script"), [("tools", careful), ("text", careful_in_text)])
def test_a_model_works_the_release(
    protocol: str, script: Script, gym: Gym, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with serving(script) as endpoint:
        finished = ran(
            gym,
            tmp_path / "run",
            **model(endpoint.url, protocol=protocol, k=2, seed=7, price_in=2.0, price_out=10.0),
            decoding=Decoding(temperature=0.2, max_tokens=500),
        )
    assert {outcome for _, outcome in outcomes(finished)} == {Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY}
    assert len(finished.records) == 2 * 2 * small_release.TEST_PAIRS
    assert {record.stop for record in finished.records} == {Stop.SUBMITTED}
    usage = finished.records[0].usage
    assert (usage.requests, usage.prompt_tokens, usage.completion_tokens) == (2, 200, 20)
    assert usage.cost == pytest.approx((200 * 2 + 20 * 10) / 1e6)
    # What was asked: pinned decoding, a seed for each trial, no streaming, tools only where they are called so.
    assert {(body["temperature"], body["max_tokens"]) for body in endpoint.asked} == {(0.2, 500)}
    assert {body["seed"] for body in endpoint.asked} == {7, 8}
    assert all("stream" not in body and ("tools" in body) == (protocol == "tools") for body in endpoint.asked)
    assert {body["headers"]["authorization"] for body in endpoint.asked} == {f"Bearer {SECRET}"}
    # The agent is told nothing of condition, pair or gold; both tasks of a pair begin alike.
    told = {json.dumps(body["messages"][:2]) for body in endpoint.asked}
    assert len(told) == small_release.TEST_PAIRS
    run = Run.open(tmp_path / "run")
    assert run.manifest.model is not None
    assert run.manifest.model.snapshots == (SNAPSHOT,)
    assert run.manifest.model.decoding == Decoding(temperature=0.2, max_tokens=500, seed=7)
    assert len(run.episodes()) == len(tuple(run.messages()))
    trajectories = [AtifTrajectory.model_validate_json(line) for line in (tmp_path / "run" / ATIF).open()]
    assert len(trajectories) == len(finished.records)
    assert {t.agent.model_name for t in trajectories} == {"reader-1"}
    assert not any(SECRET in file.read_text() for file in (tmp_path / "run").iterdir())


def one(gym: Gym, out: Path, script: Script, **more: Any) -> Any:
    """The one episode that a model has with one task."""
    with serving(script) as endpoint:
        finished = ran(gym, out, **model(endpoint.url, limit=1, tries=2, **more))
    [record] = finished.records
    [line] = Run.open(out).messages()
    return record, line.messages, endpoint


def test_calls_that_are_wrong_are_answered_and_counted(gym: Gym, tmp_path: Path) -> None:
    record, messages, _ = one(
        gym,
        tmp_path / "run",
        in_turn(
            says(None, ("sql", '{"statement": "SELECT 1')),
            says(None, ("sql", "[1]")),
            says(None, ("sql", {"query": "SELECT 1"})),
            says(None, ("look_up", {})),
            says(None, ("sql", '{"statement": "SELECT 1\nAS x"}')),
            says(None, ("submit", {"answer": 4.2})),
        ),
    )
    assert record.stop is Stop.SUBMITTED
    assert (record.turns, record.invalid_calls) == (6, 4)
    assert record.transcript.submitted == "4.2"
    told = [message["content"] for message in messages if message["role"] == "tool"]
    for text, said in zip(told, ("not JSON", "not a JSON object", "'statement' is missing", "no tool"), strict=False):
        assert said in text
    assert "1 row" in told[4]


def test_what_no_file_can_hold_is_answered_and_kept(gym: Gym, tmp_path: Path) -> None:
    """Unpaired surrogates, numbers of thousands of digits, lists a thousand deep: models write them all."""
    record, messages, endpoint = one(
        gym,
        tmp_path / "run",
        in_turn(
            says("half a \ud83d", ("sql", {"statement": "SELECT '\ud800'"})),
            says(None, ("submit", '{"answer": ' + "9" * 5000 + "}")),
            says(None, ("submit", '{"answer": ' + "[" * 900 + "]" * 900 + "}")),
            says(None, ("sql", '{"statement": ' + "[" * 5000 + "]" * 5000 + "}")),
            says(None, ("submit", {"answer": '{"value": 1, "unit": "\ud800"}'})),
        ),
    )
    assert record.stop is Stop.SUBMITTED
    assert (record.turns, record.invalid_calls) == (5, 4)
    assert record.transcript.submitted == '{"value": 1, "unit": "?"}'
    told = [message["content"] for message in messages if message["role"] == "tool"]
    for text, said in zip(told, ("not text", "a number too long", "not taken", "not JSON"), strict=False):
        assert said in text
    assert endpoint.asked[-1]["messages"][2]["content"] == "half a ?"


def test_parallel_calls_are_worked_in_order_and_none_after_the_end(gym: Gym, tmp_path: Path) -> None:
    record, messages, _ = one(
        gym,
        tmp_path / "run",
        in_turn(
            says(
                "Both at once.",
                ("schema", {}),
                ("schema", {"table": "labevents"}),
                ("submit", {"answer": "null"}),
                ("sql", {"statement": "SELECT 1"}),
            )
        ),
    )
    assert [call.tool for call in record.transcript.calls] == ["schema", "schema", "submit"]
    # Every call has its answer, or the conversation would be refused by any endpoint.
    assert [m["tool_call_id"] for m in messages if m["role"] == "tool"] == ["id_0", "id_1", "id_2", "id_3"]


def test_an_answer_of_megabytes_is_cut(gym: Gym, tmp_path: Path) -> None:
    huge = "SELECT repeat('x', 400) AS x FROM range(100000)"
    record, messages, _ = one(
        gym,
        tmp_path / "run",
        in_turn(says(None, ("sql", {"statement": huge})), says(None, ("submit", {"answer": "1"}))),
    )
    [shown, _] = [message["content"] for message in messages if message["role"] == "tool"]
    assert len(shown) < 20_000
    assert record.stop is Stop.SUBMITTED


def test_a_model_that_only_talks_is_reminded_and_then_gives_up(gym: Gym, tmp_path: Path) -> None:
    record, messages, endpoint = one(gym, tmp_path / "run", in_turn(says("It is 4.2.")))
    assert (record.stop, record.verdict.outcome) == (Stop.GAVE_UP, Outcome.NO_ANSWER)
    assert len(endpoint.asked) == 3
    assert [m["role"] for m in messages] == ["system", "user", *("assistant", "user") * 2, "assistant"]


def test_budgets_end_an_episode(gym: Gym, tmp_path: Path) -> None:
    looking = in_turn(says(None, ("sql", {"statement": "SELECT 1"})))
    turns, _, _ = one(gym, tmp_path / "turns", looking, budget=Budget(turns=3))
    assert (turns.stop, turns.turns) == (Stop.TURNS, 3)
    tokens, _, _ = one(gym, tmp_path / "tokens", looking, budget=Budget(tokens=250))
    assert (tokens.stop, tokens.usage.requests) == (Stop.TOKENS, 3)
    slow = in_turn(says(None, ("sql", {"statement": "SELECT 1"})), Answer(says("?").body, after=0.3))
    seconds, _, _ = one(gym, tmp_path / "seconds", slow, budget=Budget(seconds=0.2))
    assert seconds.stop is Stop.SECONDS


def test_a_conversation_too_long_for_the_model_is_over(gym: Gym, tmp_path: Path) -> None:
    said = "This model's maximum context length is 4096 tokens."
    record, _, _ = one(
        gym,
        tmp_path / "run",
        in_turn(says(None, ("schema", {})), refuses(400, said, code="context_length_exceeded")),
    )
    assert (record.stop, record.verdict.outcome) == (Stop.TOKENS, Outcome.NO_ANSWER)


def test_text_calls() -> None:
    assert called("```SQL\nSELECT 1") == ("sql", {"statement": "SELECT 1"})
    assert called("```sql\nSELECT 1", cut=True) is None
    assert called('```submit\n{"value": 2}\n```\n```sql\nSELECT 1\n```') == ("submit", {"answer": '{"value": 2}'})
    assert called("```python\nprint('```')\n```") is not None
    assert called("The answer is 4.2") is None


# -- an endpoint that fails --------------------------------------------------------------------------------------


def test_a_failed_episode_is_not_judged_and_asked_again(gym: Gym, tmp_path: Path) -> None:
    broken = [True]

    def script(body: dict[str, Any]) -> Answer:
        found = ASKED.search(body["messages"][1]["content"])
        assert found is not None
        if broken[0] and found["item"] == "Lactate":
            return refuses(500, "down")
        return careful(body)

    with serving(script) as endpoint:
        first = ran(gym, tmp_path / "run", **model(endpoint.url, concurrency=2, tries=1))
        failed = {record.task_id for record in first.records if record.stop is Stop.FAILED}
        assert first.failed == len(failed) > 0
        assert all(r.verdict.outcome is Outcome.UNJUDGED for r in first.records if r.task_id in failed)
        assert first.score()[1] == len(first.records) - first.failed
        broken[0] = False
        endpoint.asked.clear()
        second = ran(gym, tmp_path / "run", **model(endpoint.url, concurrency=2, tries=1))
    assert second.failed == 0
    assert len(endpoint.asked) == 2 * len(failed)
    lines = (tmp_path / "run" / EPISODES).read_text().splitlines()
    assert len(lines) == len({json.loads(line)["task_id"] for line in lines}) == len(second.records)


def test_a_run_stops_where_the_endpoint_is_down(gym: Gym, tmp_path: Path) -> None:
    with serving(in_turn(refuses(401, "wrong key"))) as endpoint:
        with pytest.raises(InputError, match="status 401"):
            ran(gym, tmp_path / "run", **model(endpoint.url, concurrency=1))
        # One more may have left while the first was being told of.
        assert len(endpoint.asked) <= 2


# -- plans that cannot be ------------------------------------------------------------------------------------------


def test_every_mistake_is_told_at_once(gym: Gym, tmp_path: Path) -> None:
    with pytest.raises(InputError) as wrong:
        Plan.of(asked(gym, tmp_path, agent="nobody", base_url="http://x", protocol="json", price_in=1.0))
    assert len(wrong.value.problems) == 4
    for arguments in ({}, {"agent": "llm"}, {"model": "m"}, {"agent": "oracle", "model": "m", "base_url": "http://x"}):
        with pytest.raises(InputError):
            Plan.of(asked(gym, tmp_path, **arguments))
    for url in ("nowhere", "http://user:word@host/v1", "ftp://host"):
        with pytest.raises(InputError, match="--base-url"):
            Plan.of(asked(gym, tmp_path, model="m", base_url=url))


def test_credentialed_data_stay_here_unless_the_user_answers_for_it(tmp_path: Path) -> None:
    release, warehouse = small_release.build(tmp_path, "credentialed")
    away = {"release": release, "out": tmp_path / "run", "model": "m", "base_url": "https://api.example.org/v1"}
    with pytest.raises(InputError, match="i-have-verified-zero-retention"):
        Plan.of(Asked(**away))
    with Gym.open(release, warehouse, workers=0, python=False) as gym:
        manifest = Plan.of(Asked(**away, confirmed=True)).manifest(gym)
    assert manifest.zero_retention_confirmed
    assert manifest.model is not None
    assert "zero-retention" in manifest.model.permission
    Plan.of(Asked(**{**away, "base_url": "http://127.0.0.1:1/v1"}))


def test_altered_tasks_are_not_evaluated(gym: Gym, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(gym.release.path, tmp_path / "release")
    file = tmp_path / "release" / "gold" / "test" / "gold.parquet"
    file.write_bytes(file.read_bytes() + b"\0")
    with pytest.raises(InputError, match=r"gold.parquet"):
        Plan.of(Asked(release=tmp_path / "release", out=tmp_path / "run", agent="abstain"))


# -- a run on the disk ---------------------------------------------------------------------------------------------


def test_a_run_goes_on_only_as_it_was_begun(gym: Gym, tmp_path: Path) -> None:
    ran(gym, tmp_path / "run", agent="abstain", limit=4)
    with pytest.raises(InputError) as wrong:
        ran(gym, tmp_path / "run", agent="random", limit=4, k=2)
    assert {problem.where.split(", ")[1] for problem in wrong.value.problems} == {"agent", "k"}
    ran(gym, tmp_path / "run", agent="abstain", limit=4, concurrency=1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"notes\.txt"):
        ran(gym, tmp_path / "other", agent="abstain")
    there = sorted(gym.release.path.iterdir())
    with pytest.raises(InputError, match=r"its manifest\.json is not a run's"):
        ran(gym, gym.release.path, agent="abstain")
    assert sorted(gym.release.path.iterdir()) == there


def test_a_full_disk_is_said_and_nothing_is_lost(gym: Gym, tmp_path: Path) -> None:
    """The limit of a file's size stands in for the disk's: writing beyond it fails in the middle of a line."""
    whole = ran(gym, tmp_path / "whole", agent="oracle", limit=6)
    size = (tmp_path / "whole" / MESSAGES).stat().st_size
    out, limits = tmp_path / "run", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * size // 3, limits[1]))
    try:
        with pytest.raises(InputError, match=r"cannot be written \(File too large\); make room there"):
            ran(gym, out, agent="oracle", limit=6, concurrency=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert 0 < len(Run.open(out).episodes()) < 6
    assert (out / MESSAGES).read_bytes().endswith(b"}\n")
    again = ran(gym, out, agent="oracle", limit=6)
    assert [record.verdict for record in again.records] == [record.verdict for record in whole.records]


def test_a_torn_line_is_mended_and_a_damaged_one_is_said(gym: Gym, tmp_path: Path) -> None:
    out = tmp_path / "run"
    whole = ran(gym, out, agent="oracle", limit=6)
    lines = (out / EPISODES).read_bytes().splitlines(keepends=True)
    (out / EPISODES).write_bytes(b"".join(lines[:3]) + lines[3][:40])
    assert len(Run.open(out).episodes()) == 3
    again = ran(gym, out, agent="oracle", limit=6)
    assert [r.model_dump(exclude={"seconds"}) for r in again.records] == [
        r.model_dump(exclude={"seconds"}) for r in whole.records
    ]
    for name in (EPISODES, MESSAGES):
        keys = [(line["task_id"], line["trial"]) for line in map(json.loads, (out / name).read_text().splitlines())]
        assert len(keys) == len(set(keys)) == 6
    (out / EPISODES).write_bytes(b"{}\n" + b"".join(lines))
    with pytest.raises(InputError, match=r"episodes\.jsonl, line 1"):
        ran(gym, out, agent="oracle", limit=6)


def test_two_do_not_write_to_one_run(gym: Gym, tmp_path: Path) -> None:
    plan = Plan.of(asked(gym, tmp_path / "run", agent="abstain", limit=2))
    with Log.open(tmp_path / "run", plan.manifest(gym)), pytest.raises(InputError, match="another process"):
        evaluate(plan, gym)


# -- the command ----------------------------------------------------------------------------------------------------


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["eval", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_the_command_says_how_it_went(made: tuple[Path, Path], tmp_path: Path) -> None:
    release, warehouse = map(str, made)
    run = str(tmp_path / "run")
    code, out, _ = invoke(release, "--agent", "oracle", "--warehouse", warehouse, "--limit", "4", "--out", run)
    assert code == 0
    assert re.search(r"noise +100\.0% of 2", out)
    code, out, _ = invoke(
        release, "--agent", "oracle", "--warehouse", warehouse, "--limit", "4", "--out", run, "--json"
    )
    assert code == 0
    assert [c["success"] for c in json.loads(out)["conditions"]] == [1.0, 1.0]
    code, _, err = invoke(release, "--agent", "abstain", "--warehouse", warehouse, "--limit", "4", "--out", run)
    assert code == 2
    assert "the run was begun with" in err
    assert "Traceback" not in err
    # JSON has no infinity: a manifest with one could not be read again.
    code, _, err = invoke(release, "--agent", "abstain", "--warehouse", warehouse, "--seconds", "inf")
    assert (code, "--seconds" in err) == (2, True)
    nowhere = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--retries", "0", "--limit", "2"]
    code, out, _ = invoke(release, *nowhere, "--warehouse", warehouse, "--no-python", "--out", str(tmp_path / "down"))
    assert code == 1
    assert "http://127.0.0.1:9: cannot be reached\n" in out


def test_a_killed_run_goes_on_where_it_was(made: tuple[Path, Path], tmp_path: Path) -> None:
    """Killed with SIGKILL in the middle: every episode is there exactly once, none that was kept is asked again."""
    release, warehouse = made
    out, k = tmp_path / "run", 1
    total = 2 * small_release.TEST_PAIRS * k

    def slowly(body: dict[str, Any]) -> Answer:
        return Answer(careful(body).body, after=0.05)

    with serving(slowly) as endpoint:
        arguments = ["--model", "reader-1", "--base-url", endpoint.url, "--k", str(k), "--concurrency", "4"]
        command = [sys.executable, "-m", "pipelines.cli", "eval", str(release), "--warehouse", str(warehouse)]
        command += ["--no-python", *arguments, "--out", str(out)]
        environment = os.environ | {"PYTHONPATH": str(ROOT), KEY: SECRET}

        def lines() -> list[str]:
            with suppress(FileNotFoundError):
                return (out / EPISODES).read_text().splitlines()
            return []

        running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 120
        while len(lines()) < total // 3 and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGKILL)
        running.wait()
        assert total // 3 <= len(lines()) < total
        kept = {(line["task_id"], line["trial"]) for line in map(json.loads, lines()[:-1])}
        endpoint.asked.clear()
        done = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["episodes"] == total
    run = Run.open(out)
    episodes = run.episodes()
    assert len(episodes) == len(lines()) == len({(e.task_id, e.trial) for e in episodes}) == total
    assert sum(1 for _ in run.messages()) == total
    # Two requests an episode: what was kept was not asked again.
    assert len(endpoint.asked) <= 2 * (total - len(kept))
    assert {e.verdict.outcome for e in episodes} == {Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY}
    assert json.loads((out / MANIFEST).read_text())["k"] == k
    assert Release.open(release).manifest.licence == run.manifest.licence
    assert not any(SECRET in file.read_text() for file in out.iterdir())
