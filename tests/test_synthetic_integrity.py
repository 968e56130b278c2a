# ruff: noqa: E501  (a query reads better on one line)
"""The synthetic hospital holds together: columns, keys, times."""

from __future__ import annotations

import pytest

from schemas.tables import TABLES
from tests.synthetic_queries import PATIENTS, count, hospital, value

FOREIGN_KEYS = [(table, key) for table in TABLES.values() for key in table.foreign_keys]


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_as_declared(name: str) -> None:
    described = hospital().sql(f"DESCRIBE {name}").fetchall()
    assert [row[0] for row in described] == list(TABLES[name].names)
    assert [row[1] for row in described] == [column.type.duckdb for column in TABLES[name].columns]


@pytest.mark.parametrize("name", TABLES)
def test_required_columns_are_never_null(name: str) -> None:
    for column in TABLES[name].columns:
        if column.required:
            assert count(f'SELECT 1 FROM {name} WHERE "{column.name}" IS NULL') == 0, column.name


@pytest.mark.parametrize(("table", "key"), FOREIGN_KEYS, ids=[f"{t.name}.{k.columns[0]}" for t, k in FOREIGN_KEYS])
def test_every_foreign_key_resolves(table, key) -> None:
    joined = " AND ".join(f"a.{ours} = b.{theirs}" for ours, theirs in zip(key.columns, key.references, strict=True))
    given = " AND ".join(f"a.{column} IS NOT NULL" for column in key.columns)
    orphans = (
        f"SELECT 1 FROM {table.name} AS a WHERE {given} AND NOT EXISTS (SELECT 1 FROM {key.table} AS b WHERE {joined})"
    )
    assert count(orphans) == 0


# Duplicates that MIMIC-IV has too: an order entered again, a value of the day repeated, an infusion rewritten.
REPEATED = {"omr", "prescriptions", "chartevents", "inputevents", "emar_detail"}


@pytest.mark.parametrize("name", [name for name in TABLES if name not in REPEATED])
def test_keys_are_unique(name: str) -> None:
    keys = ", ".join(TABLES[name].key)
    assert count(f"SELECT {keys} FROM {name} GROUP BY {keys} HAVING count(*) > 1") == 0


@pytest.mark.parametrize("name", sorted(REPEATED))
def test_keys_repeat_rarely_where_they_may(name: str) -> None:
    keys = ", ".join(f'"{key}"' for key in TABLES[name].key)
    assert count(f"SELECT {keys} FROM {name} GROUP BY {keys} HAVING count(*) > 1") < 0.06 * count(f"FROM {name}")


# What must not be, and the share of rows that declared faults may spoil (31, 32, 43, 57).
NEVER = [
    ("FROM icustays JOIN admissions USING (hadm_id) WHERE intime < admittime", "icustays", 0.001),
    ("FROM icustays WHERE outtime < intime", "icustays", 0.005),
    ("FROM admissions WHERE dischtime <= admittime", "admissions", 0.002),
    ("FROM labevents JOIN admissions USING (hadm_id) WHERE charttime > dischtime", "labevents", 0.002),
    (
        "FROM labevents JOIN admissions USING (hadm_id) WHERE charttime < coalesce(edregtime, admittime)",
        "labevents",
        0.0001,
    ),
    (
        "FROM chartevents JOIN icustays USING (stay_id) WHERE charttime NOT BETWEEN intime - INTERVAL 1 HOUR AND outtime",
        "chartevents",
        0.004,
    ),
    ("FROM inputevents WHERE endtime <= starttime", "inputevents", 0.0),
    (
        "FROM inputevents JOIN icustays USING (stay_id) WHERE starttime NOT BETWEEN intime - INTERVAL 1 HOUR AND outtime",
        "inputevents",
        0.005,
    ),
    (
        "FROM outputevents JOIN icustays USING (stay_id) WHERE charttime NOT BETWEEN intime AND outtime",
        "outputevents",
        0.005,
    ),
    ("FROM emar JOIN admissions USING (hadm_id) WHERE charttime > dischtime", "emar", 0.003),
    ("FROM emar JOIN poe USING (poe_id) WHERE charttime < ordertime - INTERVAL 2 HOUR", "emar", 0.001),
    ("FROM labevents WHERE storetime < charttime", "labevents", 0.0),
    ("FROM transfers WHERE outtime < intime", "transfers", 0.0),
    ("FROM procedureevents WHERE endtime <= starttime", "procedureevents", 0.0),
    ("FROM labevents JOIN patients USING (subject_id) WHERE charttime > dod + INTERVAL 1 DAY", "labevents", 0.001),
    ("FROM admissions WHERE (hospital_expire_flag = 1) <> (deathtime IS NOT NULL)", "admissions", 0.0),
    (
        "FROM admissions WHERE (hospital_expire_flag = 1) <> (coalesce(discharge_location, '') = 'DIED')",
        "admissions",
        0.0,
    ),
]


@pytest.mark.parametrize(("wrong", "table", "share"), NEVER, ids=[wrong[5:60] for wrong, _, _ in NEVER])
def test_times_agree_apart_from_declared_faults(wrong: str, table: str, share: float) -> None:
    assert count(f"SELECT 1 {wrong}") <= share * count(f"FROM {table}")


def test_wards_follow_each_other_without_a_gap() -> None:
    gaps = """
        SELECT 1 FROM (
            SELECT outtime, lead(intime) OVER (PARTITION BY hadm_id ORDER BY intime) AS following
            FROM transfers WHERE hadm_id IS NOT NULL AND eventtype <> 'ED'
        ) WHERE outtime <> following
    """
    assert count(gaps) == 0


def test_every_icu_stay_begins_with_a_transfer_to_its_unit() -> None:
    absent = """
        SELECT 1 FROM icustays AS i WHERE NOT EXISTS (
            SELECT 1 FROM transfers AS t
            WHERE t.hadm_id = i.hadm_id AND t.intime = i.intime AND t.careunit = i.first_careunit
        )
    """
    assert count(absent) == 0


def test_every_admission_ends_with_one_discharge_row() -> None:
    assert count("SELECT 1 FROM transfers WHERE eventtype = 'discharge'") == count("FROM admissions")


def test_death_is_known_for_a_year_after_the_last_discharge() -> None:
    beyond = """
        SELECT 1 FROM patients JOIN (SELECT subject_id, max(dischtime) AS last FROM admissions GROUP BY subject_id)
        USING (subject_id) WHERE dod > last + INTERVAL 366 DAY
    """
    assert count(beyond) <= 2


def test_emar_follows_the_order_it_names() -> None:
    strangers = """
        SELECT 1 FROM emar AS e JOIN prescriptions AS p ON p.pharmacy_id = e.pharmacy_id
        WHERE p.poe_id IS NOT NULL AND p.poe_id <> e.poe_id
    """
    assert count(strangers) == 0


def test_proportions_are_those_of_mimic_iv() -> None:
    admissions = count("FROM admissions")
    assert admissions / PATIENTS == pytest.approx(546_028 / 364_627, rel=0.08)
    assert count("FROM icustays") / admissions == pytest.approx(94_458 / 546_028, rel=0.12)
    for name, rows in {
        "labevents": 158_374_764, "chartevents": 432_997_491, "emar": 42_808_593, "emar_detail": 87_371_064,
        "poe": 52_212_109, "pharmacy": 17_847_567, "prescriptions": 20_292_611, "diagnoses_icd": 6_364_488,
        "inputevents": 10_953_713, "outputevents": 5_359_395, "omr": 7_753_027, "transfers": 2_413_581,
        "datetimeevents": 9_979_761, "ingredientevents": 14_253_480, "procedureevents": 808_706,
        "drgcodes": 761_856, "services": 593_071, "microbiologyevents": 3_988_224,
    }.items():  # fmt: skip
        assert count(f"FROM {name}") / admissions == pytest.approx(rows / 546_028, rel=0.5), name


def test_readmissions_and_visits_surround_admissions() -> None:
    """Windows such as `365 days before` and `90 days after` hold something."""
    again = "SELECT 1 FROM admissions AS a JOIN admissions AS b USING (subject_id) WHERE b.admittime > a.dischtime"
    assert count(f"{again} AND b.admittime < a.dischtime + INTERVAL 365 DAY") > 500
    clinic = "SELECT DISTINCT hadm_id FROM admissions AS a JOIN omr AS o USING (subject_id) WHERE o.chartdate"
    assert count(f"{clinic} BETWEEN a.admittime - INTERVAL 365 DAY AND a.admittime") > 0.4 * count("FROM admissions")
    after = (
        "SELECT DISTINCT a.hadm_id FROM admissions AS a JOIN labevents AS l USING (subject_id) WHERE l.hadm_id IS NULL"
    )
    inside = "l.charttime BETWEEN a.dischtime AND a.dischtime + INTERVAL 90 DAY"
    assert count(f"{after} AND {inside}") > 0.3 * count("FROM admissions")


def test_sorted_by_patient() -> None:
    for name, table in TABLES.items():
        if table.patient:
            back = f"SELECT 1 FROM (SELECT subject_id - lag(subject_id) OVER (ORDER BY rowid) AS step FROM {name}) WHERE step < 0"
            assert count(back) == 0, name


def test_some_patients_are_coded_in_both_icd_versions() -> None:
    both = "SELECT subject_id FROM diagnoses_icd GROUP BY subject_id HAVING count(DISTINCT icd_version) = 2"
    assert 0.02 < count(both) / value("SELECT count(DISTINCT subject_id) FROM diagnoses_icd") < 0.35
