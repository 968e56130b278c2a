"""What people use: a seat at the terminal, and episodes shown step by step."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pipelines.cli import app
from robustgym.environment import Gym
from robustgym.evaluation import Asked, Plan, evaluate
from robustgym.release import Release
from robustgym.replaying import find, said
from robustgym.runs import Run
from robustgym.verifier.evidence import Weighed
from schemas.errors import InputError
from schemas.pairs import GoldRow, Pair, Split
from schemas.verdicts import Outcome
from tests import small_release

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, its warehouse, and runs of three agents."""
    folder = tmp_path_factory.mktemp("people")
    release, warehouse = small_release.build(folder)
    (folder / "release").symlink_to(release)
    (folder / "hospital").symlink_to(warehouse)
    with Gym.open(release, warehouse, workers=0, python=False) as gym:
        for agent, k in (("oracle", 1), ("abstain-after-select", 1), ("random", 2)):
            evaluate(Plan.of(Asked(release=release, out=folder / agent, agent=agent, k=k, limit=4)), gym)
    return folder


@pytest.fixture(scope="module")
def pair(place: Path) -> Pair:
    worked = {record.task_id for record in Run.open(place / "oracle").episodes()}
    return next(p for p in Release.open(place / "release").pairs(Split.TEST) if p.clean.task_id in worked)


def played(place: Path, row: GoldRow, *lines: str, words: tuple[str, ...] = ()) -> Result:
    arguments = ["play", str(place / "release"), "--warehouse", str(place / "hospital"), "--task", row.task_id]
    return CliRunner(env={"COLUMNS": "300"}).invoke(app, [*arguments, "--no-python", *words], input="\n".join(lines))


def look(row: GoldRow) -> tuple[str, ...]:
    """What shows whether the record has the values asked for, on two lines."""
    return f"SELECT valuenum FROM labevents WHERE subject_id = {row.subject_ids[0]}", "ORDER BY labevent_id;"


def test_a_person_who_answers_hears_whether_it_is_right(place: Path, pair: Pair) -> None:
    done = played(place, pair.clean, "help", "schema labevents", *look(pair.clean), "left", f"submit {pair.clean.gold}")
    assert done.exit_code == 0, done.output
    for told in (
        pair.clean.question.split("?")[0][:40],
        "[29 calls",
        "[28 calls",
        "Right. The answer is the gold answer.",
    ):
        assert told in done.output
    assert "clean task of its pair" in done.output
    before, _, _ = done.output.partition("Verdict")
    assert "clean task" not in before
    assert pair.clean.operator not in before
    assert pair.clean.pair_id not in before


def test_a_person_who_abstains_is_asked_for_evidence(place: Path, pair: Pair) -> None:
    told = " ".join(played(place, pair.noise, *look(pair.noise), "submit null").output.split())
    assert "Right to abstain. Call 0 shows what takes the support away." in told
    told = " ".join(played(place, pair.noise, "submit null").output.split())
    assert "without evidence: it does not count" in told
    assert pair.noise.operator in told


def test_a_person_may_be_wrong_be_cut_short_or_leave(place: Path, pair: Pair) -> None:
    wrong = played(place, pair.clean, "nonsense", "submit not json", "submit 99999").output
    assert "There is no command 'nonsense'" in wrong
    assert "The answer was not taken" in wrong
    assert "Wrong." in wrong
    assert (
        "The episode is over: all turns are used."
        in played(place, pair.clean, "schema", "schema", words=("--turns", "1")).output
    )
    # The end of the input is a way to leave, also in the midst of a statement.
    assert "The episode is over: the agent gave up." in played(place, pair.clean, "SELECT 1").output


@pytest.mark.parametrize("words", [("--task", "zz"), ("--split", "all"), ("--task", "PAIR")])
def test_what_cannot_be_played_is_said(place: Path, pair: Pair, words: tuple[str, str]) -> None:
    named = tuple(word.replace("PAIR", pair.clean.pair_id) for word in words)
    done = CliRunner().invoke(app, ["play", str(place / "release"), "--warehouse", str(place / "hospital"), *named])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1


def test_it_is_played_at_a_terminal(place: Path, pair: Pair) -> None:
    words = [sys.executable, "-m", "pipelines.cli", "play", str(place / "release"), "--no-python"]
    words += ["--warehouse", str(place / "hospital"), "--task", pair.clean.task_id]
    terminal, inside = pty.openpty()
    game = subprocess.Popen(words, cwd=ROOT, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
    os.close(inside)
    shown, typed = "", ["schema", f"submit {pair.clean.gold}"]
    until = time.monotonic() + 90
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other side has closed it
            break
        shown += part.decode(errors="replace")
        # The prompt, perhaps with what readline sends after it.
        if typed and re.search(r"> (\x1b\S*)?\Z", shown):
            os.write(terminal, f"{typed.pop(0)}\n".encode())
    os.close(terminal)
    try:
        assert game.wait(30) == 0, shown
    finally:
        game.kill()
    assert "The answer is the gold answer" in shown


def replay(place: Path, *words: object) -> Result:
    return CliRunner().invoke(app, ["replay", *map(str, words)])


def test_an_abstention_is_replayed_with_what_the_evidence_rule_saw(place: Path, pair: Pair) -> None:
    known = ("--release", place / "release", "--warehouse", place / "hospital")
    done = replay(place, place / "oracle", pair.noise.task_id[:12], *known)
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.replace("│", " ").split())
    assert "Evidence: the patient is named" in told
    assert "something else in the clean hospital" in told
    assert "100% is the asked records' own" in told
    assert "Right to abstain." in told
    found = json.loads(replay(place, place / "oracle", pair.noise.task_id, *known, "--json").stdout)
    assert found["verdict"] == found["verdict_again"]
    rules = [step["evidence_rule"] for step in found["steps"]]
    assert rules[found["verdict"]["evidence"]]["evidence"]
    assert not any(rule["evidence"] for rule in rules[: found["verdict"]["evidence"]])
    blind = json.loads(replay(place, place / "abstain-after-select", pair.noise.task_id, *known, "--json").stdout)
    assert blind["verdict"]["outcome"] == Outcome.ABSTAINED_WITHOUT_EVIDENCE
    first = blind["steps"][0]["evidence_rule"]
    assert (first["named"], first["differs"], first["evidence"]) == (False, [False], False)
    assert blind["failure"] == "never_looked"


@pytest.mark.parametrize(
    "lacking",
    [{"shown": False}, {"named": False}, {"differs": ()}, {"differs": (True, False)}, {"own": 0.1}, {"own": None}],
)
def test_a_call_is_evidence_only_if_nothing_is_lacking(lacking: dict[str, Any]) -> None:
    whole: dict[str, Any] = {"shown": True, "named": True, "differs": (True, True), "own": 1.0}
    assert Weighed(**whole).evidence
    assert not Weighed(**{**whole, **lacking}).evidence
    assert said(Weighed(**{**whole, **lacking}), ("one", "two")).startswith("No evidence: ")


def test_without_release_or_hospital_the_rest_is_shown(
    place: Path, pair: Pair, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = replay(place, place / "oracle", pair.noise.task_id)
    assert done.exit_code == 0
    assert "without --release and --warehouse" in done.stderr
    assert "Right to abstain" in done.stdout
    assert pair.noise.question[:30] not in done.stdout
    assert (
        pair.noise.question[:30]
        in replay(place, place / "oracle", pair.noise.task_id, "--release", place / "release").stdout
    )


def test_an_episode_is_named_by_task_and_trial(place: Path, pair: Pair) -> None:
    run = Run.open(place / "random")
    assert find(run, f"{pair.clean.task_id}/1").trial == 1
    for name, why in ((pair.clean.task_id, "worked 2 times"), ("zz", "none of that name"), ("", "none of that name")):
        with pytest.raises(InputError, match=why):
            find(run, name)
    assert replay(place, place / "random", "zz").exit_code == 2
