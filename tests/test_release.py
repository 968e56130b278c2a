"""A release is written whole or not at all, always the same bytes, and read back as what it was."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.release import ReleaseRefused, write_release
from assets.release.write import sha256_of_code
from robustgym.gold import canonical
from robustgym.layout import CANARY_KEY, decode, encode, path_of, read_rows, write_rows
from robustgym.licence import require_permission, require_publishable
from robustgym.release import Release
from schemas.errors import InputError
from schemas.pairs import Condition, GoldRow, Split, Task
from schemas.release import SourceKind
from schemas.version import CODE_VERSION
from tests.conftest import ROOT
from tests.release_drafts import draft, rows

GOLDEN = ROOT / "tests/golden/release"
YARDSTICKS = draft().yardsticks

FILES = {
    "CHANGELOG.md",
    "DATASHEET.md",
    "LICENSE.txt",
    "README.md",
    "SHA256SUMS.txt",
    "croissant.json",
    "gold/test/gold.parquet",
    "gold/train/gold.parquet",
    "manifest.json",
    "report.html",
    "schemas/gold.json",
    "schemas/manifest.json",
    "schemas/task.json",
    "tasks/test/tasks.parquet",
    "tasks/train/tasks.parquet",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(draft(), tmp_path_factory.mktemp("releases"))


def files(path: Path) -> dict[str, bytes]:
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def test_everything_is_there_and_nothing_else(path: Path) -> None:
    assert path.name == "invented-1.0.0"
    assert set(files(path)) == FILES
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_the_same_draft_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    (tmp_path / "invented-0.9.0").mkdir()
    assert files(write_release(draft(), tmp_path)) == files(path)


def test_checksums_are_what_sha256sum_reads(path: Path) -> None:
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS.txt"], cwd=path, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(FILES) - 1


def test_the_canary_is_in_every_file(path: Path) -> None:
    canary = Release.open(path).manifest.canary
    for name, content in files(path).items():
        if name.endswith(".parquet"):
            assert pq.read_schema(path / name).metadata[CANARY_KEY.encode()].decode() == canary
        else:
            assert canary in content.decode(), name


def test_an_existing_version_is_never_overwritten(path: Path) -> None:
    before = files(path)
    with pytest.raises(InputError, match="give a higher --version"):
        write_release(draft(seed=8), path.parent)
    assert files(path) == before


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr("assets.release.write.report", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_release(draft(), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"yardsticks": YARDSTICKS | {"oracle_noise": 0.99}}, r"oracle noise scores 0\.99, and must score 1\.0$"),
        ({"yardsticks": YARDSTICKS | {"silence_without_evidence": 0.01}}, r"silence without evidence scores 0\.01"),
        ({"yardsticks": YARDSTICKS | {"oracle_clean": float("nan")}}, "oracle clean scores nan"),
        ({"yardsticks": {}}, "oracle clean scores not measured"),
        ({"rows": rows()[:-1]}, "its tasks are clean, not one clean and one noise"),
        ({"rows": ()}, "there are no pairs"),
        ({"rows": (*rows(), rows()[0])}, "its tasks are clean, clean, noise"),
        ({"rows": (*rows()[:-1], rows()[-1].model_copy(update={"task_id": rows()[0].task_id}))}, "borne by 2 tasks"),
        ({"rows": (rows()[0], rows()[1].model_copy(update={"gold": 9.9}))}, "abstention is promised"),
    ],
)
def test_a_draft_that_does_not_prove_itself_is_not_published(
    changes: dict[str, object], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ReleaseRefused, match=reason):
        write_release(draft(**changes), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_gets_back_what_was_written(path: Path) -> None:
    release = Release.open(path)
    assert sorted(release.rows, key=lambda row: (row.pair_id, row.condition)) == list(rows())
    assert [pair.clean.pair_id for pair in release.pairs()] == [
        name * 8 for name in ("a1", "b2", "c3", "d4", "e5", "f6")
    ]
    assert [pair.clean.split for pair in release.pairs(Split.TEST)] == [Split.TEST] * 3
    for split in Split:
        assert [task.task_id for task in release.tasks(split)] == [row.task_id for row in release.gold(split)]


def test_a_pair_is_found_by_pair_by_task_and_by_prefix(path: Path) -> None:
    release = Release.open(path)
    pair = release.pairs()[0]
    for name in (pair.clean.pair_id, "a1a1", pair.noise.task_id, pair.clean.task_id[:8]):
        assert release.pair(name) == pair
    with pytest.raises(InputError, match="no such pair or task"):
        release.pair("zz")
    with pytest.raises(InputError, match="no such pair or task"):
        release.pair("")
    with pytest.raises(InputError, match="2 pairs begin like that"):
        release.pair("d4")


def test_tasks_tell_nothing_of_the_condition(path: Path) -> None:
    for split in Split:
        file = pq.ParquetFile(path / path_of(Task, split))
        assert file.schema_arrow.names == ["task_id", "question", "answer"]
        metadata = file.metadata
        assert {metadata.row_group(0).column(i).statistics for i in range(3)} == {None}
        assert set(metadata.metadata) == {b"ARROW:schema", CANARY_KEY.encode()}
        tasks = read_rows(Task, path / path_of(Task, split))
        assert [t.task_id for t in tasks] == sorted(t.task_id for t in tasks)
        raw = (path / path_of(Task, split)).read_bytes()
        assert not [r.pair_id for r in rows() if r.pair_id.encode() in raw]
    # Noise that leaves the question alone leaves the task alone: but for the id both halves are equal.
    for pair in Release.open(path).pairs():
        if pair.clean.level != "query":
            assert (pair.clean.question, pair.clean.answer) == (pair.noise.question, pair.noise.answer)


def test_published_schemas_describe_what_is_published(path: Path) -> None:
    manifest = json.loads((path / "manifest.json").read_text())
    jsonschema.validate(manifest, json.loads((path / "schemas/manifest.json").read_text()))
    for model, name in ((Task, "task"), (GoldRow, "gold")):
        schema = json.loads((path / f"schemas/{name}.json").read_text())
        for split in Split:
            for row in read_rows(model, path / path_of(model, split)):
                jsonschema.validate(row.model_dump(mode="json"), schema)


def test_the_manifest_counts(path: Path) -> None:
    manifest = Release.open(path).manifest
    assert (manifest.counts["all"], manifest.counts["test"], manifest.counts["train"]) == (6, 3, 3)
    assert manifest.counts["test/Labs/patient/record"] == 1
    assert manifest.counts["test/Vitals/population/query"] == 0
    assert len(manifest.counts) == 2 * 36 + 3
    assert manifest.drops == {"a tie": 9, "the answer is gone": 4}
    assert {entry.path for entry in manifest.files} == FILES - {"manifest.json", "SHA256SUMS.txt"}
    assert {entry.path: entry.rows for entry in manifest.files if entry.rows is not None} == {
        f"{name}/{split}/{name}.parquet": 6 for name in ("tasks", "gold") for split in Split
    }


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "DATASHEET.md", "LICENSE.txt", "manifest.json"])
@pytest.mark.parametrize("kind", ["synthetic", "demo", "credentialed"])
def test_the_documents_are_the_golden_ones(kind: SourceKind, name: str, tmp_path: Path) -> None:
    """Set ROBUSTGYM_UPDATE_GOLDEN=1 to write them anew, and read the difference."""
    text = (write_release(draft(kind), tmp_path) / name).read_text()
    golden = GOLDEN / kind / name
    if os.environ.get("ROBUSTGYM_UPDATE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(masked(text))
    assert masked(text) == golden.read_text()


def masked(text: str) -> str:
    """The text without what changes with every change of code or library: hashes, sizes, versions."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "<sha256>", text)
    text = re.sub(r'"bytes": \d+', '"bytes": "<bytes>"', text)
    return re.sub(
        r"(duckdb|faker|jinja2|numpy|polars|pyarrow|pydantic|sqlglot)( \| |\": \")\d[\w.]*", r"\1\2<version>", text
    )


def test_names_are_ones_that_physionet_takes(path: Path) -> None:
    for name in FILES:
        assert all(re.fullmatch(r"\w([\w.-]*\w)?", part) for part in name.split("/"))
    assert "# MIMIC-IV-Ext-invented\n" in (GOLDEN / "credentialed/README.md").read_text()


def test_the_version_is_the_package_s() -> None:
    assert f'\nversion = "{CODE_VERSION}"\n' in (ROOT / "pyproject.toml").read_text()


def test_the_code_s_hash_names_its_content(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/a.py").write_text("A = 1\n")
    before = sha256_of_code(tmp_path)
    (tmp_path / "schemas/notes.txt").write_text("not code")
    assert sha256_of_code(tmp_path) == before
    (tmp_path / "schemas/a.py").write_text("A = 2\n")
    assert sha256_of_code(tmp_path) != before


@pytest.mark.parametrize("kind", ["synthetic", "demo", "credentialed"])
def test_the_licence_travels_with_the_data(kind: SourceKind, tmp_path: Path) -> None:
    path = write_release(draft(kind), tmp_path)
    text, card = (path / "LICENSE.txt").read_text(), (path / "README.md").read_text()
    want = {
        "synthetic": ("CC0 1.0 Universal", "license: cc0-1.0"),
        "demo": ("doi.org/10.13026/dp1f-ex47", "license: odbl"),
        "credentialed": ("Share only through PhysioNet", "extra_gated_prompt"),
    }[kind]
    assert want[0] in text
    assert want[1] in card
    assert ("## One pair" in card) is (kind != "credentialed")


def test_credentialed_data_go_to_no_stranger() -> None:
    with pytest.raises(InputError, match="--i-have-verified-zero-retention"):
        require_permission("credentialed", "https://api.example.org/v1", confirmed=False)
    assert "zero-retention" in require_permission("credentialed", "https://api.example.org/v1", confirmed=True)
    with pytest.raises(InputError, match="only through PhysioNet"):
        require_publishable("credentialed", "the Hugging Face Hub")


def test_a_release_that_cannot_be_read_says_why(path: Path, tmp_path: Path) -> None:
    def opened(change: str) -> Path:
        copy = tmp_path / change
        shutil.copytree(path, copy)
        return copy

    with pytest.raises(InputError, match="no such directory"):
        Release.open(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"give one of the releases in it: invented-1\.0\.0"):
        Release.open(path.parent)
    (broken := opened("json") / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        Release.open(broken.parent)
    manifest = json.loads((path / "manifest.json").read_text())
    (other := opened("other") / "manifest.json").write_text(json.dumps(manifest | {"schema_version": "99"}))
    with pytest.raises(InputError, match=r"its layout has version 99; .*code_version"):
        Release.open(other.parent)
    (odd := opened("odd") / "manifest.json").write_text(json.dumps(manifest | {"seed": "x", "name": 1}))
    with pytest.raises(InputError) as caught:
        Release.open(odd.parent)
    assert len(caught.value.problems) == 2
    gone = opened("gone")
    (gone / path_of(Task, Split.TEST)).unlink()
    with pytest.raises(InputError, match=r"tasks\.parquet: is missing"):
        Release.open(gone).tasks(Split.TEST)
    damaged = opened("damaged")
    (damaged / path_of(GoldRow, Split.TRAIN)).write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(InputError, match=r"gold\.parquet: cannot be read"):
        Release.open(damaged).gold(Split.TRAIN)
    swapped = opened("swapped")
    shutil.copy(swapped / path_of(Task, Split.TEST), swapped / path_of(GoldRow, Split.TEST))
    with pytest.raises(InputError, match="the columns are task_id, question, answer"):
        Release.open(swapped).gold(Split.TEST)


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
golds = st.one_of(values, st.lists(st.text(max_size=5)), st.lists(st.dictionaries(st.sampled_from("abc"), values)))


@given(gold=golds, parameters=st.dictionaries(st.text(min_size=1, max_size=6), values), which=st.integers(0, 11))
def test_any_row_survives_the_way_to_disk_and_back(
    gold: object, parameters: dict[str, object], which: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    row = rows()[which].model_copy(update={"gold": gold, "parameters": parameters})
    assert decode(GoldRow, encode(row)) == row
    # `==` takes 1, 1.0 and True for one; the text does not.
    assert canonical(decode(GoldRow, encode(row)).gold) == canonical(row.gold)
    file = tmp_path_factory.getbasetemp() / "any.parquet"
    write_rows(GoldRow, [row], file, "canary")
    assert read_rows(GoldRow, file) == (row,)


@pytest.mark.filterwarnings("ignore")  # of the libraries that mlcroissant stands on
def test_croissant_is_valid_and_its_records_can_be_read(path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(str(path / "croissant.json"))
    assert list(dataset.metadata.ctx.issues.warnings) == []
    by_id = {row.task_id: row for row in rows()}
    for split in Split:
        records = list(dataset.records(f"gold-{split}"))
        assert len(records) == 6
        for record in records:
            row = by_id[record[f"gold-{split}/task_id"].decode()]
            assert row.split is split
            assert record[f"gold-{split}/condition"].decode() in set(Condition)
            assert list(record[f"gold-{split}/subject_ids"]) == list(row.subject_ids)
        assert len(list(dataset.records(f"tasks-{split}"))) == 6
