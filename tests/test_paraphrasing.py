"""Paraphrases by a scripted model: taken when everything asked for comes back, refused when anything is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from assets.questions import Template, ask
from assets.questions.paraphrasing import RECOGNISE, Skeleton, paraphrased, skeleton
from assets.questions.wording import sentence_of
from robustgym.endpoint import Endpoint
from schemas.errors import InputError
from schemas.overlays import Overlay, Value
from schemas.pairs import Condition, GoldRow, Pair
from tests.scripted_model import KEY, Script

Serve = Callable[[Callable[[str], tuple[int, str]]], Script]

PARAMETERS: dict[str, Value] = {
    "subject_id": 10000001,
    "stay_id": 30000001,
    "concept": "creatinine",
    "threshold": 2.0,
    "register": "conversation",
}
TEMPLATE = "labs-patient-lab-first_24h_of_stay-hours_to_beyond"
POPULATION = "labs-population-lab-admission-highest-coded-share_beyond"


def row(condition: Condition, template: str = TEMPLATE, **changed: Value) -> GoldRow:
    question = ask(Template.parse(template), {**PARAMETERS, **changed})
    return GoldRow(
        pair_id="p",
        task_id="0" * 16,
        condition=condition,
        split="train",
        intent="Labs",
        scope=question.scope,
        level="query",
        operator="now_undefined",
        severity="all",
        template=template,
        parameters=dict(question.parameters),
        question=question.text,
        answer=question.answer,
        reference_sql=question.reference_sql,
        gold=None,
        records=(),
        overlay=Overlay(edits=()),
        worlds=(),
        schema_evidence=("labevents",),
        witness_sql="",
        promise="abstention",
        subject_ids=question.subject_ids,
        tables=("labevents",),
    )


def pair(template: str = TEMPLATE, *, clean: Mapping[str, Value] = {}, **noise: Value) -> Pair:
    return Pair(row(Condition.CLEAN, template, **clean), row(Condition.NOISE, template, **{**clean, **noise}))


def reworded(text: str) -> str:
    """A careful rewording: another opening, and all the rest."""
    return re.sub(r"^Quick question about (.*?): (.*)\?$", r"Could somebody check for \1, \2?", text)


def model(reword: Callable[[str], str] = reworded, misread: Mapping[str, str] = {}) -> Callable[[str], tuple[int, str]]:
    """A model that rewords as told and reads back what it wrote, but for what it misreads."""
    known: dict[str, Skeleton] = {}
    for changed in ({}, {"now": True}, {"calendar_year": 2014}, {"stay_id": 30000002}, {"concept": "lactate"}):
        made = skeleton(Template.parse(TEMPLATE), {**PARAMETERS, **changed}, row(Condition.CLEAN, **changed).question)
        known[made.text] = made

    def reply(message: str) -> tuple[int, str]:
        if message.startswith("STYLE: conversation\nQUESTION: "):
            return 200, json.dumps({"text": reword(message.partition("QUESTION: ")[2])})
        said = message.removeprefix("QUESTION: ").partition("\nCHOOSE\n")[0]
        origin = next(s for text, s in known.items() if reword(text) == said)
        chosen = {item: choice.right for item, choice in origin.choices.items()} | dict(misread)
        return 200, json.dumps({"chosen": chosen})

    return reply


def endpoint(script: Script) -> Endpoint:
    return Endpoint(script.url, "writer-1", KEY)


def test_an_accepted_rewording_replaces_the_sentence_and_nothing_else(tmp_path: Path, serve: Serve) -> None:
    script = serve(model())
    before = pair(stay_id=30000002)
    done = paraphrased([before], endpoint(script), memory=tmp_path, kind="synthetic")
    assert (done.reworded, done.refusals) == (1, ())
    [after] = done.pairs
    assert after.clean.question.startswith(
        "Could somebody check for ICU stay 30000001 of patient 10000001, how many hours after ICU admission was the Cr "
        "first above 2 mg/dL within the first 24 hours? Here, Cr (serum creatinine) means laboratory item 50912"
    )
    for old, new in zip(before, after, strict=True):
        assert new.question.endswith(old.question.removeprefix(sentence_of(old.question)))
        assert new.model_copy(update={"question": old.question}) == old
    assert "30000002" in after.noise.question
    assert all(call["temperature"] == 0 for call in script.asked)


def test_both_tasks_of_a_pair_that_differ_in_ids_come_from_one_rewording(tmp_path: Path, serve: Serve) -> None:
    script = serve(model())
    [after] = paraphrased([pair(stay_id=30000002)], endpoint(script), memory=tmp_path, kind="synthetic").pairs
    assert len(script.asked) == 2
    assert after.noise.question == after.clean.question.replace("30000001", "30000002")


def test_noise_in_the_words_is_left_in_its_words(tmp_path: Path, serve: Serve) -> None:
    before = pair()
    slipped = before.noise.model_copy(update={"question": before.noise.question.replace("ICU", "UCI", 1)})
    done = paraphrased([Pair(before.clean, slipped)], endpoint(serve(model())), memory=tmp_path, kind="synthetic")
    assert (done.reworded, done.pairs) == (0, (Pair(before.clean, slipped),))


def test_a_shared_name_is_not_told_apart_by_its_rewording() -> None:
    parameters = {**PARAMETERS, "concept": "potassium", "bare_name": True, "register": "plain"}
    template = Template.parse(TEMPLATE)
    made = skeleton(template, parameters, ask(template, parameters).text)
    assert "potassium" in made.shown.values()
    assert "serum potassium" not in made.shown.values()


def test_the_model_sees_neither_ids_nor_concepts(tmp_path: Path, serve: Serve) -> None:
    script = serve(model())
    paraphrased([pair(now=True)], endpoint(script), memory=tmp_path, kind="synthetic")
    seen = [call["messages"][-1]["content"] for call in script.asked]
    assert seen
    assert not [text for text in seen if "30000001" in text or "10000001" in text or re.search(r"\bCr\b", text)]


def test_with_its_memory_nobody_is_asked(tmp_path: Path, serve: Serve) -> None:
    script = serve(model())
    pairs = [pair(now=True), pair(calendar_year=2014)]
    first = paraphrased(pairs, endpoint(script), memory=tmp_path, kind="synthetic")
    asked = len(script.asked)
    assert first.reworded == 2
    assert paraphrased(pairs, endpoint(script), memory=tmp_path, kind="synthetic") == first
    assert len(script.asked) == asked


@pytest.mark.parametrize(
    ("reword", "why"),
    [
        (lambda text: text.replace("[A]", "that stay"), "placeholders differ"),
        (lambda text: text.replace("[C]", "[C] of [C]"), "placeholders differ"),
        (lambda text: text.replace("24 hours", "24 hours (day 1)"), "numbers differ"),
        (lambda text: text.replace("2 mg/dL", "the limit"), "numbers differ"),
        (lambda text: f"Sure! Is it clear? {text}", "not one sentence"),
        (lambda text: text + " Answer with a date.", "not one sentence"),
        (lambda text: "Please, " + "for the love of the ward, " * 20 + text, "too long"),
    ],
)
def test_a_rewording_that_drops_or_adds_is_refused(
    reword: Callable[[str], str], why: str, tmp_path: Path, serve: Serve
) -> None:
    script = serve(model(reword))
    before = pair(stay_id=30000002)
    done = paraphrased([before], endpoint(script), memory=tmp_path, kind="synthetic")
    assert (done.pairs, done.refusals) == ((before,), ((why, 1),))
    assert not [call for call in script.asked if call["messages"][0]["content"] == RECOGNISE]


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ("limit", "below 2 mg/dL"),
        ("limit", "above 2 mmol/L"),
        ("window", "during the ICU stay"),
        ("what is measured", "highest [C]"),
        ("what is measured", "number of hours from ICU admission to the first [C] result"),
        ("restriction", "only within a calendar year"),
    ],
)
def test_a_rewording_from_which_another_question_is_read_is_refused(
    item: str, read: str, tmp_path: Path, serve: Serve
) -> None:
    script = serve(model(misread={item: read}))
    before = pair(stay_id=30000002)
    done = paraphrased([before], endpoint(script), memory=tmp_path, kind="synthetic")
    assert (done.pairs, done.refusals) == ((before,), ((f"{item} did not come back", 1),))


def test_both_tasks_are_reworded_or_neither(tmp_path: Path, serve: Serve) -> None:
    def careless(text: str) -> str:
        return (
            reworded(text).replace("as of today", "lately and 2 days before")
            if "as of today" in text
            else reworded(text)
        )

    script = serve(model(careless))
    pairs = [pair(now=True), pair(stay_id=30000002)]
    done = paraphrased(pairs, endpoint(script), memory=tmp_path, kind="synthetic")
    assert done.pairs[0] == pairs[0]
    assert done.pairs[1] != pairs[1]
    assert done.refusals == (("numbers differ", 1),)


def test_nothing_happens_without_an_endpoint(tmp_path: Path) -> None:
    pairs = (pair(now=True),)
    assert paraphrased(pairs, None, memory=tmp_path, kind="credentialed").pairs == pairs


def test_credentialed_questions_do_not_leave_this_machine(tmp_path: Path) -> None:
    elsewhere = Endpoint("https://models.example.org/v1", "writer-1", KEY)
    with pytest.raises(InputError, match="credentialed"):
        paraphrased([pair(now=True)], elsewhere, memory=tmp_path, kind="credentialed")


def test_a_population_question_says_cohort_limit_and_statistic() -> None:
    template = Template.parse(POPULATION)
    parameters: dict[str, Value] = {"concept": "creatinine", "cohort": "heart_failure", "register": "order"}
    made = skeleton(template, parameters, ask(template, parameters).text)
    right = {item: choice.right for item, choice in made.choices.items()}
    assert made.text == (
        "Please report on hospital admissions coded with [B]: the percentage in which the highest [A] during the "
        "admission was above 2 mg/dL."
    )
    assert right["cohort"] == "hospital admissions coded with [B]"
    assert right["limit"] == "above 2 mg/dL"
    assert right["what is measured"] == "highest [A]"
    assert right["statistic over the cohort"] == "percentage in which the ..."
    assert {"below 2 mg/dL", "none"} <= set(made.choices["limit"].options)
    assert {"lowest [A]", "first [A]"} <= set(made.choices["what is measured"].options)
