"""Hand-made drafts of a few invented pairs. No record of MIMIC-IV is in them."""

from __future__ import annotations

import hashlib
from typing import Any

from schemas.answers import AnswerKind, AnswerType
from schemas.noise import Level, Promise
from schemas.overlays import CopyWhere, Delete, Insert, Overlay, Update, UpdateWhere
from schemas.pairs import Condition, GoldRow, Records, Split
from schemas.questions import Intent, Scope
from schemas.release import Covered, Draft, Drop, Profile, Shortcut, SourceInfo, SourceKind, SourceTable
from schemas.validation import ErrorRate, FalseVerdict, VerifierValidation

POTASSIUM = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", unit_synonyms=("mEq/L",), decimals=1)
BY_SEX = AnswerType(
    kind=AnswerKind.ROWS,
    key=("gender",),
    columns=(
        ("gender", AnswerType(kind=AnswerKind.CATEGORY)),
        ("n", AnswerType(kind=AnswerKind.COUNT)),
    ),
)
YES_NO = AnswerType(kind=AnswerKind.YES_NO)
CODE = AnswerType(kind=AnswerKind.CODE, with_version=True)

_SEED = 7


def _task(pair: str, condition: Condition) -> str:
    return hashlib.sha256(f"{_SEED}/{pair}/{condition}".encode()).hexdigest()[:16]


def _pair(pair: str, *, noise: dict[str, Any] | None = None, **both: Any) -> tuple[GoldRow, GoldRow]:
    common: dict[str, Any] = {
        "pair_id": pair,
        "origin": "injected",
        "schema_evidence": (),
        "worlds": (),
        "records": (),
        "overlay": Overlay(),
        "promise": Promise.ABSTENTION,
        "witness_sql": "SELECT count(*) FROM labevents",
    } | both
    clean = GoldRow(task_id=_task(pair, Condition.CLEAN), condition=Condition.CLEAN, **common)
    changed = common | {"gold": None} | (noise or {})
    return clean, GoldRow(task_id=_task(pair, Condition.NOISE), condition=Condition.NOISE, **changed)


def rows() -> tuple[GoldRow, ...]:
    """Six pairs: every level and scope, four kinds of answer, all three promises, both splits."""
    lab = {
        "intent": Intent.LABS,
        "scope": Scope.PATIENT,
        "template": "first_lab",
        "answer": POTASSIUM,
        "tables": ("labevents",),
        "reference_sql": "SELECT round(valuenum, 1) AS valuenum FROM labevents WHERE labevent_id = 1",
    }
    population = {"scope": Scope.POPULATION, "subject_ids": (), "tables": ("admissions", "patients")}
    targets = Records(selection="targets", role="target", table="labevents", rows=(3, 4), n=2)
    pairs = (
        _pair(
            "a1" * 8,
            **lab,
            split=Split.TEST,
            level=Level.RECORD,
            operator="lose_results",
            severity="all",
            parameters={"concept": "potassium", "hadm_id": 20_000_001},
            question="What was the first potassium of admission 20000001? Return a number in mmol/L, to 1 decimal.",
            gold=4.2,
            records=(targets,),
            subject_ids=(10_000_001,),
            overlay=Overlay(
                edits=(
                    Delete(table="labevents", row=3, subject_id=10_000_001, before={"labevent_id": 1, "valuenum": 4.2}),
                    Update(
                        table="labevents",
                        row=4,
                        subject_id=10_000_001,
                        before={"value": "4.4", "valuenum": 4.4},
                        after={"value": "<HEMOLYZED|>", "valuenum": None},
                    ),
                )
            ),
            worlds=(Overlay(),),
        ),
        _pair(
            "b2" * 8,
            **lab,
            split=Split.TRAIN,
            level=Level.VALUE,
            operator="switch_unit",
            severity="some",
            promise=Promise.UNCHANGED,
            parameters={"concept": "sodium", "hadm_id": 20_000_002},
            question="What was the first sodium of admission 20000002? Return a number in mmol/L, to 1 decimal.",
            gold=139.0,
            noise={"gold": 139.0},
            subject_ids=(10_000_002,),
            overlay=Overlay(
                edits=(Insert(table="labevents", subject_id=10_000_002, after={"itemid": 50983, "valueuom": "mEq/L"}),)
            ),
        ),
        _pair(
            "c3" * 8,
            **lab,
            split=Split.TRAIN,
            level=Level.QUERY,
            operator="never_measured",
            severity="all",
            parameters={"concept": "potassium", "hadm_id": 20_000_003},
            question="What was the first potassium of admission 20000003? Return a number in mmol/L, to 1 decimal.",
            gold=3.9,
            noise={
                "question": "What was the first lactate of admission 20000003? Return a number in mmol/L.",
                "reference_sql": "SELECT round(valuenum, 1) AS valuenum FROM labevents WHERE labevent_id = -1",
                "parameters": {"concept": "lactate", "hadm_id": 20_000_003},
            },
            subject_ids=(10_000_003,),
            worlds=(Overlay(edits=(Insert(table="labevents", subject_id=10_000_003, after={"valuenum": 2.5}),)),),
        ),
        _pair(
            "d4" * 8,
            **population,
            intent=Intent.DEMOGRAPHICS,
            template="admissions_by_sex",
            answer=BY_SEX,
            split=Split.TEST,
            level=Level.VALUE,
            operator="blank_sex",
            severity="half",
            promise=Promise.RECOMPUTED,
            parameters={"threshold": 65},
            question="How many admissions had patients older than 65, by sex? Return gender and n.",
            gold=[{"gender": "F", "n": 12}, {"gender": "M", "n": 9}],
            noise={"gold": [{"gender": "F", "n": 6}, {"gender": "M", "n": 4}]},
            reference_sql="SELECT gender, count(*) AS n FROM patients WHERE anchor_age > 65 GROUP BY gender",
            records=(Records(selection="cohort", role="cohort", table="patients", where="anchor_age > 65", n=21),),
            overlay=Overlay(
                edits=(
                    UpdateWhere(
                        table="patients", where="anchor_age > 65 AND subject_id % 2 = 0", put={"gender": "NULL"}
                    ),
                )
            ),
        ),
        _pair(
            "e5" * 8,
            **population,
            intent=Intent.COST,
            template="any_drg",
            answer=YES_NO,
            split=Split.TRAIN,
            level=Level.RECORD,
            operator="double_bills",
            severity="all",
            parameters={"code": "871", "share": 0.25},
            question="Was any admission billed under DRG 871? Return yes or no.",
            gold=False,
            reference_sql="SELECT count(*) > 0 AS any FROM drgcodes WHERE drg_code = '871'",
            overlay=Overlay(edits=(CopyWhere(table="drgcodes", where="drg_code = '871'", put={"drg_code": "'872'"}),)),
        ),
        _pair(
            "f6" * 8,
            intent=Intent.DIAGNOSES,
            scope=Scope.PATIENT,
            template="first_diagnosis",
            answer=CODE,
            tables=("diagnoses_icd",),
            reference_sql="SELECT icd_code, icd_version FROM diagnoses_icd WHERE hadm_id = 20000004 AND seq_num = 1",
            split=Split.TEST,
            level=Level.QUERY,
            operator="ask_for_charge",
            severity="all",
            parameters={"hadm_id": 20_000_004},
            question="What was the principal diagnosis of admission 20000004? Return a code with its icd_version.",
            gold={"code": "0389", "version": 9},
            noise={
                "question": "What was charged for admission 20000004, in US dollars? Return a number in USD.",
                "answer": AnswerType(kind=AnswerKind.QUANTITY, unit="USD", decimals=2),
                "reference_sql": "SELECT NULL AS charge",
            },
            subject_ids=(10_000_004,),
            schema_evidence=("drgcodes", "hcpcsevents"),
        ),
    )
    return tuple(row for pair in sorted(pairs, key=lambda pair: pair[0].pair_id) for row in pair)


def draft(kind: SourceKind = "synthetic", **changes: Any) -> Draft:
    """A draft of those pairs."""
    fields: dict[str, Any] = {
        "name": "invented",
        "version": "1.0.0",
        "seed": _SEED,
        "profile": Profile(
            name="tiny",
            summary="One pair here and there.",
            test_pairs_per_cell=1,
            train_pairs=36,
            promises=tuple(Promise),
        ),
        "source": SourceInfo(
            kind=kind,
            version="2.2" if kind != "synthetic" else "1",
            fingerprint="ab" * 32,
            tables={
                "patients": SourceTable(rows=100, fingerprint="01" * 32),
                "labevents": SourceTable(
                    rows=107_727, fingerprint="02" * 32, duplicates=3, orphans={"hadm_id": 12}, extra_columns=("extra",)
                ),
            },
            missing=("chartevents",),
        ),
        "rows": rows(),
        "drops": (
            Drop(stage="noise", intent="Labs", scope="patient", template="first_lab", reason="the answer is gone", n=4),
            Drop(stage="question", intent="Labs", scope="patient", template="first_lab", reason="a tie", n=9),
        ),
        "left_out": (("template vitals_first", "chartevents is missing"),),
        "coverage": (
            Covered(
                template="first_lab",
                intent=Intent.LABS,
                scope=Scope.PATIENT,
                level=Level.RECORD,
                operator="lose_results",
                severity="all",
                promise=Promise.ABSTENTION,
                candidates=8,
                kept=6,
                bites=3,
                published=1,
                dropped={"not applicable: no target": 2, "not needed: the cell is full": 5},
            ),
            Covered(
                template="admissions_by_sex",
                intent=Intent.DEMOGRAPHICS,
                scope=Scope.POPULATION,
                level=Level.VALUE,
                operator="blank_sex",
                severity="half",
                promise=Promise.RECOMPUTED,
                candidates=4,
                kept=0,
                bites=0,
                published=0,
                dropped={"promise broken: the answer is gone": 4},
            ),
        ),
        "patients": (
            {
                "characteristic": "sex",
                "value": "F",
                "source_percent": 51.0,
                "release_percent": 50.0,
                "source_n": 51,
                "release_n": 2,
            },
        ),
        "yardsticks": {"oracle_clean": 1.0, "oracle_noise": 1.0, "silence_without_evidence": 0.0},
        "shortcuts": (
            Shortcut(
                of="record level",
                auc=0.512,
                low=0.46,
                high=0.561,
                bound=0.55,
                train_pairs=40,
                test_pairs=20,
                tells=("`the` (clean)",),
            ),
            Shortcut(of="value level", bound=0.55, train_pairs=3, test_pairs=2, why="fewer than 8 pairs in a split"),
        ),
        "verifier": VerifierValidation(
            submissions=1200,
            by_sort=(
                ErrorRate(name="evidence: the reference", to_succeed=300, false_rejects=1, to_fail=0, false_accepts=0),
                ErrorRate(name="wrong: another unit", to_succeed=0, false_rejects=0, to_fail=900, false_accepts=0),
            ),
            by_operator=(ErrorRate(name="value_null", to_succeed=300, false_rejects=1, to_fail=900, false_accepts=0),),
            wrong=(
                FalseVerdict(
                    task_id="00000000000000aa",
                    operator="value_null",
                    sort="evidence: the reference",
                    outcome="abstained_without_evidence",
                    reason="No call shows what takes the support away.",
                ),
            ),
        ),
    } | changes
    return Draft(**fields)
