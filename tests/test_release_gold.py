"""The rows of a reference become the gold answer: one form for each kind, and no answer made up."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustgym.gold import GoldError, canonical, gold_from_rows
from schemas.answers import AnswerKind, AnswerType

QUANTITY = AnswerType(kind=AnswerKind.QUANTITY, unit="mg/dL", decimals=2)
WHOLE = AnswerType(kind=AnswerKind.DURATION, unit="hours", decimals=0)
COUNT = AnswerType(kind=AnswerKind.COUNT)
YES_NO = AnswerType(kind=AnswerKind.YES_NO)
CATEGORY = AnswerType(kind=AnswerKind.CATEGORY)
CODE = AnswerType(kind=AnswerKind.CODE)
VERSIONED = AnswerType(kind=AnswerKind.CODE, with_version=True)
MINUTE = AnswerType(kind=AnswerKind.TIME)
SECOND = AnswerType(kind=AnswerKind.TIME, resolution="second")
DAY = AnswerType(kind=AnswerKind.TIME, resolution="day")
SET = AnswerType(kind=AnswerKind.SET)
ROWS = AnswerType(
    kind=AnswerKind.ROWS, key=("unit", "day"), columns=(("unit", CATEGORY), ("day", DAY), ("v", QUANTITY))
)

MOMENT = datetime(2150, 5, 6, 22, 23, 41)  # noqa: DTZ001 - MIMIC-IV's calendar has no zone

CASES: list[tuple[AnswerType, list[tuple[Any, ...]], Any]] = [
    (QUANTITY, [(1.005000001,)], 1.01),
    (QUANTITY, [(Decimal("7.1"),)], 7.1),
    (QUANTITY, [(-0.0,)], 0.0),
    (QUANTITY, [(0,)], 0.0),
    (QUANTITY, [(None,)], None),
    (QUANTITY, [], None),
    (WHOLE, [(36.0,)], 36),
    (COUNT, [(0,)], 0),
    (COUNT, [(12.0,)], 12),
    (YES_NO, [(False,)], False),
    (YES_NO, [(None,)], None),
    (CATEGORY, [("",)], ""),
    (CODE, [("0389",)], "0389"),
    (VERSIONED, [("0389", 9)], {"code": "0389", "version": 9}),
    (VERSIONED, [(None, None)], None),
    (MINUTE, [(MOMENT,)], "2150-05-06T22:23:00"),
    (SECOND, [(MOMENT,)], "2150-05-06T22:23:41"),
    (SECOND, [("2150-05-06 22:23:41",)], "2150-05-06T22:23:41"),
    (DAY, [(MOMENT,)], "2150-05-06"),
    (DAY, [(date(2150, 5, 6),)], "2150-05-06"),
    (SET, [("b",), ("a",), ("b",)], ["a", "b"]),
    (SET, [], None),
    (SET, [(None,)], None),
    (SET, [([],)], []),
    (SET, [(["b", "a"],)], ["a", "b"]),
    (ROWS, [], None),
    (
        ROWS,
        [("MICU", date(2150, 5, 7), None), ("CCU", MOMENT, 2.0)],
        [{"unit": "CCU", "day": "2150-05-06", "v": 2.0}, {"unit": "MICU", "day": "2150-05-07", "v": None}],
    ),
]

ERRORS: list[tuple[AnswerType, list[tuple[Any, ...]], str]] = [
    (QUANTITY, [(1.0,), (1.0,)], "2 rows for a single answer"),
    (QUANTITY, [(float("nan"),)], "not a finite number"),
    (QUANTITY, [("1.0",)], "not a number"),
    (QUANTITY, [(True,)], "not a number"),
    (COUNT, [(1.5,)], "not a whole number"),
    (COUNT, [(float("inf"),)], "not a whole number"),
    (YES_NO, [(1,)], "not yes or no"),
    (CODE, [(389,)], "not text"),
    (VERSIONED, [("0389", None)], "has no icd_version"),
    (MINUTE, [("soon",)], "not a time"),
    (SET, [("a",), (None,)], "not text"),
    (ROWS, [(None, MOMENT, 1.0)], "has no unit and day"),
    (ROWS, [("CCU", MOMENT, 1.0), ("CCU", MOMENT, 2.0)], r"share one key \(unit, day\)"),
]


def columns(answer: AnswerType) -> list[str]:
    if answer.kind is AnswerKind.ROWS:
        return [name for name, _ in answer.columns]
    return ["icd_code", "icd_version"] if answer.with_version else ["v"]


@pytest.mark.parametrize(("answer", "rows", "gold"), CASES)
def test_rows_become_gold(answer: AnswerType, rows: list[tuple[Any, ...]], gold: Any) -> None:
    found = gold_from_rows(answer, columns(answer), rows)
    assert found == gold
    assert canonical(found) == canonical(gold)


@pytest.mark.parametrize(("answer", "rows", "message"), ERRORS)
def test_what_the_type_does_not_allow_is_an_error(
    answer: AnswerType, rows: list[tuple[Any, ...]], message: str
) -> None:
    with pytest.raises(GoldError, match=message):
        gold_from_rows(answer, columns(answer), rows)


@pytest.mark.parametrize("answer", [QUANTITY, VERSIONED, SET, ROWS])
def test_columns_that_were_not_asked_for_are_an_error(answer: AnswerType) -> None:
    with pytest.raises(GoldError, match="returned the columns v, other, third, fourth"):
        gold_from_rows(answer, ["v", "other", "third", "fourth"], [])


def test_null_zero_false_empty_text_and_empty_list_are_five_answers() -> None:
    assert len({canonical(gold) for gold in (None, 0, False, "", [])}) == 5


@pytest.mark.parametrize(
    ("answer", "sql", "gold"),
    [
        (COUNT, "SELECT count(*) AS v FROM range(3)", 3),
        (COUNT, "SELECT sum(range) AS v FROM range(3)", 3),
        (QUANTITY, "SELECT CAST(1.25 AS DECIMAL(9, 3)) AS v", 1.25),
        (YES_NO, "SELECT 1 > 2 AS v", False),
        (SECOND, "SELECT TIMESTAMP '2150-05-06 22:23:41' AS v", "2150-05-06T22:23:41"),
        (DAY, "SELECT DATE '2150-05-06' AS v", "2150-05-06"),
        (SET, "SELECT list(v ORDER BY v) AS v FROM (VALUES ('b'), ('a')) AS t(v)", ["a", "b"]),
        (SET, "SELECT [] AS v", []),
    ],
)
def test_cells_are_taken_as_the_engine_gives_them(answer: AnswerType, sql: str, gold: Any) -> None:
    with duckdb.connect() as connection:
        result = connection.execute(sql)
        assert gold_from_rows(answer, [column[0] for column in result.description or ()], result.fetchall()) == gold


@given(st.permutations([("CCU", date(2150, 5, day), float(day)) for day in range(1, 8)]))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[Any, ...]]) -> None:
    gold = gold_from_rows(ROWS, columns(ROWS), rows)
    assert [row["v"] for row in gold] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
