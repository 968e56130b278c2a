"""Components are counted as documented, and normalising a reference changes its size and never its answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import mean

import pytest

from assets.questions import Template, ask, catalogue, every_unit_sql, fillings, gold_of
from assets.questions.complexity import MEASURED_BY_HAND
from assets.questions.components import components, skeleton
from assets.questions.normalising import normalised
from robustgym.hospital import Hospital
from robustgym.session import Session
from robustgym.warehouse import Warehouse
from schemas.concepts import load
from schemas.overlays import Value
from schemas.questions import Question, Scope
from tests.sweeping import swept
from tests.written_by_hand import BY_HAND, ByHand

UNITS = 3
EVERY = 31
"""The catalogue is sampled: a prime, so that no cell's order is in step with it."""


@pytest.fixture(scope="module")
def session(demo_warehouse: Path) -> Iterator[Session]:
    with Hospital.open(Warehouse.open(demo_warehouse)) as hospital, hospital.session() as session:
        yield session


def asked(template: Template, filling: dict[str, Value], session: Session, units: int = UNITS) -> list[Question]:
    """The question about the first, the last and some units between that have an answer; of a population, the one."""
    if template.scope is Scope.POPULATION:
        return [ask(template, filling)]
    columns, rows = session.fetch(every_unit_sql(template, filling))
    chosen = dict.fromkeys(
        rows[len(rows) * n // max(1, units - 1) - (n == units - 1)][:-1] for n in range(units) if rows
    )
    return [ask(template, {**filling, **dict(zip(columns[:-1], row, strict=True))}) for row in chosen]


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT 1 + round(x, 2) AS y FROM t", {"block": 1, "source": 1}),
        ("SELECT x FROM t, u WHERE NOT (a = 1 OR b IN (1, 2))", {"block": 1, "source": 2, "join": 1, "predicate": 2}),
        ("SELECT x FROM t JOIN u USING (a, b)", {"block": 1, "source": 2, "join": 1, "predicate": 2}),
        ("SELECT count(DISTINCT x) FROM t", {"block": 1, "source": 1, "aggregate": 1, "distinct": 1}),
        ("SELECT sum(x) OVER (ORDER BY y) FROM t", {"block": 1, "source": 1, "window": 1, "order": 1}),
        ("SELECT CASE WHEN a > 1 THEN 2 END FROM t", {"block": 1, "source": 1, "branch": 1, "predicate": 1}),
        (
            "SELECT a, b, max(x) FILTER (c) FROM t GROUP BY a, b HAVING count(*) > 1",
            {"block": 1, "source": 1, "aggregate": 2, "group": 2, "filter": 2, "predicate": 1},
        ),
        (
            "SELECT DISTINCT x FROM t UNION ALL SELECT x FROM u ORDER BY x LIMIT 3",
            {"block": 2, "source": 2, "distinct": 1, "setop": 1, "order": 1, "limit": 1},
        ),
        ("SELECT regr_slope(y, x) FROM t", {"block": 1, "source": 1, "aggregate": 1}),
    ],
)
def test_every_kind_is_counted_as_documented(sql: str, kinds: dict[str, int]) -> None:
    found = components(sql)
    assert {kind: n for kind, n in found._asdict().items() if n} == kinds
    assert found.total == sum(kinds.values())


def test_writing_a_statement_otherwise_changes_nothing() -> None:
    one = "SELECT u.a, max(v) m FROM t JOIN u ON t.k = u.k WHERE v BETWEEN 1 AND 2 GROUP BY u.a"
    other = "select u.a as b, round(max(v), 2) as most from t join u using (k) where v between 10 and 20 group by 1"
    assert components(one) == components(other)


def test_questions_that_differ_in_literals_have_one_structure() -> None:
    template = Template.parse("labs-patient-lab-icu_stay-nth")
    one = ask(template, {"subject_id": 1, "stay_id": 2, "concept": "sodium", "nth": 2})
    other = ask(template, {"subject_id": 3, "stay_id": 4, "concept": "potassium", "nth": 3})
    assert skeleton(one.reference_sql) == skeleton(other.reference_sql)
    assert components(one.reference_sql) == components(other.reference_sql)


def test_normalising_twice_is_normalising_once() -> None:
    for template in swept(catalogue(), EVERY):
        once = normalised(ask(template, _filled(template)).reference_sql)
        assert components(normalised(once)).total == components(once).total, template.id


def test_a_normalised_reference_gives_the_same_answer(session: Session) -> None:
    compared = 0
    for template in swept(catalogue(), EVERY):
        if "chartevents" in template.tables:
            continue
        for filling in islice(fillings(template, load(), "normalised"), 2):
            for question in asked(template, filling, session):
                columns, rows = session.fetch(question.reference_sql)
                plain_columns, plain = session.fetch(normalised(question.reference_sql))
                assert plain_columns == columns, template.id
                assert gold_of(question, plain, plain_columns) == gold_of(question, rows, columns), template.id
                compared += 1
    assert compared > 20


@pytest.mark.parametrize("hand", BY_HAND, ids=lambda hand: hand.template)
def test_what_was_written_by_hand_gives_the_same_answer(hand: ByHand, session: Session) -> None:
    questions = asked(Template.parse(hand.template), dict(hand.filling), session, units=7)
    assert questions
    for question in questions:
        gold = gold_of(question, *reversed(session.fetch(question.reference_sql)))
        columns, rows = session.fetch(hand.sql.format(**question.parameters))
        assert gold is not None
        assert gold_of(question, rows, columns) == gold


def test_the_published_factors_are_those_of_the_hand_written_references() -> None:
    asked = [
        ask(Template.parse(hand.template), {**_filled(Template.parse(hand.template)), **hand.filling})
        for hand in BY_HAND
    ]
    by_hand = mean(components(hand.sql.format(subject_id=1, hadm_id=1)).total for hand in BY_HAND)
    compiled = mean(components(question.reference_sql).total for question in asked)
    normal = mean(components(normalised(question.reference_sql)).total for question in asked)
    found = {"by_hand": by_hand, "compiled": compiled, "normalised": normal}
    # A support test more or less moves the mean by a tenth; whoever sees it move by one measures again.
    assert found == pytest.approx(MEASURED_BY_HAND, abs=1.0)


def _filled(template: Template) -> dict[str, Value]:
    ids = {"subject_id": 1, "hadm_id": 2, "stay_id": 3} if template.scope is Scope.PATIENT else {}
    filling = next(fillings(template, load(), "t"))
    return {name: value for name, value in filling.items() if name != "from_day"} | ids
