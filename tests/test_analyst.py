"""The scripted analyst: right where it answers, silent where it does not understand, honest about what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from robustgym.agents._reading import Hopeless, read
from robustgym.agents._sources import Unread
from robustgym.agents.analyst import analyst
from robustgym.episode import Episode
from robustgym.hospital import Hospital
from schemas.answers import AnswerKind, AnswerType
from schemas.overlays import Delete, Overlay
from schemas.pairs import Task
from schemas.tables import TABLES
from tests import tiny_hospital

MMOL = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)
UNIT = "an admission counts only if it ends after it begins."
LABS = [dict(zip(TABLES["labevents"].names, row, strict=True)) for row in tiny_hospital.rows()["labevents"]]
LOW, HIGH = 1.0, 8.0


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    with Hospital.open(tiny_hospital.build(tmp_path_factory.mktemp("tiny"))) as opened:
        yield opened


def task(question: str, answer: AnswerType = MMOL) -> Task:
    return Task(task_id="0" * 16, question=question, answer=answer)


def highest(subject: int, item: int, *, more: str = "") -> Task:
    name = tiny_hospital.ITEMS[item]
    return task(
        f"Over the whole record of patient {subject}, what was the highest {name}{more}? "
        f"Here, {name} means laboratory item {item} ({name}, Blood, Chemistry). Answer with a number in mmol/L, to 1 "
        f"decimal, counting results with a number from {LOW} to {HIGH} in mmol/L."
    )


def worked(asked: Task, hospital: Hospital, overlay: Overlay | None = None) -> tuple[object, Episode]:
    with hospital.session(overlay or Overlay()) as session:
        episode = Episode(session, asked)
        submitted = analyst().run(asked, episode).submitted
    return (json.loads(submitted) if submitted is not None else "nothing"), episode


def test_it_is_right_about_every_patient_and_item(hospital: Hospital) -> None:
    answered = 0
    for subject in tiny_hospital.SUBJECTS:
        for item in tiny_hospital.ITEMS:
            usable = [
                lab["valuenum"]
                for lab in LABS
                if (lab["subject_id"], lab["itemid"], lab["valueuom"]) == (subject, item, "mmol/L")
                and lab["valuenum"] is not None
                and LOW <= lab["valuenum"] <= HIGH
            ]
            due = max(usable) if usable else None
            found, _ = worked(highest(subject, item), hospital)
            assert found == due
            answered += due is not None
    assert answered > 10


def test_what_was_taken_away_is_seen_before_abstaining(hospital: Hospital) -> None:
    subject, item = next((r["subject_id"], r["itemid"]) for r in LABS if r["valueuom"] == "mmol/L" and r["valuenum"])
    gone = Overlay(
        edits=tuple(
            Delete(table="labevents", row=row, subject_id=subject, before={"labevent_id": lab["labevent_id"]})
            for row, lab in enumerate(LABS)
            if (lab["subject_id"], lab["itemid"]) == (subject, item)
        )
    )
    found, episode = worked(highest(subject, item), hospital, gone)
    assert found is None
    shown = [call for call in episode.transcript.calls if call.tool == "sql" and "labevents" in str(call.arguments)]
    assert all(call.shown["n"] == 0 or call.shown["rows"] == [[None]] for call in shown)
    assert len(shown) >= 2


def test_an_interval_is_kept(hospital: Hospital) -> None:
    admission = tiny_hospital.rows()["admissions"][0]
    subject, hadm = admission[:2]
    asked = task(
        f"For hospital admission {hadm} of patient {subject}, what was the last Potassium in the first 24 hours of the "
        "admission? Here, Potassium means laboratory item 50971 (Potassium, Blood, Chemistry). Answer with a number in "
        f"mmol/L, to 1 decimal, counting results with a number from 0.1 to 15 in mmol/L; {UNIT}"
    )
    statement = read(asked).statement
    assert "least(u.admittime + INTERVAL 24 HOUR, u.dischtime)" in statement
    assert worked(asked, hospital)[0] != "nothing"


@pytest.mark.parametrize(
    "clause",
    [
        " as of today",
        ", counting only patients under 18 who are also older than 65",
        ", within the calendar year 2014",
    ],
)
def test_what_no_record_can_answer_is_abstained_from_after_a_look_at_the_columns(
    clause: str, hospital: Hospital
) -> None:
    asked = highest(tiny_hospital.SUBJECTS[0], 50971, more=clause)
    with pytest.raises(Hopeless):
        read(asked)
    found, episode = worked(asked, hospital)
    assert found is None
    assert ("schema", "labevents") in {(c.tool, c.arguments.get("table")) for c in episode.transcript.calls}


@pytest.mark.parametrize(
    "question",
    [
        "How are you?",
        "Among hospital admissions coded with malnutrition, what was the median age? Answer with a number in years.",
        "For patient 1, what was the trend of X? Here, X means laboratory item 50971. Answer with a number in mmol/L.",
        "For patient 1, what was the highest X? Here, X means the moon. Answer with a number in mmol/L.",
    ],
)
def test_what_it_cannot_read_it_leaves_alone(question: str, hospital: Hospital) -> None:
    with pytest.raises(Unread):
        read(task(question))
    assert worked(task(question), hospital)[0] == "nothing"
