"""Natural noise: planted faults are found, what is sound is not, and what is found proves itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assets.pairs.asking import Asked, Questions
from assets.pairs.identity import split_of
from assets.pairs.natural import SEVERITY, build_natural
from assets.pairs.noising import Candidates
from assets.pairs.selecting import select
from assets.questions import Template, can_stand, catalogue
from noise_ops import Fault, operators
from robustgym import consistency
from robustgym.hospital import Hospital
from robustgym.show import describe
from robustgym.yardsticks import DUE, failures, scores
from schemas.concepts import load
from schemas.examples import EXAMPLES
from schemas.noise import Level
from schemas.overlays import Value
from schemas.pairs import Pair, Split
from schemas.release import Profile
from schemas.tables import TABLES
from tests import tiny_hospital

SEED = 0
PROFILE = Profile(
    name="natural",
    summary="Natural noise alone.",
    test_pairs_per_cell=2,
    train_pairs=72,
    test_patients=0.5,
    questions_per_template=1,
)
LAST, NTH = "labs-patient-lab-last_48h_of_admission-last", "labs-patient-lab-admission-nth"
CREATININE = 50912

USABLE: dict[str, Any] = {"value": "1.4", "valuenum": 1.4, "valueuom": "mg/dL"}
PLANTED: Mapping[str, Sequence[dict[str, Any]]] = {
    "sound": [USABLE],
    "value_null": [{"value": None, "valuenum": None, "valueuom": "mg/dL"}],
    "deid_mask": [{"value": "___", "valuenum": None, "valueuom": "mg/dL"}],
    "unit_missing": [USABLE | {"valueuom": None}],
    "text_number": [{"value": "<0.3", "valuenum": None, "valueuom": "mg/dL"}],
    "implausible": [USABLE | {"value": "999999", "valuenum": 999999.0}],
    "unit_mislabel": [USABLE | {"valueuom": "umol/L"}],
    "conflicting_duplicate": [USABLE, USABLE | {"value": "3.1", "valuenum": 3.1}],
    "never_done": [],
    # What is sound, or spoilt in two ways, or told elsewhere.
    "a second result": [USABLE, {"value": None, "valuenum": None, "valueuom": "mg/dL", "hour": 1}],
    "two results": [USABLE, USABLE | {"value": "1.6", "valuenum": 1.6, "hour": 1}],
    "told in the comment": [{"value": None, "valuenum": None, "valueuom": "mg/dL", "comments": "1.4 PER PHONE"}],
    "unit told by the range": [USABLE | {"valueuom": None, "ref_range_lower": 0.4, "ref_range_upper": 1.1}],
    "just above the bound": [USABLE | {"value": "70", "valuenum": 70.0}],
    "two faults": [{"value": None, "valuenum": None, "valueuom": None}],
}
"""Creatinine of one admission, by the operator whose fault it bears, or by why it bears none."""


def _rows() -> dict[str, list[dict[str, Any]]]:
    """Patients of both splits for everything planted, and two with sound records."""
    wanted = [(name, split) for split in Split for name in ("sound", *PLANTED)]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ("patients", "admissions", "labevents")}
    subject = 10_000_000
    for name, split in wanted:
        subject += 1
        while split_of(SEED, PROFILE.test_patients, subject) is not split:
            subject += 1
        begun = datetime.fromisoformat("2150-01-01")
        end = begun + timedelta(days=4)
        found["patients"].append({"subject_id": subject, "gender": "F", "anchor_age": 60, "anchor_year": 2150})
        found["patients"][-1]["anchor_year_group"] = name
        found["admissions"].append(
            {"subject_id": subject, "hadm_id": subject + 10_000_000, "admittime": begun, "dischtime": end}
        )
        for record in PLANTED[name]:
            hour = record.get("hour", 0)
            found["labevents"].append(
                {
                    "labevent_id": len(found["labevents"]) + 1,
                    "subject_id": subject,
                    "hadm_id": subject + 10_000_000,
                    "itemid": CREATININE,
                    "charttime": end - timedelta(hours=10 - hour),
                    **{column: value for column, value in record.items() if column != "hour"},
                }
            )
    found["d_labitems"] = [{"itemid": CREATININE, "label": "Creatinine", "fluid": "Blood", "category": "Chemistry"}]
    return found


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    """A hospital with one fault in each patient, at most."""
    folder = tmp_path_factory.mktemp("planted")
    for name, records in _rows().items():
        cells = [tuple(record.get(column) for column in TABLES[name].names) for record in records]
        tiny_hospital.write(folder, name, tiny_hospital.ordered(name, cells))
    with Hospital.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def found(hospital: Hospital) -> tuple[Candidates, ...]:
    """What is found there with two templates."""
    return build_natural(hospital, load(), _asked(LAST, NTH), PROFILE, SEED)


def _asked(*templates: str) -> Questions:
    """Clean questions for creatinine: the search begins with their fillings."""
    filling: dict[str, Value] = {"concept": "creatinine", "register": "plain"}
    nth: dict[str, dict[str, Value]] = {LAST: {}, NTH: {"nth": 2}}
    asked = (Asked(name, name, filling | nth[name], 1.4, (), Split.TRAIN) for name in templates)
    return Questions(asked=tuple(asked), drops=(), left_out=())


def _pairs(found: Sequence[Candidates]) -> list[Pair]:
    return [pair for made in found for pair in made.pairs]


def test_what_is_planted_is_found_and_nothing_else(found: tuple[Candidates, ...], hospital: Hospital) -> None:
    """Of the last value each fault in both splits, under the name of the operator that makes it."""
    with hospital.session() as session:
        planted = dict(session.fetch("SELECT subject_id, anchor_year_group FROM patients")[1])
    pairs = [pair for pair in _pairs(found) if pair.noise.template == LAST and pair.noise.operator != "time_out"]
    assert pairs
    for clean, noise in pairs:
        assert planted[noise.subject_ids[0]] == noise.operator
        assert planted[clean.subject_ids[0]] in ("sound", "a second result", "two results")
    made = Counter(pair.noise.operator for pair in pairs)
    assert made == {name: 2 for name in PLANTED if name in operators()}


def test_the_second_is_asked_of_one_who_has_one(found: tuple[Candidates, ...], hospital: Hospital) -> None:
    [test, train] = [pair for pair in _pairs(found) if pair.noise.operator == "ordinal_absent"]
    assert {test.noise.split, train.noise.split} == set(Split)
    with hospital.session() as session:
        for clean, noise in (test, train):
            sql = "SELECT count(*) FROM labevents WHERE subject_id = {}"
            assert session.fetch(sql.format(noise.subject_ids[0]))[1] == [(1,)]
            assert session.fetch(sql.format(clean.subject_ids[0]))[1] == [(2,)]


def test_pairs_prove_themselves(found: tuple[Candidates, ...], hospital: Hospital) -> None:
    """References, promises, splits and evidence hold as for injected noise; nothing is edited, and `show` says so."""
    pairs = _pairs(found)
    assert {pair.noise.level for pair in pairs} == set(Level)
    tasks = [row for pair in pairs for row in pair]
    assert not list(consistency.pairs(pairs))
    assert not list(consistency.splits(tasks))
    assert scores(tasks, failures(tasks, hospital)) == DUE
    for pair in pairs:
        assert (pair.noise.origin, pair.noise.severity, pair.noise.gold) == ("natural", SEVERITY, None)
        assert not pair.noise.overlay.edits
        assert pair.noise.worlds
        shown = describe(pair)
        assert shown.mended
        assert "found there" in shown.text()
        assert "the clean hospital" not in shown.evidence


def test_who_looks_at_another_patient_has_seen_nothing(found: tuple[Candidates, ...], hospital: Hospital) -> None:
    """An oracle that works the clean task's reference, and abstains, has no evidence."""
    pair = next(pair for pair in _pairs(found) if pair.noise.operator == "value_null")
    wrong = pair.noise.model_copy(
        update={"reference_sql": "SELECT NULL AS answer", "witness_sql": pair.clean.witness_sql}
    )
    assert failures([wrong], hospital)["oracle_noise"]


def test_a_natural_pair_must_be_one(found: tuple[Candidates, ...]) -> None:
    """A pair that edits the record, has no world, or asks one thing twice is told from natural noise."""
    pair = _pairs(found)[0]
    for change in ({"worlds": ()}, {"overlay": pair.noise.worlds[0]}, {"reference_sql": pair.clean.reference_sql}):
        assert list(consistency.pairs([Pair(pair.clean, pair.noise.model_copy(update=change))]))


@pytest.mark.parametrize(("share", "natural"), [(0.0, 0), (0.5, 1), (1.0, 2)])
def test_a_cell_has_its_share_of_natural_pairs(found: tuple[Candidates, ...], share: float, natural: int) -> None:
    """As many as the profile says, and its number of pairs in all whatever the share is."""
    injected = [
        Candidates(
            operator="deid_mask",
            pairs=tuple(
                Pair(*(row.model_copy(update={"origin": "injected", "pair_id": f"{n:016x}"}) for row in pair))
                for n, pair in enumerate(_pairs(found))
            ),
            drops=(),
            tried=(),
        )
    ]
    profile = PROFILE.model_copy(update={"natural": share})
    chosen = select([*injected, *found], profile, SEED, _asked().held_out)
    tests = [p for p in chosen.pairs if (p.clean.split, p.clean.level) == (Split.TEST, Level.VALUE)]
    assert len(tests) == 2
    assert sum(pair.clean.origin == "natural" for pair in tests) == natural


def test_none_is_looked_for_where_none_is_wanted(hospital: Hospital) -> None:
    profile = PROFILE.model_copy(update={"natural": 0.0})
    assert build_natural(hospital, load(), _asked(LAST), profile, SEED) == ()


def test_the_search_depends_on_nothing_but_names(found: tuple[Candidates, ...], hospital: Hospital) -> None:
    again = _pairs(build_natural(hospital, load(), _asked(NTH), PROFILE, SEED))
    assert again == [pair for pair in _pairs(found) if pair.noise.template == NTH]


def test_every_natural_fault_is_a_predicate_of_its_table(tmp_path: Path) -> None:
    """Wherever an operator says how records bear its fault, the engine can ask for them."""
    for table in TABLES.values():
        tiny_hospital.write(tmp_path, table.name, [])
    selections = [selection for example in EXAMPLES for selection in example().targets]
    selections += [t.example_stream.target for t in catalogue() if can_stand(t)]
    distinct = {(s.table, s.concept, s.support, s.where): s for s in selections}.values()
    borne: Counter[str] = Counter()
    with Hospital.open(tmp_path) as hospital, hospital.session() as session:
        for name, operator in operators().items():
            for fault, selection in ((operator.found_in(selection), selection) for selection in distinct):
                if isinstance(fault, Fault):
                    session.fetch(f"SELECT 1 FROM {selection.table} WHERE ({selection.concept}) AND ({fault.where})")
                borne[name] += fault is not None
    assert all(borne[name] for name, operator in operators().items() if operator.natural)


DEMO = {
    "cost-patient-drg_billed-at_admission-names": "target_missing",
    "labs-patient-culture_turnaround-arrival_to_discharge-highest": "time_coarse",
    "labs-patient-lab-emergency_department-first": "never_done",
}


def test_the_demo_has_natural_noise_at_every_level(demo_warehouse: Path) -> None:
    """Admissions without billing groups, cultures without an hour, tests that were never done."""
    asked = (
        Asked(name, name, {"register": "plain"}, 1, (), Split.TRAIN) for name in DEMO if not Template.parse(name).pools
    )
    more = (
        Asked(name, name, {"register": "plain", "concept": concept}, 1, (), Split.TRAIN)
        for name, concept in zip(list(DEMO)[1:], ("urine", "lactate"), strict=True)
    )
    with Hospital.open(demo_warehouse) as hospital:
        questions = Questions(asked=(*asked, *more), drops=(), left_out=())
        pairs = _pairs(build_natural(hospital, load(), questions, PROFILE, SEED))
        tasks = [row for pair in pairs for row in pair]
        assert {(pair.noise.template, pair.noise.operator) for pair in pairs} >= set(DEMO.items())
        assert {pair.noise.level for pair in pairs} == set(Level)
        assert scores(tasks, failures(tasks, hospital)) == DUE
