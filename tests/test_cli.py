"""The command line as a user meets it: what it says, where it says it, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from assets.graph.plan import Plan
from assets.graph.publish import next_version, sums, versions
from noise_ops import operators
from pipelines.cli import app
from pipelines.cli_console import Watch, called, watch
from schemas.release import Profile
from schemas.tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
VERBS = ("build", "synth", "fetch-demo", "verify", "show", "diff", "ops")


def robustgym(*arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, after some Python was run in it."""
    code = f"{before}\nfrom pipelines.cli import main\nmain()"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment, check=False
    )


def invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


# -- help -----------------------------------------------------------------------------------------------------------


def test_help_is_instant_and_names_every_verb() -> None:
    began = time.process_time(), time.monotonic()
    result = robustgym("--help")
    assert result.returncode == 0
    assert time.monotonic() - began[1] < 5, "help takes a fifth of a second on an idle machine"
    for verb in VERBS:
        assert f"\n  {verb} " in result.stdout
    for verb in VERBS:
        assert invoke(verb, "--help")[0] == 0


def test_help_imports_nothing_that_is_slow() -> None:
    watched = "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))"
    loaded = {name.split(".")[0] for name in robustgym("--help", before=watched).stderr.split()}
    assert not loaded & {"dagster", "duckdb", "polars", "pyarrow", "great_expectations", "openai", "numpy", "pandas"}


def test_a_gym_without_the_pipeline_says_what_is_missing() -> None:
    blocked = "import sys\nfor name in ('dagster', 'faker', 'great_expectations', 'numpy'): sys.modules[name] = None"
    assert robustgym("--help", before=blocked).returncode == 0
    assert robustgym("ops", "list", before=blocked).returncode == 0
    refused = robustgym("build", before=blocked)
    assert refused.returncode == 2
    assert "ehr-robustgym[pipeline]" in refused.stderr
    assert "Traceback" not in refused.stderr


# -- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "--source", "/no/such/place"), "--source /no/such/place: no such directory"),
        (("build", "--source", "synthetic:many"), "not a number of patients"),
        (("build", "--profile", "huge"), "use one of extended, paper, smoke"),
        (("build", "--version", "one"), "write for example 1.0.0"),
        (("verify", "/no/such/release"), "/no/such/release"),
        (("show", "/no/such/release", "abc"), "/no/such/release"),
        (("diff", "/no/such/release", "/nor/this"), "/no/such/release"),
        (("ops", "show", "no_such_operator"), "there is none of that name"),
        (("build", "--seed", "-1"), "seed"),
        (("no-such-verb",), "no-such-verb"),
        (("synth",), "OUT"),
    ],
)
def test_a_mistake_is_a_sentence_on_stderr_and_code_2(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = invoke(*arguments)
    assert code == 2
    assert said in err
    assert not out
    assert "Traceback" not in err


def test_every_mistake_is_told_at_once() -> None:
    _, _, err = invoke("build", "--source", "/no/such/place", "--version", "one")
    assert len(err.splitlines()) == 2


# -- operators ------------------------------------------------------------------------------------------------------


def test_operators_are_listed_for_people_and_for_machines() -> None:
    code, out, _ = invoke("ops", "list")
    assert code == 0
    assert all(name in out for name in operators())
    listed = json.loads(invoke("ops", "list", "--json")[1])
    assert [operator["name"] for operator in listed] == list(operators())
    assert {"name", "level", "promise", "severities"} <= listed[0].keys()


@pytest.mark.parametrize("name", operators())
def test_an_operator_shows_itself(name: str) -> None:
    code, out, _ = invoke("ops", "show", name)
    assert code == 0
    assert operators()[name].summary in out
    assert json.loads(invoke("ops", "show", name, "--json")[1])["name"] == name


# -- progress -------------------------------------------------------------------------------------------------------


def test_progress_is_lines_on_stderr_where_nobody_watches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.cli_console.EVERY", 0.0)
    with watch("reading") as progress:
        progress("labevents", 1, 31)
        progress("somewhere", 0, 0)
    captured = capsys.readouterr()
    assert captured.err.splitlines() == ["reading: labevents (1 of 31)", "reading: somewhere"]
    assert not captured.out


def test_threads_share_one_line_of_progress() -> None:
    class Bars:
        lines = 0

        def add_task(self, *_: object, **__: object) -> int:
            time.sleep(0.01)
            self.lines += 1
            return self.lines

        def update(self, *_: object, **__: object) -> None: ...

        def remove_task(self, _: int) -> None:
            self.lines -= 1

    bars = Bars()
    progress = Watch("build", cast(Any, bars))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda i: progress.show("  step", "labevents", i, 8), range(8)))
    assert bars.lines == 1
    progress.drop("  step")
    assert bars.lines == 0


def test_every_fault_of_a_source_is_told_though_tables_depend_on_each_other(tmp_path: Path) -> None:
    source = tmp_path / "raw"
    for name, row in {"patients": "1,F,old,2150,,", "admissions": "1,11,yesterday" + "," * 13, "omr": "1,2"}.items():
        path = source / f"{TABLES[name].path}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(",".join(TABLES[name].names) + f"\n{row}\n", encoding="utf-8")
    result = robustgym_in(tmp_path, "build", "--source", str(source))
    assert result.returncode == 2
    told = [line for line in result.stderr.splitlines() if line.startswith("hosp/")]
    assert [line.split(",")[0] for line in sorted(told)] == ["hosp/admissions.csv", "hosp/omr.csv", "hosp/patients.csv"]
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "data/releases").exists()


def test_programs_are_named_so_that_the_line_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ".venv/bin"
    folder.mkdir(parents=True)
    (folder / "robustgym").touch(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin")
    assert called("robustgym") == str(folder / "robustgym")
    monkeypatch.chdir(tmp_path)
    assert called("robustgym") == ".venv/bin/robustgym"
    monkeypatch.setenv("PATH", str(folder))
    assert called("robustgym") == "robustgym"


# -- from a hospital to a release -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A small release of a small hospital, made by the command, and what it said."""
    place = tmp_path_factory.mktemp("made")
    profile = Profile.load("smoke").model_dump(mode="json") | {
        "name": "tiny",
        "test_pairs_per_cell": 1,
        "train_pairs": 36,
        "templates_per_cell": 4,
        "questions_per_template": 2,
        "test_candidates_per_operator": 1,
        "train_candidates_per_operator": 1,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in profile.items()]
    (place / "tiny.toml").write_text("\n".join(lines), encoding="utf-8")
    return place, robustgym_in(place, "build", "--source", "synthetic:300", "--profile", "tiny.toml", "--json")


def robustgym_in(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipelines.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_build_makes_a_release_and_says_what_it_is(made: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    place, result = made
    assert result.returncode == 0, result.stderr
    said = json.loads(result.stdout)
    assert said["made"] is True
    assert said["version"] == "1.0.0"
    assert (place / said["release"] / "manifest.json").is_file()
    assert said["counts"]["all"] >= 24
    assert said["yardsticks"] == {"oracle_clean": 1.0, "oracle_noise": 1.0, "silence_without_evidence": 0.0}
    assert said["model_check"] == "not verified by a model"
    assert result.stderr, "a build takes longer than two seconds: it says how far it is"


def test_a_second_build_has_nothing_to_do(made: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    place, first = made
    began = time.monotonic()
    again = robustgym_in(place, "build", "--source", "synthetic:300", "--profile", "tiny.toml")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("Nothing to do: ")
    assert json.loads(first.stdout)["release"] in again.stdout
    assert time.monotonic() - began < 20, "three seconds on an idle machine"


def test_the_release_verifies_against_its_hospital(made: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    place, first = made
    release = json.loads(first.stdout)["release"]
    alone = robustgym_in(place, "verify", release, "--json")
    assert alone.returncode == 0, alone.stdout
    assert json.loads(alone.stdout)["ok"] is True
    whole = robustgym_in(place, "verify", release, "--source", "data/warehouse/synthetic-300", "--json")
    assert whole.returncode == 0, whole.stdout
    checks = json.loads(whole.stdout)["checks"]
    assert not [check for check in checks if check["skipped"]]


def test_a_release_that_was_tampered_with_does_not_verify(
    made: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    place, first = made
    release = place / json.loads(first.stdout)["release"]
    copy = tmp_path / release.name
    copy.mkdir()
    for path in release.rglob("*"):
        target = copy / path.relative_to(release)
        target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    (copy / "README.md").write_text("another card", encoding="utf-8")
    result = robustgym_in(place, "verify", str(copy))
    assert result.returncode == 1
    assert "README.md" in result.stdout


def test_pairs_are_shown_and_releases_compared(made: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    from robustgym.release import Release

    place, first = made
    release = place / json.loads(first.stdout)["release"]
    pair = Release.open(release).pairs()[0].clean
    code, out, _ = invoke("show", str(release), pair.pair_id)
    assert code == 0
    assert pair.operator in out
    assert json.loads(invoke("show", str(release), pair.pair_id, "--json")[1])
    code, out, _ = invoke("diff", str(release), str(release))
    assert code == 0
    assert out
    assert json.loads(invoke("diff", str(release), str(release), "--json")[1])


def test_a_version_that_is_taken_is_refused_at_once(made: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    place, first = made
    other = ("build", "--source", "synthetic:300", "--profile", "tiny.toml", "--seed", "1", "--version", "1.0.0")
    taken = robustgym_in(place, *other)
    assert taken.returncode == 2
    assert f"{json.loads(first.stdout)['release']}: this version exists" in taken.stderr
    assert "step" not in taken.stderr, "before anything is built"


def test_without_a_version_the_next_one_is_taken(tmp_path: Path) -> None:
    plan = Plan.of(out=tmp_path)
    assert next_version(plan, "x", "key", []) == ("1.0.0", False)
    assert next_version(plan, "x", "key", ["1.0.0", "1.0.9"]) == ("1.0.10", False)
    for version in ("1.0.9", "1.0.10", "1.0.2"):
        (tmp_path / f"x-{version}").mkdir()
        (tmp_path / f"x-{version}" / "SHA256SUMS.txt").write_text(version, encoding="utf-8")
    assert versions(tmp_path, "x") == ["1.0.2", "1.0.9", "1.0.10"]
    note = {"key": "key", "sums": sums(tmp_path / "x-1.0.10")}
    (tmp_path / ".x-1.0.10.json").write_text(json.dumps(note), encoding="utf-8")
    assert next_version(plan, "x", "key", versions(tmp_path, "x")) == ("1.0.10", True)
    (tmp_path / "x-1.0.10" / "SHA256SUMS.txt").write_text("edited", encoding="utf-8")
    assert next_version(plan, "x", "key", versions(tmp_path, "x")) == ("1.0.11", False)
