"""The verifier held against submissions whose verdict is known, made from the small release."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from robustgym import parallel
from robustgym.episode import Episode, session_of
from robustgym.hospital import Hospital
from robustgym.release import Release
from robustgym.sandbox import Stock, available
from robustgym.validating import submissions, validate
from robustgym.verifier import judge
from schemas.pairs import GoldRow
from schemas.verdicts import Outcome, Transcript, Verdict
from tests import small_release


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return small_release.build(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def rows(built: tuple[Path, Path]) -> tuple[GoldRow, ...]:
    return Release.open(built[0]).rows


@pytest.fixture
def hospital(built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hospital]:
    monkeypatch.setattr(parallel, "WORKERS", 1)
    with Hospital.open(built[1]) as found:
        yield found


def test_the_verifier_is_right_about_all_of_them(rows: tuple[GoldRow, ...], hospital: Hospital) -> None:
    found = validate(rows, hospital)
    assert (found.wrong, found.ok) == ((), True)
    assert found.to_succeed >= 70
    assert found.to_fail >= 150
    assert sum(rate.to_fail + rate.to_succeed for rate in found.by_operator) == found.submissions


@pytest.mark.parametrize(
    ("wrongly", "said"),
    [
        (lambda row, given: given == "null" and row.gold is None, "no evidence: SELECT 1"),
        (lambda row, given: True, "wrong: a digit more"),
    ],
)
def test_a_verifier_that_accepts_too_much_is_found_out(
    rows: tuple[GoldRow, ...], hospital: Hospital, monkeypatch: pytest.MonkeyPatch, wrongly: Any, said: str
) -> None:
    def lenient(transcript: Transcript, row: GoldRow, source: Hospital, **options: Any) -> Verdict:
        if wrongly(row, transcript.submitted):
            return Verdict(task_id=row.task_id, outcome=Outcome.CORRECT, reason="Looks good.")
        return judge(transcript, row, source, **options)

    monkeypatch.setattr(sys.modules["robustgym.validating.validate"], "judge", lenient)
    found = validate(rows, hospital, per_stratum=1)
    assert not found.ok
    assert said in {wrong.sort for wrong in found.wrong}
    assert "missed" in found.summary


def test_the_same_release_gives_the_same_submissions(rows: tuple[GoldRow, ...]) -> None:
    assert submissions(rows) == submissions(rows[::-1])


def test_evidence_in_python_counts(rows: tuple[GoldRow, ...], hospital: Hospital) -> None:
    isolation = available()
    if not isolation.on:
        pytest.skip(f"no sandbox: {isolation.detail}")
    row = next(row for row in rows if row.gold is None)
    with Stock(isolation) as stock:
        for shown, outcome in (
            ("print(found)", Outcome.ABSTAINED_RIGHTLY),
            ("len(found)", Outcome.ABSTAINED_WITHOUT_EVIDENCE),
        ):
            with session_of(hospital, row) as session, stock.take() as box:
                working = Episode(session, row.task, box.run)
                working.python(f"found = query({row.witness_sql!r})\n{shown}")
                working.submit("null")
            assert judge(working.transcript, row, hospital, recorded=True, stock=stock).outcome is outcome


def test_the_command(built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "WORKERS", 1)
    # The mark of a staged warehouse: nothing is staged anew.
    (built[1] / ".staging").mkdir()
    release, warehouse = map(str, built)
    done = CliRunner().invoke(app, ["validate-verifier", release, "--source", warehouse, "--no-python", "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["ok"]
    assert said["submissions"] == sum(rate["to_succeed"] + rate["to_fail"] for rate in said["by_sort"])
    told = CliRunner().invoke(app, ["validate-verifier", release, "--source", warehouse, "--no-python"])
    assert "The target is met" in " ".join(told.stdout.split())
    lost = CliRunner().invoke(app, ["validate-verifier", str(built[0].parent / "none")])
    assert lost.exit_code == 2
