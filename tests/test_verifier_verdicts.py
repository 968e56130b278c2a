"""Every outcome of an episode, each with an example; and the two yardsticks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robustgym.episode import Episode, session_of
from robustgym.gold import gold_from_rows
from robustgym.hospital import Hospital
from robustgym.verifier import judge
from robustgym.yardsticks import DUE, failures, scores
from schemas.answers import AnswerKind, AnswerType
from schemas.noise import Level, Promise
from schemas.overlays import Delete, DeleteWhere, Insert, Overlay, Update
from schemas.pairs import Condition, GoldRow, Records, Split, Task
from schemas.questions import Intent, Scope
from schemas.tables import TABLES
from schemas.verdicts import Outcome, Transcript
from tests.tiny_hospital import build, rows

LABS = [dict(zip(TABLES["labevents"].names, row, strict=True)) for row in rows()["labevents"]]
SUBJECT = next(lab["subject_id"] for lab in LABS if lab["itemid"] == 50912 and lab["valuenum"] is not None)
CREATININES = [i for i, lab in enumerate(LABS) if lab["subject_id"] == SUBJECT and lab["itemid"] == 50912]
ABSENT_ITEM = 51003  # troponin T, of which nobody has a record
ASKED = f"subject_id = {SUBJECT} AND itemid = 50912"
REFERENCE = f"WITH labs AS (SELECT x.* FROM labevents AS x WHERE {ASKED}) SELECT round(max(valuenum), 1) FROM labs"
WITNESS = f"SELECT charttime, valuenum, valueuom FROM labevents WHERE {ASKED} ORDER BY charttime"
GONE = Overlay(edits=tuple(Delete(table="labevents", row=i, subject_id=SUBJECT, before={}) for i in CREATININES))
POPULATION = "itemid = 50912"


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    with Hospital.open(build(tmp_path_factory.mktemp("tiny"))) as found:
        yield found


def gold_row(hospital: Hospital, condition: Condition, number: int, **given: Any) -> GoldRow:
    """A task about one patient's creatinine, with its gold answer derived."""
    known: dict[str, Any] = {
        "pair_id": f"pair-{number}",
        "task_id": f"{2 * number + (condition is Condition.NOISE):016x}",
        "condition": condition,
        "split": Split.TEST,
        "intent": Intent.LABS,
        "scope": Scope.PATIENT,
        "level": Level.RECORD,
        "operator": "target_missing",
        "severity": "all",
        "template": "highest",
        "parameters": {"subject_id": SUBJECT},
        "question": f"What was the highest creatinine (mg/dL) of patient {SUBJECT}?",
        "answer": AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL", decimals=1),
        "reference_sql": REFERENCE,
        "records": (Records(selection="labs", role="target", table="labevents", rows=tuple(CREATININES), n=1),),
        "overlay": GONE,
        "worlds": (),
        "schema_evidence": (),
        "witness_sql": WITNESS,
        "promise": Promise.ABSTENTION,
        "subject_ids": (SUBJECT,),
        "tables": ("labevents",),
        "gold": None,
    } | given
    row = GoldRow.model_validate(known)
    with session_of(hospital, row) as session:
        return row.model_copy(update={"gold": gold_from_rows(row.answer, *session.fetch(row.reference_sql))})


def episode(hospital: Hospital, row: GoldRow, *statements: str, answer: str | None = "null") -> Transcript:
    with session_of(hospital, row) as session:
        working = Episode(session, Task(task_id=row.task_id, question=row.question, answer=row.answer))
        for statement in statements:
            working.sql(statement)
        if answer is not None:
            working.submit(answer)
        return working.transcript


@pytest.fixture
def noisy(hospital: Hospital) -> GoldRow:
    return gold_row(hospital, Condition.NOISE, 0)


@pytest.fixture
def clean(hospital: Hospital) -> GoldRow:
    return gold_row(hospital, Condition.CLEAN, 0)


def test_correct(hospital: Hospital, clean: GoldRow) -> None:
    assert judge(episode(hospital, clean, answer=str(clean.gold)), clean, hospital).outcome is Outcome.CORRECT


def test_wrong(hospital: Hospital, clean: GoldRow, noisy: GoldRow) -> None:
    assert judge(episode(hospital, clean, answer="777"), clean, hospital).outcome is Outcome.WRONG
    assert judge(episode(hospital, noisy, answer=str(clean.gold)), noisy, hospital).outcome is Outcome.WRONG


def test_abstained_rightly(hospital: Hospital, noisy: GoldRow) -> None:
    verdict = judge(episode(hospital, noisy, "SELECT 1", WITNESS), noisy, hospital)
    assert (verdict.outcome, verdict.evidence) == (Outcome.ABSTAINED_RIGHTLY, 1)


@pytest.mark.parametrize(
    "statements",
    [
        (),
        ("SELECT NULL",),
        ("SELECT count(*) FROM labevents",),
        (f"SELECT * FROM labevents WHERE {ASKED} LIMIT 0",),
        (f"SELECT * FROM labevents WHERE {ASKED} AND charttime < TIMESTAMP '1900-01-01'",),
        (f"SELECT * FROM labevents WHERE subject_id = {SUBJECT + 1} AND itemid = 50912",),
        (f"SELECT no_such_column FROM labevents WHERE {ASKED}",),
        (f"COPY (SELECT * FROM labevents WHERE {ASKED}) TO 'x.csv'",),
    ],
)
def test_abstained_without_evidence(hospital: Hospital, noisy: GoldRow, statements: tuple[str, ...]) -> None:
    verdict = judge(episode(hospital, noisy, *statements), noisy, hospital)
    assert verdict.outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE


def test_abstained_wrongly(hospital: Hospital, clean: GoldRow) -> None:
    assert judge(episode(hospital, clean, WITNESS), clean, hospital).outcome is Outcome.ABSTAINED_WRONGLY


def test_no_answer(hospital: Hospital, clean: GoldRow) -> None:
    assert judge(episode(hospital, clean, WITNESS, answer=None), clean, hospital).outcome is Outcome.NO_ANSWER
    malformed = Transcript(task_id=clean.task_id, submitted='"N/A"')
    assert judge(malformed, clean, hospital).outcome is Outcome.NO_ANSWER


def test_unjudged(hospital: Hospital, noisy: GoldRow) -> None:
    transcript = episode(hospital, noisy, WITNESS)
    forged = transcript.calls[0].model_copy(update={"shown": {"columns": ["valuenum"], "rows": [[None]], "n": 1}})
    verdict = judge(transcript.model_copy(update={"calls": (forged,)}), noisy, hospital)
    assert verdict.outcome is Outcome.UNJUDGED
    assert not verdict.outcome.success


def test_a_transcript_of_another_task(hospital: Hospital, clean: GoldRow, noisy: GoldRow) -> None:
    with pytest.raises(ValueError, match="can't be judged by the gold"):
        judge(episode(hospital, clean), noisy, hospital)


def test_what_fits_a_supported_world_is_no_evidence(hospital: Hospital) -> None:
    """Two conflicting values: the highest by itself could be right, both together can't."""
    lab = LABS[CREATININES[0]]
    copy = {column: str(v) if column == "charttime" else v for column, v in lab.items() if v is not None}
    twice = Insert(table="labevents", subject_id=SUBJECT, after=copy | {"valuenum": 77.0, "labevent_id": 999})
    alone = Update(
        table="labevents",
        row=CREATININES[0],
        subject_id=SUBJECT,
        before={"valuenum": lab["valuenum"]},
        after={"valuenum": 77.0},
    )
    row = gold_row(
        hospital,
        Condition.NOISE,
        7,
        overlay=Overlay(edits=(twice,)),
        worlds=(Overlay(edits=(alone,)),),
        reference_sql=REFERENCE.replace("SELECT round", "SELECT CASE WHEN count(*) = 1 THEN 1.0 END * round"),
    )
    assert row.gold is None
    highest = f"SELECT max(valuenum) FROM labevents WHERE {ASKED}"
    assert judge(episode(hospital, row, highest), row, hospital).outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE
    assert judge(episode(hospital, row, WITNESS), row, hospital).outcome is Outcome.ABSTAINED_RIGHTLY


def never_done(hospital: Hospital, condition: Condition, number: int) -> GoldRow:
    asked = f"subject_id = {SUBJECT} AND itemid = {ABSENT_ITEM}"
    after = {"subject_id": SUBJECT, "itemid": ABSENT_ITEM, "valuenum": 3.3, "charttime": "2150-01-02 08:00:00"}
    query = {
        "level": Level.QUERY,
        "operator": "never_done",
        "overlay": Overlay(),
        "worlds": (Overlay(edits=(Insert(table="labevents", subject_id=SUBJECT, after=after),)),),
    }
    if condition is Condition.CLEAN:
        return gold_row(hospital, condition, number, **query)
    return gold_row(
        hospital,
        condition,
        number,
        **query,
        records=(Records(selection="labs", role="target", table="labevents", rows=(), n=0),),
        reference_sql=REFERENCE.replace(ASKED, asked),
        witness_sql=WITNESS.replace(ASKED, asked),
    )


def no_money(hospital: Hospital, condition: Condition, number: int) -> GoldRow:
    query: dict[str, Any] = {"level": Level.QUERY, "operator": "schema_absent", "overlay": Overlay()}
    if condition is Condition.NOISE:
        query |= {
            "schema_evidence": ("labevents",),
            "reference_sql": "SELECT NULL",
            "witness_sql": "DESCRIBE labevents",
        }
    return gold_row(hospital, condition, number, **query)


def emptied_population(hospital: Hospital, condition: Condition, number: int) -> GoldRow:
    return gold_row(
        hospital,
        condition,
        number,
        scope=Scope.POPULATION,
        parameters={},
        subject_ids=(),
        records=(Records(selection="labs", role="target", table="labevents", where=POPULATION, n=1),),
        overlay=Overlay(edits=(DeleteWhere(table="labevents", where=POPULATION),)),
        reference_sql=REFERENCE.replace(ASKED, POPULATION),
        witness_sql=f"SELECT count(*) AS n FROM labevents WHERE {POPULATION}",
    )


def test_what_is_looked_up_after_the_answer_is_no_reason_for_it(hospital: Hospital, noisy: GoldRow) -> None:
    after, before = episode(hospital, noisy), episode(hospital, noisy, WITNESS)
    forged = after.model_copy(update={"calls": (*after.calls, before.calls[0])})
    assert judge(forged, noisy, hospital).outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE


def test_few_patients_show_nothing_of_a_population(hospital: Hospital) -> None:
    row = emptied_population(hospital, Condition.NOISE, 0)
    halves = tuple(
        Overlay(edits=(DeleteWhere(table="labevents", where=f"({POPULATION}) AND subject_id {side} {SUBJECT}"),))
        for side in ("<=", ">")
    )
    row = row.model_copy(update={"worlds": halves})
    one = f"SELECT * FROM labevents WHERE {ASKED}"
    assert judge(episode(hospital, row, one), row, hospital).outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE
    assert judge(episode(hospital, row, row.witness_sql), row, hospital).outcome is Outcome.ABSTAINED_RIGHTLY


def test_rows_that_others_push_out_of_a_list_are_no_evidence(hospital: Hospital) -> None:
    row = emptied_population(hospital, Condition.NOISE, 0)
    some = "SELECT labevent_id, itemid FROM labevents ORDER BY labevent_id LIMIT 5"
    assert judge(episode(hospital, row, some), row, hospital).outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE


def release(hospital: Hospital) -> list[GoldRow]:
    makers: tuple[Callable[[Hospital, Condition, int], GoldRow], ...]
    makers = (gold_row, never_done, no_money, emptied_population)
    return [
        make(hospital, condition, number)
        for number, make in enumerate(makers)
        for condition in (Condition.CLEAN, Condition.NOISE)
    ]


def test_the_yardsticks_of_a_sound_release(hospital: Hospital) -> None:
    found = release(hospital)
    assert {row.gold is None for row in found if row.condition is Condition.NOISE} == {True}
    assert all(row.gold is not None for row in found if row.condition is Condition.CLEAN)
    assert failures(found, hospital) == {name: [] for name in DUE}
    assert scores(found, failures(found, hospital)) == DUE


def test_a_wrong_gold_answer_is_noticed(hospital: Hospital, clean: GoldRow) -> None:
    wrong = clean.model_copy(update={"gold": 77.0})
    assert scores([wrong], failures([wrong], hospital))["oracle_clean"] == 0.0


def test_the_oracle_must_give_the_gold_to_the_letter(hospital: Hospital, clean: GoldRow, noisy: GoldRow) -> None:
    """A drug in other letters matches, and is not what was published; a reference that fails is no abstention."""
    drug = {"answer": AnswerType(kind=AnswerKind.CATEGORY), "reference_sql": "SELECT 'Insulin'", "gold": "INSULIN"}
    [verdict] = failures([clean.model_copy(update=drug)], hospital)["oracle_clean"]
    assert verdict.reason == 'The reference gives "Insulin", published is "INSULIN".'
    [verdict] = failures([noisy.model_copy(update={"reference_sql": "SELECT no_such_column"})], hospital)[
        "oracle_noise"
    ]
    assert verdict.outcome is Outcome.NO_ANSWER


def test_a_transcript_that_was_recorded_here_is_not_replayed(hospital: Hospital, noisy: GoldRow) -> None:
    transcript = episode(hospital, noisy, WITNESS)
    assert judge(transcript, noisy, hospital, recorded=True) == judge(transcript, noisy, hospital)


def test_a_look_at_the_schema(hospital: Hospital) -> None:
    row = no_money(hospital, Condition.NOISE, 5)
    assert judge(episode(hospital, row, "DESCRIBE labevents"), row, hospital).outcome is Outcome.ABSTAINED_RIGHTLY
    for statement in ("DESCRIBE patients", "SELECT * FROM labevents LIMIT 1", "DESCRIBE no_such_table"):
        verdict = judge(episode(hospital, row, statement), row, hospital)
        assert verdict.outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE
    with session_of(hospital, row) as session:
        working = Episode(session, Task(task_id=row.task_id, question=row.question, answer=row.answer))
        assert working.call("schema", {"table": "labevents"}).ok
        working.submit("null")
        assert judge(working.transcript, row, hospital).evidence == 0


def test_wrong_calls_are_answered(hospital: Hospital, clean: GoldRow) -> None:
    with session_of(hospital, clean) as session:
        working = Episode(session, Task(task_id=clean.task_id, question=clean.question, answer=clean.answer))
        assert "no tool" in str(working.call("bash", {"command": "1"}).error)
        assert "'statement' is missing" in str(working.call("sql", {"sql": "SELECT 1"}).error)
        assert "no table" in str(working.call("schema", {"table": "chartevents"}).error)
        assert ("patients",) in {row[:1] for row in working.call("schema", {}).rows}
        assert "a number is needed" in str(working.call("submit", {"answer": '"unknown"'}).error)
        assert working.call("submit", {"answer": "1.0"}).ok
        assert "over" in str(working.call("submit", {"answer": "2.0"}).error)
        assert working.transcript.submitted == "1.0"
