"""Injected rows look like natural ones, and a row that does not is found out."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from assets.pairs import asking
from assets.pairs.asking import Questions, build_questions
from assets.pairs.noising import build_pairs
from assets.questions import catalogue
from assets.staging import find_source, stage
from assets.synthetic import write_hospital
from assets.validation.realism import LEAST, _told, realism
from benchmarks.realism import BAR, PROFILE, SEED, SIZES
from noise_ops import operators
from robustgym.hospital import Hospital
from schemas import concepts
from schemas.overlays import Overlay, Update
from schemas.questions import Intent


@pytest.fixture(scope="module")
def labs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hospital, Questions]]:
    """A small hospital and a few questions about its laboratory results."""
    source, warehouse = tmp_path_factory.mktemp("source") / "hospital", tmp_path_factory.mktemp("warehouse")
    write_hospital(source, 150, SEED, format="parquet", workers=1)
    stage(find_source(source), warehouse)
    few = tuple(t for t in catalogue() if t.id.startswith("labs-patient-lab-") and not t.versus)[:24]
    with pytest.MonkeyPatch.context() as patched, Hospital.open(warehouse) as hospital:
        patched.setattr(asking, "catalogue", lambda: few)
        yield hospital, build_questions(hospital, concepts.load(), PROFILE, SEED)


def test_results_without_a_value_look_like_those_never_reported(labs: tuple[Hospital, Questions]) -> None:
    hospital, questions = labs
    sizes = {group: 12 for group in SIZES if group[0] is Intent.LABS}
    operator = operators()["value_null"]
    made = build_pairs(operator, questions, hospital, concepts.load(), PROFILE, SEED, sizes=sizes)
    tasks = [pair.noise for pair in made.pairs]
    [told] = realism(tasks, hospital)
    assert told.injected >= LEAST
    assert told.auc is not None
    assert told.auc <= BAR, told

    # The same rows with the flag of the number they no longer have: told at once.
    spoilt = [
        task.model_copy(update={"overlay": Overlay(edits=tuple(map(_flagged, task.overlay.edits)))}) for task in tasks
    ]
    [told] = realism(spoilt, hospital)
    assert told.auc is not None
    assert told.auc > 0.95, told
    assert any("flag" in feature for feature in told.tells)


def _flagged(edit: object) -> object:
    """A result that is abnormal though it has no value."""
    if not isinstance(edit, Update) or edit.table != "labevents":
        return edit
    return edit.model_copy(update={"before": {"flag": None} | edit.before, "after": edit.after | {"flag": "abnormal"}})


def test_a_classifier_finds_what_is_there_and_nothing_else() -> None:
    rng = Random(SEED)
    rows = [{"size": rng.random(), "flag": rng.choice("ab")} for _ in range(200)]
    labels, patients = [i % 2 for i in range(200)], [i // 4 for i in range(200)]
    auc, _ = _told(rows, labels, patients)
    assert 0.35 < auc < 0.65
    told = [row | {"late": float(label) + rng.random() / 2} for row, label in zip(rows, labels, strict=True)]
    auc, tells = _told(told, labels, patients)
    assert auc > 0.99
    assert tells[0] == "late"
