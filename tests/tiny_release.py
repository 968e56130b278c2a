"""A release over the hospital of a dozen invented patients: one pair about a patient, one about all of them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from assets.release import write_release
from robustgym.release import Release
from robustgym.warehouse import Warehouse
from schemas.answers import AnswerKind, AnswerType
from schemas.noise import Level
from schemas.overlays import Delete, DeleteWhere, Overlay
from schemas.pairs import Condition, GoldRow, Records, Split
from schemas.questions import Scope
from schemas.release import SourceInfo, SourceTable
from schemas.tables import TABLES
from tests import tiny_hospital
from tests.release_drafts import draft
from tests.release_drafts import rows as drafted

LABS = [dict(zip(TABLES["labevents"].names, row, strict=True)) for row in tiny_hospital.rows()["labevents"]]
CREATININE = [lab for lab in LABS if lab["itemid"] == 50912 and lab["valuenum"] is not None]
SUBJECT = CREATININE[0]["subject_id"]
OWN = [i for i, lab in enumerate(LABS) if lab["itemid"] == 50912 and lab["subject_id"] == SUBJECT]
WITNESS = f"SELECT charttime, valuenum, valueuom FROM labevents WHERE subject_id = {SUBJECT} AND itemid = 50912"


def publish(folder: Path) -> tuple[Release, Warehouse]:
    """Write the hospital and the release below a folder."""
    warehouse = Warehouse.open(tiny_hospital.build(folder / "warehouse"))
    source = SourceInfo(
        kind="synthetic",
        version="1",
        fingerprint=warehouse.fingerprint,
        tables={name: SourceTable(rows=1, fingerprint="00" * 32) for name in sorted(warehouse.tables)},
    )
    patient = Overlay(
        edits=tuple(Delete(table="labevents", row=i, subject_id=SUBJECT, before={"itemid": 50912}) for i in OWN)
    )
    population = Overlay(edits=(DeleteWhere(table="labevents", where="itemid = 50912"),))
    own = Records(selection="labs", role="target", table="labevents", rows=tuple(OWN), n=len(OWN))
    every = Records(selection="labs", role="target", table="labevents", where="itemid = 50912", n=len(CREATININE))
    rows = (
        *_pair(
            "patient",
            question=f"What was the highest creatinine of patient {SUBJECT}?",
            reference_sql="SELECT round(max(valuenum), 1) AS x FROM labevents "
            f"WHERE subject_id = {SUBJECT} AND itemid = 50912",
            witness_sql=WITNESS,
            gold=max(lab["valuenum"] for lab in CREATININE if lab["subject_id"] == SUBJECT),
            overlay=patient,
            records=(own,),
            subject_ids=(SUBJECT,),
            parameters={"subject_id": SUBJECT},
        ),
        *_pair(
            "population",
            scope=Scope.POPULATION,
            question="What was the highest creatinine of all patients?",
            reference_sql="SELECT round(max(valuenum), 1) AS x FROM labevents WHERE itemid = 50912",
            witness_sql="SELECT count(*), max(valuenum) FROM labevents WHERE itemid = 50912",
            gold=max(lab["valuenum"] for lab in CREATININE),
            overlay=population,
            records=(every,),
            subject_ids=(),
            parameters={},
        ),
    )
    path = write_release(draft(rows=rows, source=source), folder / "releases")
    return Release.open(path), warehouse


def _pair(name: str, **given: Any) -> tuple[GoldRow, GoldRow]:
    common = {
        "pair_id": hashlib.sha256(name.encode()).hexdigest()[:32],
        "split": Split.TEST,
        "level": Level.RECORD,
        "operator": "target_missing",
        "answer": AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL", decimals=1),
        "tables": ("labevents",),
        "worlds": (),
    } | given
    clean, noise = drafted()[:2]
    halves = []
    for row, condition in ((clean, Condition.CLEAN), (noise, Condition.NOISE)):
        gold = common["gold"] if condition is Condition.CLEAN else None
        task_id = hashlib.sha256(f"{name}/{condition}".encode()).hexdigest()[:16]
        halves.append(row.model_copy(update=common | {"gold": gold, "task_id": task_id, "condition": condition}))
    return halves[0], halves[1]
