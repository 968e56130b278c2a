"""What is checked before a release: the profile of the tables, the contracts, the concepts; on the demo and on rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from assets.staging import find_source, stage_table
from assets.validation.concept_check import check_concepts
from assets.validation.contracts import check_pairs, check_profile
from assets.validation.model_check import wordings
from assets.validation.table_profile import ColumnProfile, profile_table, profile_tables
from robustgym.hospital import Hospital
from robustgym.warehouse import Warehouse
from schemas.answers import AnswerKind, AnswerType
from schemas.concepts import Pool, load
from schemas.noise import Level, Promise
from schemas.overlays import Delete, Overlay, Update
from schemas.pairs import Condition, GoldRow, Split
from schemas.questions import Intent, Scope
from schemas.tables import TABLES

STAGED = ("patients", "admissions", "d_labitems", "d_items", "d_icd_diagnoses", "omr", "transfers")


@pytest.fixture(scope="module")
def warehouse(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    """Some of the demo's tables, staged."""
    place = tmp_path_factory.mktemp("warehouse")
    source = find_source(demo)
    for name in STAGED:
        stage_table(source, TABLES[name], place)
    return Warehouse.open(place)


@pytest.fixture(scope="module")
def profile(warehouse: Warehouse) -> tuple[ColumnProfile, ...]:
    return profile_tables(warehouse)


# -- the tables -----------------------------------------------------------------------------------------------------


def test_the_profile_has_one_row_per_column(profile: tuple[ColumnProfile, ...]) -> None:
    assert [(p.table, p.column) for p in profile] == [
        (name, column) for name in TABLES if name in STAGED for column in TABLES[name].names
    ]
    columns = {(p.table, p.column): p for p in profile}
    age = columns["patients", "anchor_age"]
    assert (age.rows, age.null_fraction, age.lowest, age.highest) == (100, 0.0, "21", "91")
    assert columns["patients", "gender"].distinct == 2
    assert columns["patients", "gender"].highest == "1", "of a text, its length"


def test_a_profile_does_not_depend_on_threads(warehouse: Warehouse) -> None:
    table = TABLES["transfers"]
    one, two = (profile_table(table, warehouse.files["transfers"], threads=n) for n in (1, 2))
    assert one == two


def test_an_empty_table_has_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "provider.parquet"
    duckdb.sql(f"COPY (SELECT NULL::VARCHAR AS provider_id WHERE FALSE) TO '{file}'")
    [column] = profile_table(TABLES["provider"], [file])
    assert (column.rows, column.null_fraction, column.distinct, column.lowest) == (0, 0.0, 0, None)


def test_the_demo_keeps_the_rules_of_the_tables(profile: tuple[ColumnProfile, ...]) -> None:
    assert check_profile(profile) == ()


@pytest.mark.parametrize(
    ("table", "column", "broken", "said"),
    [
        ("admissions", "hadm_id", {"null_fraction": 0.1}, "null_fraction"),
        ("patients", "subject_id", {"lowest": "-7"}, "lowest_number"),
        ("admissions", "admittime", {"lowest": "1970-01-01 00:00:00"}, "1970-01-01"),
        ("transfers", "careunit", {"table": "wards"}, "wards"),
        ("patients", "gender", {"distinct": 101}, "distinct"),
    ],
)
def test_a_broken_rule_of_the_tables_is_named(
    profile: tuple[ColumnProfile, ...], table: str, column: str, broken: dict[str, Any], said: str
) -> None:
    spoilt = [replace(p, **broken) if (p.table, p.column) == (table, column) else p for p in profile]
    found = check_profile(spoilt)
    assert found
    assert any(said in str(rule) for rule in found)


# -- the pairs ------------------------------------------------------------------------------------------------------


def task(condition: Condition, **changes: Any) -> GoldRow:
    row = GoldRow(
        pair_id="00000000000000aa",
        task_id=("0" if condition is Condition.CLEAN else "1") * 16,
        condition=condition,
        split=Split.TEST,
        intent=Intent.LABS,
        scope=Scope.PATIENT,
        level=Level.RECORD,
        operator="target_missing",
        severity="all",
        template="labs-patient-first",
        parameters={"hadm_id": 1},
        question="What was the first lactate of admission 1, in mmol/L?",
        answer=AnswerType(kind=AnswerKind.QUANTITY, unit="mmol/L", decimals=1),
        reference_sql="SELECT 1",
        gold=4.2 if condition is Condition.CLEAN else None,
        records=(),
        overlay=Overlay(edits=(Delete(table="labevents", row=3, subject_id=1, before={"itemid": 50813}),)),
        worlds=(),
        schema_evidence=(),
        witness_sql="SELECT 1",
        promise=Promise.ABSTENTION,
        subject_ids=(1,),
        tables=("labevents",),
    )
    return row.model_copy(update=changes)


CLEAN, NOISE = task(Condition.CLEAN), task(Condition.NOISE)


def test_a_pair_as_it_should_be_keeps_its_contract() -> None:
    assert check_pairs([CLEAN, NOISE]) == ()


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ((CLEAN, task(Condition.NOISE, task_id=CLEAN.task_id)), "unique"),
        ((CLEAN, task(Condition.CLEAN, task_id="2" * 16)), "compound"),
        ((task(Condition.CLEAN, gold=None), NOISE), "abstains"),
        ((CLEAN, task(Condition.NOISE, gold=4.2)), "abstains"),
        ((CLEAN, task(Condition.NOISE, level=Level.QUERY)), "edits"),
        ((task(Condition.CLEAN, subject_ids=()), NOISE), "patients"),
        ((task(Condition.CLEAN, question="Lactate?"), NOISE), "question"),
        ((task(Condition.CLEAN, reference_sql="DELETE FROM labevents"), NOISE), "reference_sql"),
    ],
)
def test_a_broken_contract_is_named(pair: tuple[GoldRow, GoldRow], said: str) -> None:
    assert any(said in str(rule) for rule in check_pairs(pair))


# -- the concepts ---------------------------------------------------------------------------------------------------


def test_what_a_source_lacks_of_the_concepts_is_told(warehouse: Warehouse) -> None:
    with Hospital.open(warehouse) as hospital:
        check = check_concepts(load(), hospital)
    assert check.renamed == ()
    lacking = {(lack.pool, lack.id): lack.why for lack in check.lacking}
    assert (Pool.LAB, "creatinine") not in lacking
    assert lacking[Pool.HCPCS, "emergency_visit"] == "the source has no hcpcsevents"
    left = check.left(load())
    assert not left.of(Pool.ORDERED_DRUG), "prescriptions were not staged"
    assert "creatinine" in left.of(Pool.LAB)
    assert {pool: len(found) for pool, found in load().pools.items()} == dict(check.curated)


def test_the_demo_knows_every_concept_but_services_nobody_had(demo_warehouse: Path) -> None:
    with Hospital.open(demo_warehouse) as hospital:
        check = check_concepts(load(), hospital)
    assert check.renamed == ()
    assert {(lack.pool, lack.why) for lack in check.lacking} == {(Pool.HCPCS, "no hcpcs_cd spelt so in hcpcsevents")}
    assert sum(check.curated.values()) > 600


def test_an_item_that_is_gone_or_renamed_is_told(warehouse: Warehouse, tmp_path: Path) -> None:
    for name, files in warehouse.files.items():
        target = tmp_path / f"{TABLES[name].path}.parquet"
        target.parent.mkdir(exist_ok=True)
        statement = f"SELECT * FROM read_parquet('{files[0]}')"
        if name == "d_labitems":
            statement = f"""SELECT * REPLACE (CASE itemid WHEN 50912 THEN 'Creatine' ELSE label END AS label)
                FROM ({statement}) WHERE itemid <> 50813"""
        duckdb.sql(f"COPY ({statement}) TO '{target}'")
    with Hospital.open(tmp_path) as hospital:
        check = check_concepts(load(), hospital)
    assert {lack.id: lack.why for lack in check.lacking if lack.pool is Pool.LAB} == {
        "lactate": "no such item in d_labitems",
        "creatinine": "itemid 50912 is 'Creatine' here, 'Creatinine' in the curated table",
    }
    assert [(r.itemid, r.curated, r.here) for r in check.renamed] == [(50912, "Creatinine", "Creatine")]


# -- what a model reads ---------------------------------------------------------------------------------------------


def test_a_model_reads_what_was_done() -> None:
    summaries = {"target_missing": "Remove every record that carries the answer."}
    [wording] = wordings([CLEAN, NOISE], summaries)
    assert wording.change == (
        "in the record. Remove every record that carries the answer. labevents: a row removed, itemid 50813"
    )
    edit = Update(table="labevents", row=3, subject_id=1, before={"valuenum": 4.2}, after={"valuenum": None})
    [wording] = wordings([CLEAN, task(Condition.NOISE, overlay=Overlay(edits=(edit,)))], summaries)
    assert "valuenum 4.2 became None" in wording.text
    reworded = task(Condition.NOISE, overlay=Overlay(), parameters={"hadm_id": 2}, question="What of admission 2?")
    [wording] = wordings([CLEAN, reworded], summaries)
    assert wording.change.startswith("in the question.")
    assert "hadm_id: 1 became 2" in wording.change
