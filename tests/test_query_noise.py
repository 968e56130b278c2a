"""Query-level noise: words that spare numbers and small print, and clauses that clean questions carry as well."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.questions import Template, ask, catalogue, fillings
from assets.questions.naming import bare_names
from noise_ops import NotApplicable, operators
from noise_ops._words import slip
from schemas.concepts import Pool, load
from schemas.overlays import Value
from schemas.questions import Question, Scope, spoken
from schemas.units import SPELLINGS, UNDERIVABLE
from tests.sweeping import swept

IDS: dict[str, Value] = {"subject_id": 10000001, "hadm_id": 20000001, "stay_id": 30000001}
WORDS = [(name, severity) for name in ("surface", "distractor") for severity in operators()[name].severities]
POTASSIUM = Template.parse("labs-patient-lab-admission-highest")


def asked(template: Template, seed: str = "query noise", **clauses: Value) -> Question:
    filling = next(islice(fillings(template, load(), seed), 1))
    ids = {column: IDS[column] for column in template.unit.ids} if template.scope is Scope.PATIENT else {}
    return ask(template, {**filling, **ids, **clauses})


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.mark.parametrize(("name", "severity"), WORDS, ids=[f"{n}-{s}" for n, s in WORDS])
def test_words_spare_numbers_ids_and_small_print(name: str, severity: str) -> None:
    applied = 0
    drugs = [template for template in catalogue() if template.kind_name == "given"]
    for number, template in enumerate([*swept(catalogue(), 40), *drugs]):
        question = asked(template, str(number))
        try:
            text = operators()[name].apply(question, Random(number), severity).text
        except NotApplicable:
            continue
        applied += 1
        assert text != question.text
        assert spoken(text)[1] == spoken(question.text)[1], text
        assert numbers(text) == numbers(question.text), text
    assert applied >= 1


@settings(max_examples=200, deadline=None)
@given(word=st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=6, max_size=14), seed=st.integers(0, 2**32))
def test_a_slip_is_one_letter_and_never_the_first(word: str, seed: int) -> None:
    written = slip(word, Random(seed))
    assert written[0] == word[0]
    assert abs(len(written) - len(word)) <= 1
    if len(set(word)) > 1:
        assert written != word


def test_remarks_tell_nothing_that_could_restrict_a_question() -> None:
    from noise_ops.distractor import AFTER, BEFORE

    names = {c.lay_name.lower() for pool in Pool for c in load().of(pool).values()}
    for remark in (one for half in (BEFORE, AFTER) for remarks in half.values() for one in remarks):
        assert not re.search(r"\d|\b(only|except|unless|first|last|before|after|since|until)\b", remark), remark
        assert not any(re.search(rf"\b{re.escape(name)}\b", remark.lower()) for name in names), remark


def test_names_that_concepts_share_fit_concepts_of_one_unit() -> None:
    found = defaultdict(set)
    for (pool, concept), (name, ids) in bare_names().items():
        assert concept in ids
        units = {load().of(Pool(pool))[one].unit for one in ids}  # type: ignore[attr-defined]  # measured pools alone
        assert len(units) == 1, (name, units)
        found[pool, name] |= units
    assert len(found) >= 15


def test_a_shared_name_is_asked_of_every_concept_that_has_it() -> None:
    plain = asked(POTASSIUM, concept="potassium", register="plain")
    bare = asked(POTASSIUM, concept="potassium", register="plain", bare_name=True)
    assert "serum potassium" not in bare.text
    assert "50971" not in bare.text
    assert "highest potassium" in bare.text
    assert all(item in bare.reference_sql for item in ("itemid = 50971", "itemid = 50822"))
    assert {s.name for s in bare.selections} > {s.name for s in plain.selections}
    with pytest.raises(ValueError, match="shares its name with no other"):
        asked(POTASSIUM, concept="magnesium", bare_name=True)


def test_a_unit_is_looked_for_among_the_records() -> None:
    question = asked(POTASSIUM, concept="potassium", asked_unit="mm Hg")
    assert question.answer.unit == "mm Hg"
    assert "expressed in mm Hg" in question.text
    assert "valueuom = 'mm Hg'" in question.reference_sql
    with pytest.raises(ValueError, match="no unit that a column names"):
        asked(Template.parse("labs-patient-lab-admission-nth"), concept="inr", asked_unit="mg/dL")


def test_no_underivable_unit_is_another_spelling_of_its_own() -> None:
    same = {spelling: line for line in SPELLINGS for spelling in line}
    for unit, others in UNDERIVABLE.items():
        assert len(set(others)) == len(others) >= 1
        for other in others:
            assert other not in same.get(unit, (unit,))
    for concept in load().of(Pool.LAB).values():
        declared = {other for other, _ in concept.alternatives}  # type: ignore[attr-defined]
        for unit in concept.units:  # type: ignore[attr-defined]
            assert not declared & set(UNDERIVABLE.get(unit, ())), (concept.id, declared)


def test_a_value_is_asserted_of_one_patient_and_one_window() -> None:
    question = asked(POTASSIUM, concept="potassium", register="order", after_value=5.1)
    assert ", counting only what came after the first K of 5.1 mEq/L" in question.text
    assert "the first K of 5.1 mEq/L means the earliest usable one" in question.text
    takes = [template for template in catalogue() if template.takes_value]
    assert len(takes) >= 60
    assert all(template.scope is Scope.PATIENT for template in takes)
    for template in swept([t for t in catalogue() if not t.takes_value], 20):
        with pytest.raises(ValueError, match="takes no value"):
            asked(template, after_value=5.1)
