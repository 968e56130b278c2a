"""The guard lets an analyst read, and nothing else. What is refused stands here beside its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustgym.guard import Guard, Refused
from robustgym.hospital import Hospital
from schemas.tables import TABLES
from tests.shared_cases import cases
from tests.tiny_hospital import build

GUARD = Guard({name: table.names for name, table in TABLES.items()})

ALLOWED = (
    "SELECT count(*) FROM labevents WHERE itemid = 50813 -- lactate",
    "WITH labevents AS (SELECT 1 AS x) SELECT x FROM labevents",
    "WITH RECURSIVE t AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM t WHERE i < 9) SELECT max(i) FROM t",
    "FROM patients SELECT gender, count(*) GROUP BY ALL",
    "SELECT * EXCLUDE (comments) REPLACE (valuenum * 2 AS valuenum) FROM labevents",
    "SELECT subject_id, valuenum FROM labevents QUALIFY row_number() OVER (PARTITION BY subject_id) = 1",
    "SELECT list_transform([1, 2], lambda x: x + 1), {'a': 1}, '3'::DECIMAL(4, 1), INTERVAL 3 DAY",
    "SELECT i FROM range(10) AS r(i)",
    "SELECT list_aggregate(list(valuenum), 'sum') FROM labevents",
    "PIVOT patients ON gender IN ('F', 'M') USING count(*)",
    "DESCRIBE labevents",
    "SUMMARIZE patients",
    "SHOW TABLES",
    "show all tables;",
    "SELECT 1;",
    "VALUES (1), (2)",
    "SELECT 1 FROM patients AS p, LATERAL (SELECT p.subject_id) AS x",
)

DENIED = (
    ("WITH x AS (INSERT INTO patients SELECT * FROM patients RETURNING *) SELECT * FROM x", "INSERT inside WITH"),
    ("WITH x AS (COPY patients TO 'p.csv') SELECT * FROM x", "COPY inside WITH"),
    ("SELECT * FROM (WITH x AS (DELETE FROM patients RETURNING *) SELECT * FROM x)", "DELETE inside WITH"),
    ("DROP VIEW patients", "DROP is not available"),
    ("EXPLAIN SELECT 1", "EXPLAIN is not available"),
    ("SELECT 1; SELECT 2", "one statement"),
    ("", "no statement"),
    ("-- nothing", "no statement"),
    ("SELECT ?", "Parameters"),
    ("SELECT $1", "Parameters"),
    ("SELECT * FROM duckdb_tables()", "table function duckdb_tables"),
    ("SELECT * FROM (WITH duckdb_views AS (SELECT 1) SELECT 1), duckdb_views", "no table 'duckdb_views'"),
    ("SELECT * FROM information_schema.tables", "not available"),
    ("SELECT * FROM main.patients", "without a schema"),
    ("SELECT * FROM w.main.patients", "without a schema"),
    ("SELECT * FROM 'patients.parquet'", "no table"),
    ("SELECT * FROM read_csv('/etc/passwd')", "table function read_csv"),
    ("SELECT * FROM query('SELECT 1')", "table function query"),
    ("SELECT getenv('HOME')", "function getenv"),
    ("SELECT current_setting('memory_limit')", "function current_setting"),
    ("SELECT main.abs(1)", "without a schema"),
    ("SELECT stats(valuenum) FROM labevents", "function stats"),
    ("SELECT json_serialize_plan('SELECT 1')", "function json_serialize_plan"),
    ("SELECT now()", "no wall clock"),
    ("SELECT current_date", "no wall clock"),
    ("SELECT CURRENT_USER", "no wall clock"),
    ("SELECT age(admittime) FROM admissions", "wall clock"),
    ("SELECT random()", "can't be repeated"),
    ("SELECT approx_quantile(valuenum, 0.5) FROM labevents", "quantile_cont"),
    ("SELECT list_aggregate([1, 2], 'reservoir_quantile', 0.5)", "can't be repeated"),
    ("SELECT list_aggr(list(valuenum), comments) FROM labevents", "aggregate's name as a text"),
    ("SELECT * FROM labevents USING SAMPLE 10", "Sampling"),
    ("SELECT * FROM labevents TABLESAMPLE 5%", "Sampling"),
    ("SELECT * FROM patients POSITIONAL JOIN admissions", "POSITIONAL JOIN"),
    ("SELECT rowid FROM labevents", "no column 'rowid'"),
    ("SELECT l.rowid FROM labevents AS l", "no column 'rowid'"),
    ("SELECT repeat('x', 1000000000)", "too long"),
    ("SELECT * FROM range(1_000_000_000)", "too long"),
    ("SELECT * FROM labevent", "Did you mean labevents"),
    ("SELECT * FROM patch_labevents", "no table"),
    ("SELECT * FORM patients", "Syntax error"),
    ("PIVOT patients ON gender USING count(*)", "columns listed"),
    ("SELECT " + "(" * 200 + "1" + ")" * 200, "brackets"),
    ("SELECT " + "1 + " * 4_000 + "1", "nests too deeply"),
    ("SELECT " + "NOT " * 4_000 + "TRUE", "nests too deeply"),
    ("SELECT '" + "x" * 30_000 + "'", "characters long"),
    ("SELECT 1\x00", "not text"),
    ("SELECT '\ud800'", "not text"),
    ('WITH "a b" AS (SELECT 1) SELECT * FROM "a b"', "letters, digits"),
    ("SELECT * FROM \u212aabevents", "no table"),
)


@pytest.mark.parametrize("sql", ALLOWED)
def test_reading_is_allowed(sql: str) -> None:
    GUARD.read(sql)


@pytest.mark.parametrize(("sql", "reason"), DENIED, ids=lambda value: str(value)[:40])
def test_anything_else_is_refused(sql: str, reason: str) -> None:
    with pytest.raises(Refused, match=re.escape(reason)):
        GUARD.read(sql)


def test_what_a_statement_reads() -> None:
    reading = GUARD.read(
        'WITH p AS (SELECT * FROM Patients) SELECT * FROM p WHERE subject_id IN (SELECT subject_id FROM "labevents")'
    )
    assert reading.tables == {"patients", "labevents"}
    assert GUARD.read("DESCRIBE labevents").looks_at == {"labevents"}
    assert GUARD.read("SELECT * FROM labevents").looks_at == frozenset()


def test_every_attack_is_refused_and_every_harmless_one_read() -> None:
    found = cases("attacks.jsonl")
    assert len(found) >= 200
    wrong = []
    for case in found:
        try:
            GUARD.read(case["sql"])
            verdict = "allow"
        except Refused:
            verdict = "deny"
        if verdict != case["verdict"]:
            wrong.append((case["verdict"], case["class"], case["sql"][:80]))
    assert wrong == []


KEYWORDS = "select from where with as ( ) , * 'x' 1 recursive union all describe show pivot on using count"
words = st.sampled_from([*TABLES, *KEYWORDS.split()])


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60) | st.lists(words, max_size=25).map(" ".join))
def test_nothing_breaks_the_guard(sql: str) -> None:
    try:
        tables = GUARD.read(sql).tables
    except Refused:
        return
    assert tables <= set(TABLES)


# -- what an allowed statement is shown -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    with Hospital.open(build(tmp_path_factory.mktemp("tiny"))) as found:
        yield found


def test_cuts_are_announced(tiny: Hospital) -> None:
    with tiny.session() as session:
        rows = session.show("SELECT i FROM range(1000) AS r(i)")
        assert (len(rows.rows), rows.notice) == (
            200,
            "Only the first 200 rows are shown; there are more. Aggregate, filter or use LIMIT.",
        )
        cell = session.show("SELECT repeat('x', 2000) AS x")
        assert str(cell.rows[0][0]).endswith("… [2,000 characters]")
        assert cell.notice == "1 cells are cut to 500 characters."
        whole = session.show("SELECT repeat('x', 400) AS x FROM range(150)")
        assert len(whole.rows) < 50
        assert whole.notice is not None
        assert len(session.show("SELECT '" + "x" * 500 + "'").columns[0]) == 64
        wide = session.show("SELECT " + ", ".join(f"repeat('x', 450) AS c{i}" for i in range(50)))
        assert (wide.rows, wide.notice) == (
            (),
            "The first row is too long to show; select fewer columns, or parts of them.",
        )
        assert session.show("SELECT 1 AS x").notice is None


def test_a_session_outlives_its_errors(tiny: Hospital) -> None:
    with tiny.session() as session:
        for wrong in (
            "SELECT x FROM patients",
            "SELEC",
            "SELECT 1 // 0 + 'a'::INTEGER",
            "SELECT * FROM range(1000000)",
        ):
            session.show(wrong)
            assert session.show("SELECT count(*) FROM patients").rows == ((12,),)


@settings(max_examples=150, deadline=None)
@given(st.lists(words, max_size=12).map(" ".join))
def test_no_statement_breaks_a_session(tiny: Hospital, sql: str) -> None:
    with tiny.session() as session:
        shown = session.show(sql)
        assert shown.ok or shown.error
