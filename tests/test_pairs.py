"""Every operator on real questions of two hospitals: promises, proofs, balance, and that nothing depends on threads."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.pairs.asking import Questions, build_questions, spans_of
from assets.pairs.balancing import most
from assets.pairs.frames import made
from assets.pairs.helping import second_helpings
from assets.pairs.identity import canonical, drawn, question_id, split_of, task_id
from assets.pairs.noising import Candidates, Pair, build_pairs
from assets.pairs.promises import surviving_route
from assets.pairs.records import associated
from assets.pairs.selecting import select
from assets.questions import Template, ask, catalogue, gold_of, records_sql
from assets.staging import find_source, stage
from assets.synthetic import write_hospital
from noise_ops import Operator, operators
from robustgym import parallel, verify
from robustgym.gold import GoldError, gold_from_rows
from robustgym.hospital import Hospital
from robustgym.yardsticks import DUE, failures, scores
from schemas import concepts
from schemas.noise import Level, Promise
from schemas.overlays import Overlay
from schemas.pairs import Condition, Split
from schemas.questions import UNIT_ROUTE, Scope
from schemas.release import Profile

PROFILE = Profile(
    name="sweep",
    summary="Every operator at every severity, once or twice for each intent and scope.",
    test_pairs_per_cell=1,
    train_pairs=36,
    test_patients=0.5,
    promises=tuple(Promise),
    templates_per_cell=10,
    questions_per_template=2,
    test_candidates_per_operator=1,
    train_candidates_per_operator=1,
)
OPERATORS = dict(operators())
SEED = 0


@dataclass(frozen=True)
class Sweep:
    """What all operators made of one hospital."""

    hospital: Hospital
    questions: Questions
    made: dict[str, Candidates]

    @property
    def pairs(self) -> list[Pair]:
        return [pair for candidates in self.made.values() for pair in candidates.pairs]


@pytest.fixture(scope="module", params=["demo", "synthetic"])
def sweep(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sweep]:
    """Questions of a hospital and what each operator makes of them, made once."""
    if request.param == "demo":
        warehouse: Path = request.getfixturevalue("demo_warehouse")
    else:
        source, warehouse = tmp_path_factory.mktemp("source") / "hospital", tmp_path_factory.mktemp("warehouse")
        write_hospital(source, 300, SEED, format="parquet", workers=1)
        stage(find_source(source), warehouse)
    with Hospital.open(warehouse) as hospital:
        questions = build_questions(hospital, concepts.load(), PROFILE, SEED)
        pairs = {name: _pairs(operator, questions, hospital) for name, operator in OPERATORS.items()}
        yield Sweep(hospital, questions, pairs)


def _pairs(operator: Operator, questions: Questions, hospital: Hospital) -> Candidates:
    return build_pairs(operator, questions, hospital, concepts.load(), PROFILE, SEED)


def test_the_sweep_is_not_empty(sweep: Sweep) -> None:
    assert len(OPERATORS) >= 28
    assert len(sweep.questions.asked) >= 180
    assert len(sweep.pairs) >= 200


def test_what_is_held_out_is_asked_in_the_test_split_alone(sweep: Sweep) -> None:
    held = sweep.questions.held_out
    assert held.templates
    assert held.concepts
    for asked in sweep.questions.asked:
        if held.holds(Template.parse(asked.template), asked.parameters):
            assert asked.split is Split.TEST, asked.template
    for pair in sweep.pairs:
        if pair.clean.split is Split.TRAIN:
            for row in pair:
                assert not held.holds(Template.parse(row.template), row.parameters), (row.template, row.operator)


def test_no_answer_is_a_good_guess(sweep: Sweep) -> None:
    by_template: defaultdict[str, list[str]] = defaultdict(list)
    for asked in sweep.questions.asked:
        by_template[asked.template].append(canonical(asked.gold))
    for template, golds in by_template.items():
        kind = Template.parse(template).answer.kind
        [(_, n)] = Counter(golds).most_common(1)
        assert n <= most(kind, len(golds)), (template, golds)


def test_every_cell_asks(sweep: Sweep) -> None:
    cells = {(t.intent, t.scope) for t in catalogue() for a in sweep.questions.asked if a.template == t.id}
    assert len(cells) == 12


def test_four_abstention_operators_of_each_level_apply_in_most_cells(sweep: Sweep) -> None:
    for level in Level:
        cells = {
            name: {(p.clean.intent, p.clean.scope) for p in made.pairs if p.noise.promise is Promise.ABSTENTION}
            for name, made in sweep.made.items()
            if OPERATORS[name].level is level
        }
        wide = sorted(name for name, found in cells.items() if len(found) >= 7)
        assert len(wide) >= 4, (level, {name: len(found) for name, found in cells.items()})


def test_ten_of_the_twelve_cells_have_pairs_at_all_levels(sweep: Sweep) -> None:
    levels: defaultdict[tuple[str, str], set[Level]] = defaultdict(set)
    for pair in sweep.pairs:
        if pair.noise.promise is Promise.ABSTENTION:
            levels[pair.clean.intent, pair.clean.scope].add(pair.clean.level)
    assert sum(found == set(Level) for found in levels.values()) >= 10


def test_promises_hold_when_the_references_run_again(sweep: Sweep) -> None:
    pairs = [verify.Pair(pair.clean, pair.noise) for pair in sweep.pairs]
    assert list(verify.references(pairs, sweep.hospital)) == []
    for pair in sweep.pairs:
        clean, noise = pair.clean.gold, pair.noise.gold
        assert clean is not None
        match pair.noise.promise:
            case Promise.ABSTENTION:
                assert noise is None
            case Promise.UNCHANGED:
                assert noise == clean
                assert pair.noise.overlay.edits or pair.noise.question != pair.clean.question
            case Promise.RECOMPUTED:
                assert noise is not None
                assert noise != clean


def test_a_clean_question_that_carries_the_clause_is_asked_anew(sweep: Sweep) -> None:
    carried = {"ordinal_absent": "nth", "time_out": "from_day", "false_value": "after_value"}
    found = [pair for pair in sweep.pairs if pair.clean.operator in carried]
    assert found
    with sweep.hospital.session(row_ids=True) as session:
        for pair in found:
            clean, slot = pair.clean, carried[pair.clean.operator]
            assert clean.parameters == pair.noise.parameters | {slot: clean.parameters[slot]}
            question = ask(Template.parse(clean.template), clean.parameters, tables=sweep.hospital.tables)
            assert (question.text, question.reference_sql) == (clean.question, clean.reference_sql)
            columns, rows = session.fetch(question.reference_sql)
            assert gold_of(question, rows, columns) == clean.gold
            if clean.scope is Scope.PATIENT:
                assert {r.selection: r.rows for r in clean.records} == associated(session, question)


def test_concepts_are_absent_where_others_have_them(sweep: Sweep) -> None:
    asked = {canonical(a.parameters.get("concept")) for a in sweep.questions.asked}
    absent = [p for p in sweep.made["never_done"].pairs if p.clean.parameters != p.noise.parameters]
    assert all(canonical(pair.noise.parameters["concept"]) in asked for pair in absent)


def test_the_oracle_is_right_and_silence_is_worth_nothing(sweep: Sweep) -> None:
    rows = [row for pair in sweep.pairs[::5] for row in (pair.clean, pair.noise)]
    assert scores(rows, failures(rows, sweep.hospital)) == DUE


def test_an_abstention_can_be_judged(sweep: Sweep) -> None:
    for pair in sweep.pairs:
        if pair.noise.promise is Promise.ABSTENTION and pair.noise.level is Level.QUERY:
            assert pair.noise.worlds or pair.noise.schema_evidence, pair.noise.operator


def test_noise_bites_where_the_record_as_it_is_misleads(sweep: Sweep) -> None:
    for pair in sweep.pairs[::8]:
        noise = pair.noise
        assert noise.bites == pair.clean.bites
        assert noise.naive_sql
        found = {}
        for row, overlay in ((pair.clean, Overlay()), (noise, noise.overlay)):
            with sweep.hospital.session(overlay) as session:
                try:
                    columns, rows = session.fetch(row.naive_sql)
                    found[row.condition] = canonical(gold_from_rows(row.answer, columns, rows))
                except (duckdb.Error, GoldError):
                    found[row.condition] = "fails"
        wrong = found[Condition.NOISE] != canonical(noise.gold)
        if noise.gold is None:
            news = found[Condition.NOISE] != "fails" or found[Condition.CLEAN] != "fails"
        else:
            news = found[Condition.CLEAN] == canonical(pair.clean.gold)
        assert noise.bites == (wrong and news), (noise.operator, noise.template)
    # Words around a question change nothing of what the record says.
    assert not any(pair.noise.bites for pair in sweep.made["distractor"].pairs)
    # Sentinels and negatives are numbers to whoever does not ask what a number can be.
    implausible = [pair.noise.bites for pair in sweep.made["implausible"].pairs]
    assert sum(implausible) > len(implausible) / 2


def test_only_associated_tables_change(sweep: Sweep) -> None:
    for pair in sweep.pairs:
        associated = {records.table for records in pair.clean.records}
        assert set(pair.noise.overlay.tables) <= associated, pair.noise.operator


def test_what_is_dropped_has_a_reason(sweep: Sweep) -> None:
    for name, candidates in sweep.made.items():
        tried = sum(n for *_, n in candidates.tried)
        assert tried == len(candidates.pairs) + sum(drop.n for drop in candidates.drops), name
        assert all(drop.reason for drop in candidates.drops)


def test_selection_is_balanced_and_splits_share_no_patient(sweep: Sweep) -> None:
    chosen = select(sweep.made.values(), PROFILE, SEED, sweep.questions.held_out)
    cells = Counter((p.clean.split, p.clean.intent, p.clean.scope, p.clean.level) for p in chosen.pairs)
    assert set(cells.values()) == {1}
    patients = {
        split: {s for p in chosen.pairs if p.clean.split is split for s in p.clean.subject_ids} for split in Split
    }
    assert patients[Split.TEST].isdisjoint(patients[Split.TRAIN])
    populations = defaultdict(set)
    for pair in chosen.pairs:
        if pair.clean.scope is Scope.POPULATION:
            populations[pair.clean.template, canonical(pair.clean.parameters)].add(pair.clean.split)
    assert all(len(splits) == 1 for splits in populations.values())
    kept = len(sweep.pairs)
    assert len(chosen.pairs) + sum(drop.n for drop in chosen.drops) == kept


def test_short_cells_are_served_again(sweep: Sweep) -> None:
    larger = PROFILE.model_copy(update={"test_pairs_per_cell": 4, "train_pairs": 150})
    held_out = sweep.questions.held_out
    before = select(sweep.made.values(), larger, SEED, held_out)
    more = second_helpings(sweep.made, OPERATORS, sweep.questions, sweep.hospital, concepts.load(), larger, SEED)
    first = {pair.clean.pair_id for pair in sweep.pairs}
    assert not first & {pair.clean.pair_id for made in more for pair in made.pairs}
    after = select(sweep.made.values(), larger, SEED, held_out, more)
    assert len(after.pairs) >= len(before.pairs)
    assert len(after.short) <= len(before.short)
    assert sum(pair.clean.split is Split.TRAIN for pair in after.pairs) <= 150
    test = Counter((p.clean.intent, p.clean.scope, p.clean.level) for p in after.pairs if p.clean.split is Split.TEST)
    assert max(test.values()) == 4


def test_the_training_pairs_are_shared_out_evenly() -> None:
    wanted = Profile.load("paper").wanted()
    by_split = Counter({split: sum(n for cell, n in wanted.items() if cell[0] is split) for split in Split})
    assert by_split == {Split.TEST: 1008, Split.TRAIN: 4478}
    assert {n for cell, n in wanted.items() if cell[0] is Split.TEST} == {28}
    assert {n for cell, n in wanted.items() if cell[0] is Split.TRAIN} == {124, 125}


@pytest.mark.parametrize("sweep", ["synthetic"], indirect=True)
def test_nothing_depends_on_the_number_of_workers(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "WORKERS", 1)
    assert build_questions(sweep.hospital, concepts.load(), PROFILE, SEED) == sweep.questions
    for name in ("value_null", "ordinal_absent"):
        assert _pairs(OPERATORS[name], sweep.questions, sweep.hospital) == sweep.made[name]


def test_a_stay_told_elsewhere_tells_nothing_of_what_was_done_in_it(demo_warehouse: Path) -> None:
    """A ward movement into intensive care is no route to its imaging, but one to the time in intensive care."""
    with Hospital.open(demo_warehouse) as hospital:
        session = hospital.session(row_ids=True)
        _, [(patient, stay_id, hadm_id)] = session.fetch(
            "SELECT subject_id, stay_id, hadm_id FROM icustays JOIN transfers USING (subject_id, hadm_id, intime) "
            "WHERE icustays.intime < icustays.outtime ORDER BY ALL LIMIT 1"
        )
        stay = ask(Template.parse("cost-patient-imaging-icu_stay-names"), {"subject_id": patient, "stay_id": stay_id})
        assert session.fetch(records_sql(stay, UNIT_ROUTE))[1]
        assert surviving_route(session, stay) == ""
        admission = Template.parse("cost-patient-icu_time-admission-covered")
        time = ask(admission, {"subject_id": patient, "hadm_id": hadm_id})
        assert surviving_route(session, time) == "the fact survives in transfers"
        session.close()


def test_a_task_id_tells_neither_pair_nor_condition() -> None:
    ids = {task_id(SEED, f"pair{i}", condition) for i in range(500) for condition in Condition}
    assert len(ids) == 1000
    clean = sorted(task_id(SEED, f"pair{i}", Condition.CLEAN) for i in range(500))
    noise = sorted(task_id(SEED, f"pair{i}", Condition.NOISE) for i in range(500))
    below = sum(i < "8" for i in clean), sum(i < "8" for i in noise)
    assert all(200 < n < 300 for n in below)


@given(st.lists(st.text(), unique=True), st.randoms())
def test_a_draw_does_not_depend_on_the_order_of_its_items(items: list[str], shuffle: st.DataObject) -> None:
    mixed = list(items)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    assert drawn(items, "seed") == drawn(mixed, "seed")


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.text(), st.booleans())))
def test_a_question_has_one_name(parameters: dict[str, str | int | bool | None]) -> None:
    turned = dict(reversed(parameters.items()))
    assert question_id("template", parameters) == question_id("template", turned)


@given(st.integers(0, 1500), st.integers(0, 50))
def test_spans_cover_every_patient_once(size: int, seed: int) -> None:
    patients = tuple(range(10, 10 + 3 * size, 3))
    spans = list(spans_of(patients, seed, "labs-patient-lab-admission-highest", {"concept": "potassium"}))
    seen = [
        patient
        for span in spans
        for low, high in re.findall(r"BETWEEN (\d+) AND (\d+)", span)
        for patient in patients
        if int(low) <= patient <= int(high)
    ]
    assert sorted(seen) == list(patients)
    assert len(spans) <= 4


def test_a_split_takes_its_share() -> None:
    share = sum(split_of(SEED, 0.3, subject) is Split.TEST for subject in range(10_000)) / 10_000
    assert 0.28 < share < 0.32


def test_a_product_is_read_back_until_its_key_or_its_file_changes(tmp_path: Path) -> None:
    path, calls = tmp_path / "product.json.gz", []

    def make() -> list[int]:
        calls.append(1)
        return [1, 2]

    assert made(path, "a", list[int], make).reused is False
    assert made(path, "a", list[int], make).reused is True
    assert made(path, "b", list[int], make).reused is False
    path.write_bytes(path.read_bytes()[:-9])
    assert made(path, "b", list[int], make).value == [1, 2]
    assert len(calls) == 3
    assert not list(tmp_path.glob("*.partial"))
