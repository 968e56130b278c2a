"""A release over the tiny hospital: pairs of which nothing is invented but the patients, made in a second."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from assets.release import write_release
from robustgym.warehouse import Warehouse
from schemas.answers import AnswerKind, AnswerType
from schemas.noise import Level, Promise
from schemas.overlays import Overlay, Update
from schemas.pairs import Condition, GoldRow, Records, Split
from schemas.questions import Intent, Scope
from schemas.release import SourceInfo, SourceKind, SourceTable
from schemas.tables import TABLES
from tests import tiny_hospital
from tests.release_drafts import draft

TEST_PAIRS, TRAIN_PAIRS = 10, 4
HIGHEST = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)


def build(folder: Path, kind: SourceKind = "synthetic") -> tuple[Path, Path]:
    """Make it.

    Args:
        folder: Where its warehouse and the release go.
        kind: The licence class it is to have.

    Returns:
        The release and the warehouse.
    """
    warehouse = Warehouse.open(tiny_hospital.build(folder / "warehouse"))
    source = SourceInfo(
        kind=kind,
        version="1",
        fingerprint=warehouse.fingerprint,
        tables={name: SourceTable(rows=1, fingerprint="00" * 32) for name in sorted(warehouse.tables)},
    )
    profile = draft().profile.model_copy(update={"test_pairs_per_cell": TEST_PAIRS, "promises": (Promise.ABSTENTION,)})
    release = write_release(draft(kind, rows=rows(), source=source, profile=profile), folder / "releases")
    return release, warehouse.path


def rows() -> tuple[GoldRow, ...]:
    """Highest values of one item of one patient; the noise takes every value away."""
    names = TABLES["labevents"].names
    labs = [dict(zip(names, row, strict=True)) for row in tiny_hospital.rows()["labevents"]]
    made: list[GoldRow] = []
    left = {Split.TEST: TEST_PAIRS, Split.TRAIN: TRAIN_PAIRS}
    for number, subject in enumerate(tiny_hospital.SUBJECTS):
        split = Split.TEST if number < 8 else Split.TRAIN
        for item, label in tiny_hospital.ITEMS.items():
            found = {n: r for n, r in enumerate(labs) if r["subject_id"] == subject and r["itemid"] == item}
            if left[split] and any(record["valuenum"] is not None for record in found.values()):
                left[split] -= 1
                made += _pair(len(made) // 2, split, subject, item, label, found)
    assert not any(left.values()), "the tiny hospital is too small"
    return tuple(made)


def _pair(
    number: int, split: Split, subject: int, item: int, label: str, found: dict[int, dict[str, Any]]
) -> list[GoldRow]:
    name = f"{number:02d}" * 8
    asked = f"subject_id = {subject} AND itemid = {item}"
    usable = {n: r for n, r in found.items() if r["valuenum"] is not None}
    reference = f"SELECT round(max(valuenum), 1) AS v FROM labevents WHERE {asked}"
    edits = tuple(
        Update(
            table="labevents",
            row=row,
            subject_id=subject,
            before={"value": record["value"], "valuenum": record["valuenum"]},
            after={"value": "___", "valuenum": None},
        )
        for row, record in usable.items()
    )
    both: dict[str, Any] = {
        "pair_id": name,
        "split": split,
        "intent": Intent.LABS,
        "scope": Scope.PATIENT,
        "level": Level.VALUE,
        "operator": "deid_mask",
        "severity": "all",
        "template": "highest_lab",
        "parameters": {"subject_id": subject, "concept": label.lower(), "register": "plain"},
        "question": f"What was the highest {label} of patient {subject}? Return a number in mmol/L, to 1 decimal.",
        "answer": HIGHEST,
        "reference_sql": f"{reference} AND valuenum IS NOT NULL",
        "naive_sql": reference,
        "records": (Records(selection="target", role="target", table="labevents", rows=tuple(usable), n=len(usable)),),
        "overlay": Overlay(edits=edits),
        "worlds": (),
        "schema_evidence": (),
        "witness_sql": f"SELECT subject_id, itemid, value FROM labevents WHERE {asked}",
        "promise": Promise.ABSTENTION,
        "subject_ids": (subject,),
        "tables": ("labevents",),
    }
    golds = {Condition.CLEAN: max(r["valuenum"] for r in usable.values()), Condition.NOISE: None}
    return [
        GoldRow(
            task_id=hashlib.sha256(f"{name}/{condition}".encode()).hexdigest()[:16],
            condition=condition,
            gold=gold,
            **both,
        )
        for condition, gold in golds.items()
    ]
