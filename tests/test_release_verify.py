"""`verify` passes what was published, and finds whatever was changed since."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from assets.release import write_release
from robustgym import consistency
from robustgym.consistency import ids
from robustgym.diff import Bump, diff
from robustgym.layout import CHECKSUMS, MANIFEST, path_of, read_rows, write_rows
from robustgym.release import Release
from robustgym.show import show
from robustgym.verify import verify
from robustgym.warehouse import Warehouse
from schemas.answers import AnswerKind, AnswerType
from schemas.errors import InputError
from schemas.noise import Level, Promise
from schemas.overlays import Insert, Overlay, Update
from schemas.pairs import Condition, GoldRow, Records, Split, Task
from schemas.questions import Intent, Scope
from schemas.release import Draft, SourceInfo, SourceTable
from schemas.tables import TABLES
from tests.release_drafts import POTASSIUM, draft, rows

GOLD = path_of(GoldRow, Split.TEST)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(draft(), tmp_path_factory.mktemp("releases"))


@pytest.fixture
def path(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published, tmp_path / published.name)
    return tmp_path / published.name


def failures(path: Path) -> str:
    report = verify(Release.open(path))
    assert report.ok is not bool(report.failures)
    assert all(failure.endswith(".") for failure in report.failures)
    return "\n".join(report.failures)


def reseal(path: Path) -> None:
    """Make manifest and checksums fit again: what a careful forger would do."""
    manifest = json.loads((path / MANIFEST).read_text())
    for entry in manifest["files"]:
        content = (path / entry["path"]).read_bytes()
        entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (path / MANIFEST).write_text(json.dumps(manifest))
    first, *lines = (path / CHECKSUMS).read_text().splitlines()
    names = [line.split("  ", 1)[1] for line in lines]
    sums = [f"{hashlib.sha256((path / name).read_bytes()).hexdigest()}  {name}" for name in names]
    (path / CHECKSUMS).write_text("\n".join([first, *sums]) + "\n")


def change_gold(path: Path, change: Callable[[GoldRow], GoldRow]) -> None:
    mark = Release.open(path).manifest.canary
    write_rows(GoldRow, [change(row) for row in read_rows(GoldRow, path / GOLD)], path / GOLD, mark)
    reseal(path)


def test_what_was_published_passes(path: Path) -> None:
    assert failures(path) == ""
    report = verify(Release.open(path))
    assert len(report.checks) == 11
    assert [check.name for check in report.checks if check.skipped] == [
        "source",
        "references on both hospitals",
        "oracle and silence",
    ]
    assert "Cell test/Vitals/patient/record has 0 of 1 pairs." in report.notes


@pytest.mark.parametrize("name", ["README.md", "tasks/test/tasks.parquet", "report.html", "croissant.json"])
def test_a_flipped_byte_is_found(path: Path, name: str) -> None:
    content = bytearray((path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (path / name).write_bytes(content)
    assert f"{name} was altered" in failures(path)


def test_another_licence_and_other_scores_are_found_though_the_sums_fit(path: Path) -> None:
    manifest = json.loads((path / MANIFEST).read_text())
    manifest["licence"] = manifest["source"]["kind"] = "demo"
    manifest["yardsticks"]["oracle_noise"] = 0.5
    (path / MANIFEST).write_text(json.dumps(manifest))
    reseal(path)
    found = failures(path)
    assert "LICENSE.txt is not the Open Data Commons Open Database License 1.0" in found
    assert "The manifest has 0.5 for oracle noise; no release is published without 1." in found


def test_a_file_too_few_is_found(path: Path) -> None:
    (path / "DATASHEET.md").unlink()
    (path / "CHANGELOG.md").unlink()
    found = failures(path)
    assert "CHANGELOG.md is missing." in found
    assert "DATASHEET.md is missing." in found


def test_a_file_too_many_is_found(path: Path) -> None:
    (path / "gold/test/more.parquet").write_bytes((path / GOLD).read_bytes())
    assert "gold/test/more.parquet is in the release and not in SHA256SUMS.txt." in failures(path)


def test_a_missing_table_does_not_hide_the_rest(path: Path) -> None:
    (path / GOLD).unlink()
    (path / "README.md").write_text("something else")
    found = failures(path)
    assert "README.md was altered" in found
    assert "README.md does not carry the canary." in found
    assert f"{GOLD}: is missing" in found


def test_a_gold_answer_that_breaks_the_promise_is_found_though_every_sum_fits(path: Path) -> None:
    def answer(row: GoldRow) -> GoldRow:
        return row.model_copy(update={"gold": 1.0}) if row.gold is None and row.operator == "lose_results" else row

    change_gold(path, answer)
    assert failures(path) == f"Pair {'a1' * 8}: abstention is promised, and the noise task has the answer 1.0."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"subject_ids": (10_000_002,)}, "Patient 10000002 is asked about in train and in test."),
        ({"question": "Another one?"}, "question or contract is not the same in tasks and gold."),
        ({"intent": Intent.VITALS}, "Cell test/Vitals/patient/record: the manifest counts 0 pairs, there are 1."),
        ({"split": Split.TRAIN}, "is of train and lies in gold/test."),
        ({"condition": Condition.CLEAN}, "its tasks are clean, clean, not one clean and one noise"),
    ],
)
def test_an_altered_row_is_found_though_every_sum_fits(path: Path, change: dict[str, object], sentence: str) -> None:
    change_gold(path, lambda row: row.model_copy(update=change) if row.operator == "lose_results" else row)
    assert sentence in failures(path)


def test_ids_that_sort_by_condition_are_found() -> None:
    sorted_by_condition = [
        row.model_copy(update={"pair_id": f"{n:016x}", "task_id": f"{n + 300 * (row.condition == 'noise'):016x}"})
        for n in range(300)
        for row in rows()[:2]
    ]
    assert any("The ids give condition noise away" in sentence for sentence in ids(sorted_by_condition))


def test_a_pair_reads_as_a_person_would_tell_it(published: Path) -> None:
    shown = show(Release.open(published), "a1" * 8)
    text = shown.text(width=140)
    for part in ("4.2 mmol/L", "abstain: the record does not support an answer", "row 3, patient 10000001", "gone"):
        assert part in text
    assert "the clean hospital and in one other supported world" in shown.evidence
    assert shown.as_dict()["changes"][1] == {
        "table": "labevents",
        "record": "row 4, patient 10000001",
        "column": "value",
        "before": "4.4",
        "after": "<HEMOLYZED|>",
    }
    json.dumps(shown.as_dict())


def test_every_kind_of_edit_and_answer_is_told(published: Path) -> None:
    release = Release.open(published)
    told = {name: show(release, name * 8) for name in ("b2", "c3", "d4", "e5", "f6")}
    assert told["b2"].changes[0].before == "not there"
    assert told["c3"].reworded
    assert told["d4"].clean_answer == "gender F, n 12; gender M, n 9"
    assert told["d4"].changes[0].record.startswith("every one where anchor_age > 65")
    assert told["e5"].clean_answer == "no"
    assert told["e5"].changes[0].after == "there twice, the second with drg_code = '872'"
    assert told["f6"].evidence == "A successful look at the columns of drgcodes and hcpcsevents."


def corrected(version: str, *, drop: str = "", **gold: object) -> Draft:
    """The draft with another version, without one pair, and with other gold answers by pair."""
    changed = [
        row.model_copy(update={"gold": gold[row.pair_id[:2]]})
        if row.pair_id[:2] in gold and row.condition == "clean"
        else row
        for row in rows()
        if row.pair_id[:2] != drop
    ]
    return draft(version=version, rows=tuple(changed))


def test_a_corrected_answer_is_a_patch(published: Path, tmp_path: Path) -> None:
    path = write_release(corrected("1.0.1", a1=4.3), tmp_path, previous=published)
    found = diff(Release.open(published), Release.open(path))
    assert [(c.pair_id[:2], c.parts) for c in found.changed] == [("a1", ("gold",))]
    assert (found.needed, found.said, found.comparable, found.honest) == (Bump.PATCH, Bump.PATCH, True, True)
    assert found.regrade == f"judge the stored transcripts of {'a1' * 8} again."
    note = (path / "CHANGELOG.md").read_text()
    assert "**What changed:** since invented-1.0.0: 1 pair corrected." in note
    assert "**How to re-grade:** judge the stored transcripts" in note
    json.dumps(found.as_dict())


def test_test_pairs_that_go_make_scores_incomparable(published: Path, tmp_path: Path) -> None:
    found = diff(Release.open(published), Release.open(write_release(corrected("1.1.0", drop="a1"), tmp_path)))
    assert (found.needed, found.said, found.comparable, found.honest) == (Bump.MAJOR, Bump.MINOR, False, False)
    assert found.cells == {"test/Labs/patient/record": (1, 0)}


def test_new_pairs_are_a_minor_change(published: Path, tmp_path: Path) -> None:
    small = write_release(corrected("0.9", drop="a1"), tmp_path)
    found = diff(Release.open(small), Release.open(published))
    assert (found.needed, found.said, found.comparable) == (Bump.MINOR, Bump.MAJOR, True)
    assert found.added == ("a1" * 8,)


def test_a_release_does_not_differ_from_itself(published: Path) -> None:
    found = diff(Release.open(published), Release.open(published))
    assert (found.reasons, found.needed, found.which) == ((), Bump.NONE, "none.")


SUBJECT, HADM = 10_000_001, 20_000_001


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """A hospital of one invented patient with two potassiums."""
    root = tmp_path_factory.mktemp("warehouse")
    (root / "hosp").mkdir()
    given: dict[str, list[dict[str, object]]] = {
        "patients": [{"subject_id": SUBJECT, "gender": "F", "anchor_age": 70}],
        "admissions": [{"subject_id": SUBJECT, "hadm_id": HADM}],
        "labevents": [
            {"labevent_id": n, "subject_id": SUBJECT, "itemid": 50971, "valuenum": value, "valueuom": "mEq/L"}
            for n, value in ((1, 4.2), (2, 4.6))
        ],
    }
    for name, records in given.items():
        table = TABLES[name]
        cells = ", ".join(f"CAST(NULL AS {c.type.duckdb}) AS {c.name}" for c in table.columns)
        with duckdb.connect() as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {cells} LIMIT 0")
            for record in records:
                marks = ", ".join("?" for _ in record)
                connection.execute(f"INSERT INTO t ({', '.join(record)}) VALUES ({marks})", list(record.values()))
            connection.execute(f"COPY t TO '{root / table.path}.parquet' (FORMAT parquet)")
    return Warehouse.open(root)


def real_draft(warehouse: Warehouse, gold: float = 4.2) -> Draft:
    """Three pairs over that hospital, one for each promise and level."""
    first = (
        "SELECT round(valuenum, 1) AS v FROM labevents "
        f"WHERE subject_id = {SUBJECT} AND valuenum IS NOT NULL ORDER BY labevent_id LIMIT 1"
    )
    lactate = Insert(table="labevents", subject_id=SUBJECT, after={"subject_id": SUBJECT, "itemid": 1, "valuenum": 2.0})

    def pair(name: str, noisy: object, sql: str, edits: tuple[Update, ...], **changes: object) -> tuple[GoldRow, ...]:
        base = GoldRow(
            pair_id=name * 16,
            task_id=hashlib.sha256(name.encode()).hexdigest()[:16],
            condition=Condition.CLEAN,
            split=Split.TEST,
            intent=Intent.LABS,
            scope=Scope.PATIENT,
            level=Level.VALUE,
            operator=f"operator_{name}",
            severity="all",
            template="first_lab",
            parameters={"hadm_id": HADM},
            question="What was the first potassium?",
            answer=POTASSIUM,
            reference_sql=first,
            gold=gold,
            records=(Records(selection="targets", role="target", table="labevents", rows=(0, 1), n=2),),
            overlay=Overlay(edits=edits),
            worlds=() if edits else (Overlay(edits=(lactate,)),),
            schema_evidence=(),
            witness_sql=f"SELECT subject_id, itemid, valuenum FROM labevents WHERE subject_id = {SUBJECT}",
            promise=Promise.ABSTENTION,
            subject_ids=(SUBJECT,),
            tables=("labevents",),
        )
        base = base.model_copy(update={k: v for k, v in changes.items() if k in ("promise", "level")})
        noise = {"task_id": hashlib.sha256(f"{name}!".encode()).hexdigest()[:16], "condition": Condition.NOISE}
        return base, base.model_copy(update=noise | {"gold": noisy, "reference_sql": sql} | changes)

    def blank(row: int, value: float) -> Update:
        before: dict[str, object] = {"valuenum": value}
        return Update(table="labevents", row=row, subject_id=SUBJECT, before=before, after={"valuenum": None})

    made = (
        *pair("a", None, first, (blank(0, 4.2), blank(1, 4.6))),
        *pair("b", 4.6, first, (blank(0, 4.2),), promise=Promise.RECOMPUTED),
        *pair(
            "c",
            None,
            first.replace("WHERE", "WHERE itemid = 1 AND"),
            (),
            level=Level.QUERY,
            question="What was the first lactate?",
            answer=AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1),
        ),
    )
    source = SourceInfo(
        kind="synthetic",
        version="1",
        fingerprint=warehouse.fingerprint,
        tables={name: SourceTable(rows=1, fingerprint="00" * 32) for name in sorted(warehouse.tables)},
    )
    profile = draft().profile.model_copy(update={"test_pairs_per_cell": 2})
    return draft(rows=made, source=source, profile=profile)


def test_with_the_hospital_every_reference_is_run_again(warehouse: Warehouse, tmp_path: Path) -> None:
    release = Release.open(write_release(real_draft(warehouse), tmp_path))
    steps: list[str] = []
    report = verify(release, warehouse, lambda what, done, total: steps.append(what))
    assert report.failures == ()
    assert not [check for check in report.checks if check.skipped]
    assert (steps.count("references"), steps.count("yardsticks")) == (6, 6)


def test_a_gold_answer_the_hospital_does_not_give_is_found(warehouse: Warehouse, tmp_path: Path) -> None:
    path = write_release(real_draft(warehouse, gold=4.3), tmp_path)
    report = verify(Release.open(path), warehouse.path)
    found = {check.name: len(check.failures) for check in report.checks if check.failures}
    assert found == {"references on both hospitals": 3, "oracle and silence": 3}
    assert "its reference gives 4.2, published is 4.3." in report.failures[0]


def test_another_hospital_is_told_apart(warehouse: Warehouse, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(warehouse.path, other)
    with duckdb.connect() as connection:
        file = other / "hosp/labevents.parquet"
        connection.execute(f"CREATE TABLE t AS SELECT * REPLACE (9.9 AS valuenum) FROM '{file}'")
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
    release = Release.open(write_release(real_draft(warehouse), tmp_path))
    report = verify(release, other)
    assert [check.name for check in report.checks if check.failures] == ["source"]
    assert "holds other records" in report.failures[0]
    (other / "hosp/labevents.parquet").unlink()
    assert "lacks labevents" in verify(release, other).failures[0]
    with pytest.raises(InputError):
        verify(release, tmp_path / "nowhere")


def test_tasks_are_what_an_agent_gets(published: Path) -> None:
    for split in Split:
        for task in Release.open(published).tasks(split):
            assert set(Task.model_fields) == set(task.model_dump())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"train_pairs": 3}, []),
        ({"train_pairs": 2}, ["There are 3 training pairs, the profile asks for 2."]),
        ({"test_pairs_per_cell": 1, "train_pairs": 37}, []),
    ],
)
def test_a_training_cell_may_have_more_than_its_share_and_all_together_may_not(
    asked: dict[str, int], said: list[str], tmp_path: Path
) -> None:
    """The paper's 4,478 pairs go into 36 cells unevenly, and what one cannot carry, others do."""
    release = Release.open(write_release(draft(), tmp_path))
    manifest = release.manifest.model_copy(update={"profile": release.manifest.profile.model_copy(update=asked)})
    assert list(consistency.balance(manifest, release.pairs())) == said
