"""Reports of runs: what they say, what they keep to themselves, and how a browser draws them."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pipelines.cli import app
from robustgym.environment import Gym
from robustgym.evaluation import Asked, Plan, evaluate
from robustgym.metrics.slicing import SLICES, SUBGROUPS
from robustgym.report.leaderboard import GROUPS, PUBLISHED, markdown
from robustgym.report.published import read_published
from robustgym.report.release import SMALL
from robustgym.report.results import Results, evaluated
from robustgym.report.runs import report
from robustgym.runs import EPISODES, MANIFEST, Run, replace
from schemas.errors import InputError
from tests import small_release, tiny_hospital
from tests.test_report import BROWSER, outline

ROOT = Path(__file__).resolve().parents[1]

AGENTS = {"oracle": 1, "noise-blind": 1, "abstain": 1, "random": 3}

PAPER = """
[[published]]
name = "EHR-RobustGym paper"
clean = 0.622
noise = 0.379
measured_on = "its own 1,008 test pairs"
source = "arXiv 2609.39371"
confidence = "low: neither intervals nor data"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, its warehouse, and a run of each agent below `runs`."""
    folder = tmp_path_factory.mktemp("reported")
    release, warehouse = small_release.build(folder)
    (folder / "release").symlink_to(release)
    (folder / "hospital").symlink_to(warehouse)
    with Gym.open(release, warehouse, workers=0, python=False) as gym:
        for agent, k in AGENTS.items():
            evaluate(Plan.of(Asked(release=release, out=folder / "runs" / agent, agent=agent, k=k)), gym)
    (folder / "paper.toml").write_text(PAPER)
    return folder


@pytest.fixture(scope="module")
def results(place: Path) -> Results:
    runs = [Run.open(place / "runs" / agent) for agent in AGENTS]
    return evaluated(runs, published=read_published(place / "paper.toml"))


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def copied(run: Path, to: Path, **other: Any) -> Run:
    """A run under another name, with another manifest."""
    shutil.copytree(run, to)
    manifest = Run.open(to).manifest.model_copy(update={"name": to.name, **other})
    replace(to / MANIFEST, manifest.model_dump_json())
    return Run.open(to)


def test_the_command_writes_every_file_and_prints_lists_of_objects(place: Path, tmp_path: Path) -> None:
    words = ["report", *(place / "runs" / agent for agent in AGENTS), "--release", place / "release"]
    words += ["--warehouse", place / "hospital", "--out", tmp_path / "out", "--published", place / "paper.toml"]
    done = invoke(*words, "--json")
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    written = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "results.json",
        "leaderboard.md",
        "leaderboard.tex",
        "report.html",
    }
    assert printed == {"directory": str(tmp_path / "out"), **written}
    for name in ("runs", "metrics", "slices", "transitions", "outcomes", "failures", "comparisons", "published"):
        assert written[name], name
        assert all(isinstance(row, dict) for row in written[name])
    noise = {m["agent"]: m for m in written["metrics"] if (m["name"], m["condition"]) == ("success", "noise")}
    assert {agent: m["value"] for agent, m in noise.items()} == {
        "oracle": 1.0,
        "noise-blind": 1.0,
        "abstain": 0.0,
        "random": 0.0,
    }
    assert all(m["low"] <= m["value"] <= m["high"] for m in noise.values())
    again = invoke(*words, "--json")
    assert again.stdout == done.stdout
    plain = invoke(*words)
    assert "noise-blind" in plain.stdout
    assert "report.html" in plain.stdout


def test_the_leaderboard_marks_published_figures_and_yardsticks(results: Results) -> None:
    text = markdown(results)
    [paper] = [line for line in text.splitlines() if line.startswith("| EHR-RobustGym paper")]
    assert "**published** | 62.2 | 37.9 | 24.3" in paper
    assert PUBLISHED in text
    assert "Confidence: low: neither intervals nor data" in text
    [oracle] = [line for line in text.splitlines() if line.startswith("| oracle |")]
    assert "yardstick" in oracle
    [abstain] = [line for line in text.splitlines() if line.startswith("| abstain |")]
    assert "yardstick" not in abstain
    assert "McNemar" in text


def test_runs_of_different_releases_stand_in_different_tables(place: Path, tmp_path: Path) -> None:
    one = Run.open(place / "runs" / "oracle")
    other = copied(place / "runs" / "oracle", tmp_path / "other", release_version="2.0.0", release_sha256="f" * 64)
    found = evaluated([one, other])
    assert len(found.groups) == 2
    assert all(not group.comparisons for group in found.groups)
    for text in (markdown(found), report(found)):
        assert GROUPS.format(2) in text


def test_runs_that_differ_in_more_than_the_agent_say_so(place: Path, tmp_path: Path) -> None:
    one = Run.open(place / "runs" / "oracle")
    other = copied(place / "runs" / "abstain", tmp_path / "other", harness_sha256="0" * 64, tasks=99)
    lines = (other.path / EPISODES).read_text().splitlines(keepends=True)
    (other.path / EPISODES).write_text("".join(lines[:7]))
    [group] = evaluated([one, other]).groups
    said = " ".join(group.warnings)
    assert "other: 7 of 99 episodes" in said
    assert "differ in their harness" in said
    assert "not worked the same tasks" in said
    assert {made.tasks for made in group.comparisons} != {small_release.TEST_PAIRS}


def test_aggregates_only_is_the_default_for_credentialed_data(place: Path, tmp_path: Path, results: Results) -> None:
    credentialed = copied(place / "runs" / "random", tmp_path / "credentialed", licence="credentialed")
    private = ["highest", *map(str, tiny_hospital.SUBJECTS), *(e.task_id for e in credentialed.episodes())]
    whole = evaluated([credentialed], aggregate_only=False)
    assert any(word in report(whole) for word in private)
    assert any(word in json.dumps(whole.as_dict()) for word in private)
    for found in (evaluated([credentialed]), evaluated([Run.open(place / "runs" / "random")], aggregate_only=True)):
        assert found.aggregate_only
        html, data = report(found), json.dumps(found.as_dict())
        assert "Aggregates only" in html
        assert f"fewer than {SMALL} patients" in html
        for text in (html, data, markdown(found)):
            assert not [word for word in private if word in text]
    assert not results.aggregate_only


def test_the_page_is_sound_and_fetches_and_runs_nothing(place: Path, results: Results) -> None:
    html = report(results)
    found = outline(html)
    assert found.open == []
    assert found.foreign == []
    assert found.links <= found.ids
    assert "url(" not in html
    assert "http" not in html.replace("http-equiv", "")


def test_the_document_names_every_figure_and_slice(results: Results) -> None:
    text = (ROOT / "docs" / "metrics.md").read_text()
    named = {re.sub(r"_\d+$", "_k", metric.name) for run in results.runs for metric in run.metrics}
    assert [name for name in sorted(named) if f"`{name}`" not in text] == []
    folded = " ".join(text.split())
    for part in (
        "intent",
        "scope",
        "level",
        "operator",
        "severity",
        "promise",
        "origin",
        "register",
        "split",
        *SUBGROUPS,
    ):
        assert part in folded
    assert {part.slice for run in results.runs for part in run.slices} <= {*SLICES, *SUBGROUPS}


def test_the_published_figures_that_come_with_it_can_be_read() -> None:
    [paper] = read_published(ROOT / "docs" / "published.toml")
    assert (paper.clean, paper.noise) == (0.622, 0.379)


def test_mistakes_are_told_at_once(place: Path, tmp_path: Path) -> None:
    run = place / "runs" / "oracle"
    empty = copied(run, tmp_path / "empty")
    (empty.path / EPISODES).write_text("")
    with pytest.raises(InputError) as told:
        evaluated([Run.open(run), Run.open(run), empty])
    assert len(told.value.problems) == 2
    assert invoke("report", run, "--warehouse", place / "hospital").exit_code == 2
    for text in (
        "",
        "published = 3",
        '[[published]]\nname = "x"',
        "[other]\nx = 1",
        "no toml",
        "[[published]]\nclean = 62.2",
    ):
        (tmp_path / "bad.toml").write_text(text)
        done = invoke("report", run, "--published", tmp_path / "bad.toml", "--out", tmp_path / "out")
        assert done.exit_code == 2, text
        assert "--published" in done.stderr
    assert not (tmp_path / "out").exists()
    (tmp_path / "good.json").write_text(
        json.dumps([{"name": "x", "measured_on": "y", "source": "z", "confidence": "c"}])
    )
    assert read_published(tmp_path / "good.json")[0].clean is None


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: apt-get install chromium")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_draws_it_without_a_sideways_scroll_or_an_error(results: Results, width: int, tmp_path: Path) -> None:
    html = report(results)
    (tmp_path / "page.html").write_text(html)
    root = "document.documentElement"
    drawn = "[...document.querySelectorAll('.chart svg .dot')].every(d => d.getBoundingClientRect().left >= 0)"
    told = f"'too wide by ' + ({root}.scrollWidth - {root}.clientWidth) + ', ' + {drawn}"
    # Every table is opened, so that none hides what is too wide.
    tell = "<script>onload = () => { document.querySelectorAll('details').forEach(d => d.open = true);"
    tell += f" parent.postMessage({told}, '*') }}</script>"
    open_ = html.replace("<meta http-equiv", "<meta name").replace("</body>", f"{tell}</body>")
    (tmp_path / "copy.html").write_text(open_)
    (tmp_path / "frame.html").write_text(
        "<p id=w></p><script>onmessage = told => document.getElementById('w').textContent = told.data</script>"
        f"<iframe src=copy.html style='width:{width}px;height:900px;border:0'></iframe>"
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={tmp_path}/profile"]
    flags += ["--enable-logging=stderr", "--virtual-time-budget=10000"]
    done = subprocess.run(
        [str(BROWSER), *flags, "--dump-dom", (tmp_path / "frame.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ">too wide by 0, true<" in done.stdout
    picture = tmp_path / "page.png"
    shot = [f"--screenshot={picture}", f"--window-size={max(width, 500)},900"]
    done = subprocess.run(
        [str(BROWSER), *flags, *shot, (tmp_path / "page.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ":CONSOLE" not in done.stderr
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (max(width, 500), 900)
