"""An answer is right, wrong, an abstention or malformed: nothing in between."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustgym.answers import folded
from robustgym.verifier import match
from schemas.answers import AnswerKind, AnswerType
from tests.shared_cases import cases

KINDS = {"id": "count"}
"""Kinds of the shared cases that we call otherwise."""


def contract_of(case: dict[str, Any]) -> AnswerType:
    """The contract of a shared case. `dots_ignored` is left out: no code without dots can be mistaken for another."""
    known = {name: value for name, value in case.items() if name not in {"type", "dots_ignored", "columns", "synonyms"}}
    kind = KINDS.get(case["type"], case["type"])
    if kind in ("quantity", "duration"):
        known.setdefault("unit", "1")
    return AnswerType.model_validate(
        known
        | {"kind": kind, "columns": [(name, contract_of(c)) for name, c in case.get("columns", {}).items()]}
        | {"synonyms": list(case.get("synonyms", {}).items())}
    )


def test_agrees_with_every_shared_case() -> None:
    found = cases("answers.jsonl")
    assert len(found) >= 100
    wrong = []
    for case in found:
        result = match(case["answer"], contract_of(case["contract"]), case["gold"])
        if result.verdict != case["verdict"]:
            wrong.append((case["id"], case["answer"][:80], case["verdict"], *result))
    assert wrong == []


LACTATE = AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1)
COUNT = AnswerType(kind=AnswerKind.COUNT)
DRUGS = AnswerType(kind=AnswerKind.SET)
STAYS = AnswerType(
    kind=AnswerKind.ROWS,
    key=("hadm_id",),
    columns=(("hadm_id", COUNT), ("days", AnswerType(kind=AnswerKind.DURATION, unit="days", decimals=1))),
)
DOSES = AnswerType(
    kind=AnswerKind.ROWS, key=("drug",), columns=(("drug", AnswerType(kind=AnswerKind.CATEGORY)), ("n", COUNT))
)
SPELT_TWICE = ["Insulin", "LORazepam", "Lorazepam"]
GIVEN_TWICE = [{"drug": "LORazepam", "n": 3}, {"drug": "Lorazepam", "n": 5}]


@pytest.mark.parametrize(
    ("answer", "contract", "gold", "verdict"),
    [
        ("2.25", LACTATE, 2.3, "match"),
        ("2.249", LACTATE, 2.3, "no_match"),
        ('{"value": 2.3, "unit": "mg/dL"}', LACTATE, 2.3, "no_match"),
        ("null", LACTATE, None, "abstention"),
        ("0", COUNT, None, "no_match"),
        ("0", COUNT, 0, "match"),
        ("[]", DRUGS, [], "match"),
        ("[]", DRUGS, None, "no_match"),
        ("false", COUNT, 0, "malformed"),
        ('["Insulin", "Furosemide"]', DRUGS, ["Furosemide", "Insulin"], "match"),
        ('["Insulin"]', DRUGS, ["Furosemide", "Insulin"], "no_match"),
        ('[{"hadm_id": 1.0, "days": null}]', STAYS, [{"hadm_id": 1, "days": None}], "match"),
        ('[{"hadm_id": 1, "days": 0}]', STAYS, [{"hadm_id": 1, "days": None}], "no_match"),
        ('[{"hadm_id": null, "days": 0}]', STAYS, [], "malformed"),
        ('["LORazepam", "Insulin", "Lorazepam"]', DRUGS, SPELT_TWICE, "match"),
        ('["lorazepam", "insulin"]', DRUGS, SPELT_TWICE, "match"),
        ('["LORazepam", "Lorazepam"]', DRUGS, SPELT_TWICE, "no_match"),
        ('["LORazepam", "LORazepam", "Insulin"]', DRUGS, SPELT_TWICE, "malformed"),
        ('["LORazepam", "Lorazepam", "lorazepam", "Insulin"]', DRUGS, SPELT_TWICE, "malformed"),
        ('["LORazepam", "Lorazepam"]', DRUGS, None, "no_match"),
        ('[{"drug": "Lorazepam", "n": 5}, {"drug": "LORazepam", "n": 3}]', DOSES, GIVEN_TWICE, "match"),
        ('[{"drug": "Lorazepam", "n": 5}]', DOSES, GIVEN_TWICE, "no_match"),
        ('[{"drug": "Lorazepam", "n": 5}, {"drug": "LORazepam", "n": 5}]', DOSES, GIVEN_TWICE, "no_match"),
        ('[{"drug": "Lorazepam", "n": 5}, {"drug": "Lorazepam", "n": 3}]', DOSES, GIVEN_TWICE, "malformed"),
        ('[{"drug": "Lorazepam", "n": 3}, {"drug": "LORazepam", "n": 3}]', DOSES, GIVEN_TWICE[:1], "malformed"),
        ('[{"drug": "lorazepam", "n": 3}]', DOSES, GIVEN_TWICE[:1], "match"),
    ],
)
def test_examples(answer: str, contract: AnswerType, gold: Any, verdict: str) -> None:
    assert match(answer, contract, gold).verdict == verdict


@given(st.decimals(-1000, 1000, places=2), st.integers(0, 3))
def test_the_tolerance_is_half_the_last_digit(gold: Decimal, decimals: int) -> None:
    contract = AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL", decimals=decimals)
    half = Decimal(5).scaleb(-decimals - 1)
    for off, verdict in ((0, "match"), (half, "match"), (-half, "match"), (half + Decimal("1e-9"), "no_match")):
        assert match(str(gold + off), contract, float(gold)).verdict == verdict


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.text() | json_values.map(json.dumps), st.sampled_from((LACTATE, COUNT, DRUGS, STAYS)))
def test_no_answer_breaks_the_verifier(answer: str, contract: AnswerType) -> None:
    assert match(answer, contract, None).verdict in {"no_match", "abstention", "malformed"}


@given(st.lists(st.text(min_size=1), unique_by=folded, min_size=1, max_size=4))
def test_part_of_a_set_is_no_match(texts: list[str]) -> None:
    result = match(json.dumps(texts[:-1]), DRUGS, texts).verdict
    assert result in {"no_match", "malformed"}
