"""Every released template: it is legal, its reference keeps the rules, its words name what they must."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from assets.pairs.asking import drawn_templates
from assets.questions import (
    Template,
    ask,
    catalogue,
    every_unit_sql,
    fillings,
    gold_of,
    lint,
    vocabulary,
)
from assets.questions import fitting as tables_of_fit
from assets.questions.describing import EXAMPLE_IDS
from assets.questions.legality import problems
from assets.questions.registry import words
from assets.questions.vocabulary import aggregators, cohorts, kinds, selectors, windows
from assets.questions.wording import sentence_of
from schemas.answers import AnswerKind, AnswerType
from schemas.attributes import ATTRIBUTES
from schemas.concepts import Concepts, Pool, load
from schemas.errors import InputError
from schemas.questions import Intent, Question, Role, Scope
from schemas.release import Profile
from schemas.tables import TABLES
from tests.sweeping import WHOLE, swept

TEMPLATES = catalogue()
CONCEPTS = load()
PATIENT = [t for t in TEMPLATES if t.scope is Scope.PATIENT]


def asked(template: Template, n: int = 0, **parameters: object) -> Question:
    filling = next(islice(fillings(template, CONCEPTS, "tests"), n, None))
    if template.scope is Scope.PATIENT:
        filling |= {column: EXAMPLE_IDS[column] for column in template.unit.ids}
    return ask(template, {**filling, **parameters})  # type: ignore[dict-item]


def clauses(template: Template) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{}, {"calendar_year": 2014}, {"contradiction": True}, {"now": True}]
    found += [{"attribute": a.id} for a in ATTRIBUTES.values() if template.intent in a.intents]
    found += [{"from_day": 3}] if template.has_start else []
    found += [{"nth": 21}] if template.uses_nth else []
    found += [{"after_value": 5.1}] if template.takes_value else []
    return found


def test_there_are_enough_templates_in_every_cell() -> None:
    cells = Counter((t.intent, t.scope) for t in TEMPLATES)
    assert len(cells) == 12
    assert min(cells.values()) >= 60
    assert len(TEMPLATES) >= 800


def test_every_table_is_read() -> None:
    read = Counter(table for t in TEMPLATES for table in t.tables)
    assert set(read) == set(TABLES)
    assert sum(len(t.tables) >= 3 for t in TEMPLATES) >= len(TEMPLATES) / 2


@pytest.mark.parametrize("role", ["kind", "window", "selector", "condition", "cohort", "aggregator"])
def test_every_word_is_in_the_catalogue(role: str) -> None:
    found = {getattr(t, f"{role}_name") for t in TEMPLATES} | (
        {t.versus for t in TEMPLATES} if role == "window" else set()
    )
    assert set(getattr(vocabulary, f"{role}s")()) <= found


def test_a_wrong_line_of_a_table_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "fitting.csv").write_text("kind,windows,selectors,why_no_more\nlab,stay,level,\nlab,soon,level,\n")
    monkeypatch.setattr(tables_of_fit, "HERE", tmp_path)
    with pytest.raises(ValueError, match=r"fitting\.csv, line 3: soon: neither a word nor a family; there are .*stay"):
        tables_of_fit.fitting.__wrapped__()


def test_every_template_is_legal_and_has_a_filling() -> None:
    assert {t.id: problems(t) for t in TEMPLATES if problems(t)} == {}
    assert [t.id for t in TEMPLATES if next(fillings(t, CONCEPTS, "tests"), None) is None] == []


@pytest.mark.parametrize("scope", list(Scope))
def test_vitals_do_not_depend_on_chartevents(scope: Scope) -> None:
    without = [t for t in TEMPLATES if (t.intent, t.scope) == (Intent.VITALS, scope) and "chartevents" not in t.tables]
    assert len(without) >= 6


def test_templates_are_sorted_and_read_back_from_their_ids() -> None:
    assert [t.id for t in TEMPLATES] == sorted({t.id for t in TEMPLATES})
    assert [Template.parse(t.id) for t in TEMPLATES] == list(TEMPLATES)


def test_an_unknown_word_is_named() -> None:
    with pytest.raises(ValueError, match="`soon` is not one of"):
        Template.parse("labs-patient-lab-soon-first")


@pytest.mark.parametrize("template", swept(TEMPLATES, 5), ids=lambda t: t.id)
def test_template(template: Template) -> None:
    """One contract, swept over the catalogue."""
    assert problems(template) == []
    assert template.answer
    assert set(template.tables) <= set(TABLES)
    clean, *others = clauses(template)
    linted = others if WHOLE else [others[len(template.id) % len(others)]]  # a parse costs more than all else here
    for clause in (clean, *others):
        question = asked(template, **clause)
        assert clause not in (clean, *linted) or lint(question) == [], clause
        said = sentence_of(question.text)
        assert not re.search(r"[{}]|\bNone\b|  | ,|record of record", said), said
        assert not re.search(r"[{}]|\bNone\b", question.text), question.text
        assert said[-1] in "?."
        assert question.text.count("?") <= 1
        assert question.text.endswith(".")
        for column in template.unit.ids if template.scope is Scope.PATIENT else ():
            assert str(EXAMPLE_IDS[column]) in question.text
        assert question.selections_of(Role.TARGET)
        assert question.selections_of(Role.UNIT)
        assert not [
            s.name for s in question.selections if f" {s.name} AS" in question.reference_sql and s.role is Role.ROUTE
        ]


@pytest.mark.parametrize("template", swept(TEMPLATES, 5), ids=lambda t: t.id)
def test_clauses_are_said(template: Template) -> None:
    assert "calendar year 2014" in asked(template, calendar_year=2014).text
    assert template.unit.contradiction_words in asked(template, contradiction=True).text
    assert "as of today" in asked(template, now=True).text or "{rest}" in template.selector.asks
    if template.has_start:
        assert "counting only from day 9 of the" in asked(template, from_day=9).text
    else:
        with pytest.raises(ValueError, match="no day to count from"):
            asked(template, from_day=9)
    if template.uses_nth:
        assert "22nd" in asked(template, nth=22).text


def test_an_attribute_changes_the_answer_and_keeps_the_records() -> None:
    template = Template.parse("labs-patient-lab-admission-nth")
    clean, noisy = asked(template), asked(template, attribute="charge_usd")
    assert noisy.answer.unit == "US dollars"
    assert noisy.selections == clean.selections
    assert "CAST(NULL AS DOUBLE)" in noisy.reference_sql
    assert "charge in US dollars" in noisy.reference_sql


def test_fillings_are_in_an_order_of_their_own() -> None:
    template = Template.parse("labs-population-lab-admission-nth-coded-median")

    def drawn(concepts: Concepts, seed: str) -> list[str]:
        found = list(islice(fillings(template, concepts, seed), 2000))
        return [json.dumps({name: value for name, value in f.items() if name != "register"}) for f in found]

    first = drawn(CONCEPTS, "a")
    assert first == drawn(CONCEPTS, "a")
    assert first != drawn(CONCEPTS, "b")
    assert len(set(first)) == len(first)
    fewer = CONCEPTS.without({Pool.LAB: frozenset(["creatinine"])})
    kept = [f for f in first if json.loads(f)["concept"] != "creatinine"]
    assert drawn(fewer, "a")[: len(kept)] == kept


def test_every_concept_has_its_turn_before_any_comes_again() -> None:
    template = Template.parse("labs-population-lab-admission-highest-coded-median")
    asked_of = [f["concept"] for f in islice(fillings(template, CONCEPTS, "a"), 60)]
    turn = asked_of[: asked_of.index(asked_of[0], 1)]
    assert len(set(turn)) == len(turn) > 20
    assert set(asked_of[len(turn) : 2 * len(turn)]) <= set(turn)


def test_registers_take_turns() -> None:
    template = Template.parse("labs-patient-lab-admission-highest")
    said = Counter(f["register"] for f in islice(fillings(template, CONCEPTS, "a"), 40))
    assert len(said) >= 4
    assert max(said.values()) - min(said.values()) <= 1


def test_a_clean_question_may_carry_a_clause() -> None:
    template = Template.parse("labs-patient-lab-admission-highest")
    with_day = [f for f in fillings(template, CONCEPTS, "a") if "from_day" in f]
    assert 0 < len(with_day) < 30


def test_a_filling_names_what_belongs_together() -> None:
    template = Template.parse("labs-patient-lab-after_dose_48h-worst")
    pairs = {(f["concept"], f["anchor"]) for f in fillings(template, CONCEPTS, "a")}
    assert ("glucose", "insulin") in pairs
    assert ("ferritin", "insulin") not in pairs


@pytest.mark.parametrize("template", swept(PATIENT, 15), ids=lambda t: t.id)
def test_every_unit_statement_names_no_unit(template: Template) -> None:
    filling = next(fillings(template, CONCEPTS, "tests"))
    sql = every_unit_sql(template, filling)
    assert not re.search(r"x\.(subject|hadm|stay)_id = \d", sql)
    assert all(f"u.{column}" in sql for column in template.unit.ids)


def test_every_unit_is_for_patients_only() -> None:
    template = next(t for t in TEMPLATES if t.scope is Scope.POPULATION)
    with pytest.raises(ValueError, match="one unit"):
        every_unit_sql(template, next(fillings(template, CONCEPTS, "tests")))


def test_routes_in_missing_tables_are_left_out() -> None:
    template = Template.parse("labs-patient-lab-icu_stay-first")
    parameters = {"subject_id": 1, "stay_id": 2, "concept": "creatinine"}
    assert {s.table for s in ask(template, parameters).selections_of(Role.ROUTE)} == {"chartevents", "transfers"}
    kept = ask(template, parameters, tables={"labevents", "icustays", "transfers"})
    assert {s.table for s in kept.selections_of(Role.ROUTE)} == {"transfers"}


def test_every_word_is_found_and_named_as_its_file() -> None:
    assert len(selectors()) >= 40
    assert len(windows()) >= 25
    assert len(kinds()) >= 35
    assert len(cohorts()) >= 10
    assert len(aggregators()) >= 12


def test_a_misnamed_file_says_so() -> None:
    with pytest.raises(TypeError, match=r"selectors/agreed_name\.py holds .* named `agreed_name`"):
        words("selectors", Template)


@pytest.mark.parametrize(
    ("answer", "rows", "gold"),
    [
        (AnswerType(kind=AnswerKind.QUANTITY, unit="mg", decimals=1), [(2.449999,)], 2.4),
        (AnswerType(kind=AnswerKind.QUANTITY, unit="mg", decimals=1), [(-0.0,)], 0.0),
        (AnswerType(kind=AnswerKind.QUANTITY, unit="mg", decimals=0), [(3.0,)], 3),
        (AnswerType(kind=AnswerKind.COUNT), [(0,)], 0),
        (AnswerType(kind=AnswerKind.YES_NO), [(False,)], False),
        (AnswerType(kind=AnswerKind.COUNT), [(None,)], None),
        (AnswerType(kind=AnswerKind.COUNT), [], None),
        (AnswerType(kind=AnswerKind.SET), [("b",), ("a",), ("b",)], ["a", "b"]),
        (AnswerType(kind=AnswerKind.SET), [], None),
    ],
)
def test_gold(answer: AnswerType, rows: list[tuple[object, ...]], gold: object) -> None:
    question = replace(asked(PATIENT[0]), answer=answer)
    found = gold_of(question, rows, ["answer"])
    assert found == gold
    assert type(found) is type(gold)


def test_gold_rows_are_sorted_by_their_key() -> None:
    columns = (("sex", AnswerType(kind=AnswerKind.CATEGORY)), ("n", AnswerType(kind=AnswerKind.COUNT)))
    answer = AnswerType(kind=AnswerKind.ROWS, key=("sex",), columns=columns)
    question = replace(asked(PATIENT[0]), answer=answer)
    assert gold_of(question, [(5, "M"), (6, "F")], ["n", "sex"]) == [{"sex": "F", "n": 6}, {"sex": "M", "n": 5}]
    assert gold_of(question, [], ["n", "sex"]) is None


def test_lint_finds_what_it_is_for() -> None:
    question = asked(Template.parse("labs-patient-lab-icu_stay-highest"))
    body = question.reference_sql

    def found(sql: str) -> list[str]:
        return lint(replace(question, reference_sql=sql))

    assert "cuts with LIMIT, which breaks on ties" in found(body + " LIMIT 1")
    assert any("outside a selection" in p for p in found(body.replace("FROM measure", "FROM labevents AS measure")))
    assert "orders without NULLS LAST" in found(body + " ORDER BY 1")
    assert "orders without NULLS LAST" in found(body + " ORDER BY 1 DESC")
    assert found(body + " ORDER BY 1 DESC NULLS LAST") == []
    assert any("not fixed" in p for p in found(body.replace("SELECT round", "SELECT random() + round", 1)))
    lab = asked(Template.parse("labs-patient-lab-icu_stay-first"))
    target = lab.selections_of(Role.TARGET)[0]

    def spoilt(support: str) -> list[str]:
        loose = replace(target, support=support)
        return lint(replace(lab, selections=tuple(loose if s is target else s for s in lab.selections)))

    assert "compares the text value with a number" in spoilt("value > 3")
    assert "selection target: labevents has no column rate" in spoilt("rate > 3")
    assert "selection target: its tests are not local to a row" in spoilt("itemid IN (SELECT itemid FROM d_labitems)")


def test_a_profile_may_name_templates_beside_those_drawn() -> None:
    profile = Profile.load("smoke").model_copy(update={"templates_per_cell": 2, "templates": ()})
    drawn = drawn_templates(profile, 0)
    other = next(template for template in catalogue() if template not in drawn)
    more = drawn_templates(profile.model_copy(update={"templates": (other.id, drawn[0].id)}), 0)
    assert set(more) == {*drawn, other}
    assert len(more) == len(drawn) + 1
    with pytest.raises(InputError) as told:
        drawn_templates(profile.model_copy(update={"templates": ("labs-nowhere", "labs-never")}), 0)
    assert [problem.where for problem in told.value.problems] == [
        "profile smoke, templates, labs-never",
        "profile smoke, templates, labs-nowhere",
    ]
