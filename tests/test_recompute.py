"""Every word of the grammar, computed a second time from its English and without SQL, gives the reference's answers.

By default every word is compared in a few templates, over all units of the MIMIC-IV demo and of a small synthetic
hospital, until enough give an answer. With `SWEEP=whole` in the environment the whole catalogue is compared, and
for every word some random points of the grammar, three fillings each, in about ten minutes:

    SWEEP=whole pytest tests/test_recompute.py -s
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assets.questions import Template, ask, catalogue, every_unit_sql, fillings, gold_of
from assets.questions.sampling import slots_of
from assets.synthetic import write_hospital
from schemas.concepts import load
from schemas.questions import Scope
from schemas.tables import TABLES
from tests.recompute.agreeing import agree
from tests.recompute.asking import of_population, of_units
from tests.recompute.hospital import Hospital
from tests.recompute.sampling import Word, in_order, missing, points, vocabulary, words_of
from tests.sweeping import WHOLE

FILLINGS = 3
"""Of each template, in the whole sweep."""
PATIENTS = 300
TRIES = 8
"""Templates of a word that the default run compares at most, of the catalogue and of the rest of the grammar each."""
ENOUGH = 20
"""Answers that a word needs in the default run; a population's words need two, each from all units of a cohort."""
MANY = 2_000
"""Points of the grammar that are looked at for one word: about one in twenty has a meaning."""


CLAUSES: tuple[dict[str, Any], ...] = ({"from_day": 2}, {"from_day": 4}, {"calendar_year": 2150})


@dataclass
class Both:
    """One hospital, for DuckDB and for Polars."""

    name: str
    connection: duckdb.DuckDBPyConnection
    frames: Hospital

    @classmethod
    def of(cls, name: str, folder: Path) -> Both:
        """The tables below a folder of parquet files; those that are not there are empty."""
        connection = duckdb.connect(config={"threads": 2})
        for table in TABLES.values():
            path = folder / f"{table.path}.parquet"
            declared = ", ".join(f"{column.name} {column.type.duckdb}" for column in table.columns)
            source = f"AS FROM '{path}'" if path.is_file() else f"({declared})"
            connection.execute(f"CREATE TABLE {table.name} {source}")
        return cls(name, connection, Hospital(folder))


@dataclass
class Tally:
    """What was compared."""

    comparisons: Counter[Word] = field(default_factory=Counter)
    answers: Counter[Word] = field(default_factory=Counter)
    differences: dict[str, list[str]] = field(default_factory=dict)
    """By template."""
    total: int = 0
    told: int = 0

    def add(self, template: Template, compared: Iterable[tuple[bool, Any, Any, str]]) -> int:
        """Count comparisons of one template: whether they agree, the reference's answer, the other, and where.

        Returns:
            How many have an answer.
        """
        n = answers = 0
        for same, told, mine, where in compared:
            n += 1
            answers += told is not None
            if not same:
                line = f"{where}: the reference says {told}, its English {mine}"
                self.differences.setdefault(template.id, []).append(line)
        for word in words_of(template):
            self.comparisons[word] += n
            self.answers[word] += answers
        self.total += n
        self.told += answers
        return answers

    @property
    def shown(self) -> str:
        """How many differences each template has, with the first two."""
        return "\n".join(
            f"{template}: {len(lines)} differ\n    " + "\n    ".join(lines[:2])
            for template, lines in self.differences.items()
        )

    def __str__(self) -> str:
        words = [
            f"{sort} {name}: {self.comparisons[sort, name]} / {self.answers[sort, name]}" for sort, name in vocabulary()
        ]
        head = f"{self.total} comparisons, {self.told} answers, {sum(map(len, self.differences.values()))} differences"
        return "\n".join([head, "word: comparisons / answers", *words])


def compared(hospital: Both, template: Template, filling: Mapping[str, Any]) -> Iterator[tuple[bool, Any, Any, str]]:
    """Every unit's two answers, or the two of a population."""
    where = f"{dict(filling)} in the {hospital.name}"
    if template.scope is Scope.POPULATION:
        question = ask(template, filling)
        cursor = hospital.connection.execute(question.reference_sql)
        gold = gold_of(question, cursor.fetchall(), [column[0] for column in cursor.description or ()])
        mine = of_population(hospital.frames, template, filling)
        yield agree(question.answer, gold, mine), gold, mine, where
        return
    ids = template.unit.ids
    answer = ask(template, {**filling, **dict.fromkeys(ids, 1)}).answer
    rows = hospital.connection.execute(every_unit_sql(template, filling)).fetchall()
    told = {row[len(ids) - 1]: row[-1] for row in rows}
    measures = {unit.uid: measure for unit, measure in of_units(hospital.frames, template, filling).items()}
    for unit in hospital.frames.units(template.unit.name):
        gold, mine = told.pop(unit.uid, None), measures.get(unit.uid)
        yield agree(answer, gold, mine), gold, mine, f"{where}, {template.unit.id} {unit.uid}"
    for uid, gold in told.items():
        yield False, gold, None, f"{where}, {template.unit.id} {uid}, which does not count"


def compare_words(tally: Tally, hospitals: list[Both]) -> None:
    """Compare templates of every word until it has answers: those of the catalogue first, then of the grammar."""
    having: dict[Word, list[Template]] = {}
    for template in in_order(catalogue(), "words"):
        for word in words_of(template):
            having.setdefault(word, []).append(template)
    done: set[Template] = set()
    for word in vocabulary():
        enough = 2 if word[0] in ("cohort", "aggregator") else ENOUGH
        for template in chain(having.get(word, [])[:TRIES], islice(points(MANY, "words", word), TRIES)):
            if tally.answers[word] >= enough:
                break
            if template not in done:
                done.add(template)
                compare(tally, hospitals, template, 1)


def compare_whole(tally: Tally, hospitals: list[Both]) -> None:
    """Compare the whole catalogue, and random points of the grammar: some of every word."""
    drawn = {template for word in vocabulary() for template in islice(points(MANY, "whole", word), TRIES)}
    for template in [*catalogue(), *in_order(drawn - set(catalogue()), "whole")]:
        compare(tally, hospitals, template, FILLINGS)


def compare(tally: Tally, hospitals: list[Both], template: Template, most: int) -> None:
    """Compare a template in every hospital, with so many fillings."""
    for hospital in hospitals:
        for filling in islice(fillings(template, load(), "recompute"), most):
            tally.add(template, compared(hospital, template, filling))


@pytest.fixture(scope="module")
def hospitals(demo_warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Both]:
    """The demo, and a synthetic hospital with charted vitals, which the demo lacks."""
    folder = tmp_path_factory.mktemp("recompute") / "hospital"
    write_hospital(folder, PATIENTS, 7, format="parquet", workers=2)
    return [Both.of("demo", demo_warehouse), Both.of("synthetic hospital", folder)]


@pytest.fixture(scope="module")
def tally(hospitals: list[Both]) -> Tally:
    """Everything that is compared, once for the tests that look at it."""
    found = Tally()
    compare_words(found, hospitals)
    if WHOLE:
        compare_whole(found, hospitals)
        print(found)
    return found


def test_every_word_is_done_again() -> None:
    assert missing() == []


def test_the_answers_are_the_same(tally: Tally) -> None:
    assert not tally.differences, tally.shown


def test_every_word_was_compared_in_an_answer(tally: Tally) -> None:
    without = [f"{sort} {name}".strip() for sort, name in vocabulary() if not tally.answers[sort, name]]
    assert not without, f"no template with these words gave an answer in either hospital: {', '.join(without)}"


def test_the_answers_are_the_same_under_clauses(hospitals: list[Both]) -> None:
    tally = Tally()
    for template in in_order((t for t in catalogue() if t.has_start and t.window.days is None), "clauses")[:20]:
        for hospital in hospitals:
            for filling in islice(fillings(template, load(), "clauses"), 1):
                for clause in CLAUSES:
                    tally.add(template, compared(hospital, template, {**filling, **clause}))
    assert tally.told > 200
    assert not tally.differences, tally.shown


def test_what_came_after_a_value_moves_the_answer_alike(hospitals: list[Both]) -> None:
    tally = Tally()
    for template in in_order((t for t in catalogue() if t.takes_value), "values")[:12]:
        for hospital in hospitals:
            for filling in islice(fillings(template, load(), "values"), 1):
                stream = template.stream(slots_of(template, filling).concepts)
                if stream.partner is not None:
                    continue
                usual = f"SELECT mode({stream.value}) FROM {stream.target.table} AS x WHERE {stream.target.test}"
                [(value,)] = hospital.connection.execute(usual).fetchall()
                for other in () if value is None else (value, 12345.0):
                    tally.add(template, compared(hospital, template, {**filling, "after_value": other}))
    assert tally.told > 50
    assert not tally.differences, tally.shown


def test_no_answer_is_right_without_support(hospitals: list[Both]) -> None:
    tally = Tally()
    for template in in_order(catalogue(), "without support")[:20]:
        for filling in islice(fillings(template, load(), "clauses"), 1):
            for clause in ({"contradiction": True}, {"now": True}, {"calendar_year": 2014}):
                tally.add(template, compared(hospitals[0], template, {**filling, **clause}))
    assert tally.told == 0
    assert not tally.differences, tally.shown
