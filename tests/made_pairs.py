"""Pairs of invented questions, as many as a test wants. No record of MIMIC-IV is in them."""

from __future__ import annotations

import hashlib
from typing import Any

from schemas.answers import AnswerKind, AnswerType
from schemas.noise import Level, Promise
from schemas.overlays import Overlay
from schemas.pairs import Condition, GoldRow, Pair, Split
from schemas.questions import Intent, Scope

POTASSIUM = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)


def pair(number: int, *, noise: dict[str, Any] | None = None, **both: Any) -> Pair:
    """One pair; what is not said is an abstention of Labs, patient, record, that asks the same twice.

    Args:
        number: Names the pair and its question.
        noise: What is different in the noise task.
        both: Fields of both tasks.
    """
    name = f"{number:016x}"
    common: dict[str, Any] = {
        "pair_id": name,
        "split": Split.TEST,
        "intent": Intent.LABS,
        "scope": Scope.PATIENT,
        "level": Level.RECORD,
        "operator": "target_missing",
        "severity": "all",
        "template": "labs-patient-first",
        "parameters": {},
        "question": f"What was the first potassium of admission {20_000_000 + number}?",
        "answer": POTASSIUM,
        "reference_sql": "SELECT 1",
        "gold": 4.2,
        "records": (),
        "overlay": Overlay(),
        "worlds": (),
        "schema_evidence": (),
        "witness_sql": "SELECT 1",
        "promise": Promise.ABSTENTION,
        "subject_ids": (),
        "tables": (),
    } | both
    answers = {Promise.ABSTENTION: None, Promise.UNCHANGED: common["gold"], Promise.RECOMPUTED: 5.1}
    changed = common | {"gold": answers[common["promise"]]} | (noise or {})
    return Pair(
        *(
            GoldRow(**({"task_id": _task_id(name, condition), "condition": condition} | fields))
            for condition, fields in ((Condition.CLEAN, common), (Condition.NOISE, changed))
        )
    )


def _task_id(name: str, condition: Condition) -> str:
    return hashlib.sha256(f"{name}{condition}".encode()).hexdigest()[:16]
