"""Failure classes: each rule on an episode made to be of it, and none that holds for more than it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from robustgym.metrics.failures import RULES, Failed, Known, class_of, failure_classes
from robustgym.metrics.looking import Looked, ids_of, keys_of, targets_of
from robustgym.metrics.tallies import tallies
from schemas.answers import AnswerKind, AnswerType
from schemas.pairs import Condition, GoldRow
from schemas.runs import EpisodeRecord, Stop
from schemas.verdicts import Call, Outcome, Transcript
from tests.release_drafts import rows
from tests.test_metrics import episode

PATIENT = 10000001
LAB = next(row for row in rows() if row.template == "first_lab" and row.condition is Condition.CLEAN)
CLEAN = LAB.model_copy(
    update={
        "answer": AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL", decimals=1),
        "gold": 1.2,
        "subject_ids": (PATIENT,),
        "parameters": {"concept": "creatinine", "subject_id": PATIENT},
        "reference_sql": "WITH target AS (SELECT * FROM labevents AS x WHERE x.itemid IN (50912) "
        f"AND x.subject_id = {PATIENT}) SELECT min(valuenum) FROM target",
        "tables": ("labevents",),
    }
)
NOISE = CLEAN.model_copy(update={"condition": Condition.NOISE, "gold": None, "task_id": "f" * 16})
RECOMPUTED = NOISE.model_copy(update={"gold": 2.0})
LOOK = f"SELECT valuenum FROM labevents WHERE itemid = 50912 AND subject_id = {PATIENT}"


def sql(statement: str, *cells: Any) -> Call:
    return Call(
        tool="sql",
        arguments={"statement": statement},
        shown={"columns": ["x"], "rows": [[c] for c in cells], "n": len(cells)},
    )


def refused(tool: str, **arguments: Any) -> Call:
    return Call(tool=tool, arguments=arguments, shown={"error": "no"})


def worked(
    row: GoldRow,
    outcome: Outcome,
    *calls: Call,
    submitted: str | None = None,
    stop: Stop = Stop.SUBMITTED,
    **facts: Any,
) -> EpisodeRecord:
    """An episode on that task."""
    made = episode(0, row.condition, 0, outcome, patient=PATIENT)
    told: Mapping[str, Any] = {"answerable": row.gold is not None, **facts}
    return made.model_copy(
        update={
            "transcript": Transcript(task_id=made.task_id, calls=calls, submitted=submitted),
            "facts": made.facts.model_copy(update=dict(told)),
            "stop": stop,
        }
    )


W, AW, AE, NO = Outcome.WRONG, Outcome.ABSTAINED_WRONGLY, Outcome.ABSTAINED_WITHOUT_EVIDENCE, Outcome.NO_ANSWER
CASES: list[tuple[str, GoldRow, EpisodeRecord, str | None]] = [
    (
        "malformed_answer",
        CLEAN,
        worked(CLEAN, NO, sql(LOOK, 1.2), refused("submit", answer="x"), stop=Stop.TURNS),
        None,
    ),
    ("budget_spent", CLEAN, worked(CLEAN, NO, sql(LOOK, 1.2), stop=Stop.TOKENS), None),
    ("gave_up", CLEAN, worked(CLEAN, NO, sql(LOOK, 1.2), stop=Stop.GAVE_UP), None),
    ("only_invalid_calls", CLEAN, worked(CLEAN, W, refused("sql", statement="SELECT"), submitted="3"), None),
    ("never_looked", CLEAN, worked(CLEAN, W, sql("SELECT 1 -- labevents", 1), submitted="3"), None),
    ("never_looked", NOISE, worked(NOISE, AE, submitted="null"), None),
    ("ignored_unit", CLEAN, worked(CLEAN, W, sql(LOOK, 1.2), submitted="12.0"), None),
    ("ignored_unit", CLEAN, worked(CLEAN, W, sql(LOOK, 1.2), submitted="106.1"), None),
    ("took_record_as_it_is", NOISE, worked(NOISE, W, sql(LOOK, 9.9), submitted="9.9"), "9.9"),
    ("gave_clean_answer", RECOMPUTED, worked(RECOMPUTED, W, sql(LOOK, 1.2), submitted="1.2"), None),
    ("wrong_patient", CLEAN, worked(CLEAN, W, sql("SELECT max(valuenum) FROM labevents", 7.7), submitted="7.7"), None),
    (
        "wrong_table",
        CLEAN,
        worked(CLEAN, W, sql(f"SELECT * FROM omr WHERE subject_id={PATIENT}", 7.7), submitted="7.7"),
        None,
    ),
    (
        "wrong_concept",
        CLEAN,
        worked(CLEAN, W, sql(f"SELECT valuenum FROM labevents WHERE subject_id = {PATIENT}", 7.7), submitted="7.7"),
        None,
    ),
    ("abstained_without_evidence", NOISE, worked(NOISE, AE, sql(LOOK, 1.2), submitted="null"), None),
    ("abstained_on_clean", CLEAN, worked(CLEAN, AW, sql(LOOK, 1.2), submitted="null"), None),
    ("abstained_on_noise", RECOMPUTED, worked(RECOMPUTED, AW, sql(LOOK, 1.2), submitted="null"), None),
    ("unsupported_answer", NOISE, worked(NOISE, W, sql(LOOK, 1.2), submitted="7.7"), "9.9"),
    ("near_miss", CLEAN, worked(CLEAN, W, sql(LOOK, 1.2), submitted="1.4"), None),
    ("wrong_value", CLEAN, worked(CLEAN, W, sql(LOOK, 1.2), submitted="7.7"), None),
]


@pytest.mark.parametrize(
    ("name", "row", "record", "naive"), CASES, ids=[f"{i} {case[0]}" for i, case in enumerate(CASES)]
)
def test_an_episode_is_of_the_class_it_was_made_for(
    name: str, row: GoldRow, record: EpisodeRecord, naive: str | None
) -> None:
    assert class_of(record, Known(row, CLEAN, naive)) == name


def test_every_class_has_a_case_and_a_meaning_of_its_own() -> None:
    assert {case[0] for case in CASES} == {rule.name for rule in RULES}
    assert len({rule.meaning for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(("row", "record"), [(case[1], case[2]) for case in CASES])
def test_a_failed_episode_has_a_class_though_nothing_is_known_of_its_task(row: GoldRow, record: EpisodeRecord) -> None:
    name = class_of(record)
    assert name is not None
    assert next(rule for rule in RULES if rule.name == name).needs == ""


@pytest.mark.parametrize("outcome", [Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY, Outcome.UNJUDGED])
def test_what_succeeded_or_could_not_be_judged_has_none(outcome: Outcome) -> None:
    assert class_of(worked(CLEAN, outcome, submitted="1.2")) is None


def test_a_look_at_the_columns_is_one_where_they_are_what_is_missing() -> None:
    look = Call(tool="schema", arguments={"table": "labevents"}, shown={"columns": ["column"], "rows": [["itemid"]]})
    assert class_of(worked(NOISE, AE, look, submitted="null")) == "never_looked"
    columns = worked(NOISE, AE, look, submitted="null", schema_evidence=True)
    assert class_of(columns) == class_of(columns, Known(NOISE, CLEAN)) == "abstained_without_evidence"
    assert (
        class_of(columns, Known(NOISE.model_copy(update={"records": (), "tables": ("omr",)}), CLEAN)) == "wrong_table"
    )


def test_where_an_episode_looked_is_read_without_comments_and_from_what_was_shown() -> None:
    looked = Looked(
        Transcript(
            task_id="0" * 16,
            calls=(
                sql(f"SELECT * FROM d_labitems -- labevents {PATIENT}", 50912, "Creatinine"),
                refused("sql", statement="SELECT * FROM omr"),
                Call(
                    tool="python",
                    arguments={"code": "query('SELECT * FROM admissions')"},
                    shown={"columns": ["output"], "rows": [["20000001"]]},
                ),
            ),
        )
    )
    assert looked.tables == {"d_labitems", "admissions"}
    assert not looked.named([PATIENT])
    assert looked.named([20000001])
    assert looked.mentions(["50912"])
    assert looked.mentions(["creat"])
    assert not looked.mentions(["0912"])
    assert ids_of(CLEAN) == {str(PATIENT)}
    assert targets_of(CLEAN) == {"labevents"}
    assert keys_of(CLEAN) == ("50912", "creatinine")
    # A concept that is a column has no code: nothing can be said of it.
    assert keys_of(CLEAN.model_copy(update={"reference_sql": "SELECT max(drg_severity) FROM drgcodes"})) == ()


@pytest.mark.parametrize("submitted", ["1.1", "0", "1.3", "7.7"])
def test_a_value_that_is_off_by_no_factor_ignored_no_unit(submitted: str) -> None:
    record = worked(CLEAN, W, sql(LOOK, 1.2), submitted=submitted)
    assert class_of(record, Known(CLEAN, CLEAN)) != "ignored_unit"
    assert (Failed(record, Known(CLEAN, CLEAN)).numbers() or ())[:2] == (float(submitted), 1.2)


def test_classes_are_counted_by_condition_against_all_judged_episodes() -> None:
    records = [
        episode(0, Condition.CLEAN, 0, Outcome.CORRECT),
        episode(1, Condition.CLEAN, 0, Outcome.ABSTAINED_WRONGLY),
        episode(1, Condition.NOISE, 0, Outcome.WRONG),
        episode(1, Condition.NOISE, 1, Outcome.UNJUDGED),
    ]
    classes = {(r.task_id, r.trial): class_of(r) for r in records}
    found = failure_classes(tallies(records), classes)
    assert [(f.name, f.condition, f.episodes, f.share) for f in found] == [
        ("never_looked", "clean", 1, 0.5),
        ("never_looked", "noise", 1, 1.0),
    ]
    assert json.dumps([vars(f) for f in found])
