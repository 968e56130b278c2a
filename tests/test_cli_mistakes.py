"""Calls that cannot be carried out: refused before anything is read or written, in a sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from assets.graph.plan import Plan
from pipelines.cli import app
from schemas.errors import InputError


def problems(root: Path, **asked: str | Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        Plan.of(root=root, **asked)  # type: ignore[arg-type]  # whatever a user may type
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("option", ["out", "warehouse"])
def test_a_file_where_a_directory_should_be_is_told_before_the_build(tmp_path: Path, option: str) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file/below"):
        [problem] = problems(tmp_path, **{option: place})
        assert problem == f"--{option} {place}: {tmp_path / 'file'} is a file; name a directory"


def test_a_directory_that_may_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    [problem] = problems(tmp_path, out=tmp_path / "new")
    assert f"{tmp_path} may not be written to" in problem


def test_no_source_is_not_this_directory(tmp_path: Path) -> None:
    [problem] = problems(tmp_path, source="")
    assert "no such directory" in problem


def test_a_profile_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfen\x00")
    [problem] = problems(tmp_path, profile=str(tmp_path / "mine.toml"))
    assert "not TOML" in problem


def test_the_profile_is_wrong_beside_the_rest(tmp_path: Path) -> None:
    assert len(problems(tmp_path, source="/no/such/place", version="one", profile="huge")) == 3


def test_a_format_that_is_none(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["synth", str(tmp_path / "new"), "--format", "xls"])
    assert result.exit_code == 2
    assert result.stderr == "--format xls: no such format; use one of csv.gz, parquet\n"
    assert not (tmp_path / "new").exists()
