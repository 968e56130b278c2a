"""Every kind, for every concept it can be about: routes or a reason, words, tables, and SQL that runs on the demo."""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from assets.pairs.records import cell
from assets.questions import Template, all_records_sql, ask, every_unit_sql, lint
from assets.questions.grammar import Kind, Stream
from assets.questions.kinds.resources import IMAGING
from assets.questions.template import admissible
from assets.questions.vocabulary import kinds, selectors
from noise_ops import NotApplicable, operators
from schemas.concepts import Concept, load
from schemas.overlays import Delete, Insert, Update
from schemas.questions import Question, Record, Role, Scope, Selection
from schemas.tables import TABLES

KINDS = kinds()
DICTIONARIES = {"provider", "caregiver", "d_items", "d_labitems", "d_icd_diagnoses", "d_icd_procedures", "d_hcpcs"}
UNITS = {"admissions", "icustays", "patients"}
WINDOWS = ("icu_stay", "admission", "whole_record")


def template_of(kind: Kind, window: str, selector: str) -> Template:
    return Template(kind.intent, Scope.PATIENT, kind.name, window, selector)


def concepts_of(kind: Kind) -> tuple[Concept | None, ...]:
    return admissible(template_of(kind, "admission", "names"), "concept") if kind.pool else (None,)


def streams_of(kind: Kind) -> Iterator[Stream]:
    for concept in concepts_of(kind):
        stream = kind.stream(concept) if concept else kind.stream()
        yield stream
        if stream.minus:
            yield stream.minus


def selections_of(stream: Stream) -> list[Selection]:
    found = [stream.target, stream.partner, stream.label, *(route.selection for route in stream.routes)]
    return [selection for selection in found if selection is not None]


def serving(stream: Stream) -> tuple[str, ...]:
    """A selector for each thing the kind has: one that counts, lists, measures, adds up time, or dates."""
    if stream.hit:
        return ("any_of", "count_of", "share_of")
    found = [("names", stream.text), ("highest", stream.value), ("covered", stream.end)]
    chosen = tuple(selector for selector, has in found if has and (selector != "highest" or stream.time))
    return chosen or (("first_time",) if stream.time else ("only",))


every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


def test_every_table_is_read_by_two_kinds() -> None:
    readers: defaultdict[str, set[str]] = defaultdict(set)
    for kind in KINDS.values():
        for stream in streams_of(kind):
            for selection in selections_of(stream):
                if selection.role is not Role.ROUTE:
                    readers[selection.table].add(kind.name)
    few = {table: readers[table] for table in TABLES if len(readers[table]) < (1 if table in UNITS else 2)}
    assert not few


def test_kinds_are_many_in_every_intent() -> None:
    assert len(KINDS) >= 90
    assert min(Counter(kind.intent for kind in KINDS.values()).values()) >= 10


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("lab", 60),
        ("vital", 30),
        ("order", 80),
        ("given", 80),
        ("diagnosis", 60),
        ("procedure", 20),
        ("billed", 15),
        ("infusion", 14),
        ("device", 8),
        ("output", 8),
        ("class_order", 20),
        ("time_in_unit", 9),
    ],
)
def test_kinds_can_be_about_many_concepts(kind: str, least: int) -> None:
    assert len(concepts_of(KINDS[kind])) >= least


@every_kind
def test_routes_or_a_reason(kind: Kind) -> None:
    for concept in concepts_of(kind):
        stream = kind.stream(concept) if concept else kind.stream()
        assert stream.routes or stream.no_route, concept
        for route in stream.routes:
            assert route.selection.role is Role.ROUTE
            assert route.selection.label


@every_kind
def test_selections_name_what_there_is(kind: Kind) -> None:
    for stream in streams_of(kind):
        for selection in selections_of(stream):
            table = TABLES[selection.table]
            named = {*selection.value, *selection.unit, *selection.time, *selection.names}
            assert named <= set(table.names), selection.label
            tests = sqlglot.parse_one(f"SELECT 1 FROM t WHERE {selection.test}", read="duckdb")
            assert {column.name for column in tests.find_all(exp.Column)} <= set(table.names), selection.label
        aliases = {"x": stream.target, "y": stream.partner, "l": stream.label}
        parts = [stream.time, stream.end, stream.value, stream.text, stream.hit, stream.joined, stream.named]
        for part in filter(None, parts):
            for column in sqlglot.parse_one(f"SELECT {part}", read="duckdb").find_all(exp.Column):
                if column.table != "f":
                    selected = aliases[column.table]
                    assert selected is not None, part
                    assert column.name in TABLES[selected.table], part


@every_kind
def test_dictionaries_are_labels_and_labels_are_dictionaries(kind: Kind) -> None:
    for stream in streams_of(kind):
        assert {s.table for s in selections_of(stream) if s.role is not Role.LABEL}.isdisjoint(DICTIONARIES)
        assert bool(stream.label) == bool(stream.named)
        if stream.label:
            assert stream.label.table in DICTIONARIES
            assert stream.label.concept == "TRUE"  # a filter there would leave targets that mean something else
            assert stream.target.role is Role.TARGET
            assert any("l." in part for part in (stream.text, stream.hit)), "joined and not read"


@every_kind
def test_a_no_rests_on_declared_coverage(kind: Kind) -> None:
    for stream in streams_of(kind):
        if stream.hit:
            words = stream.words
            assert all((words.happened, words.counted, words.events, words.whole, words.part, words.counts))
            assert not stream.value + stream.end, "a closed world is counted, not measured"


@every_kind
def test_phrases_fill_the_slots(kind: Kind) -> None:
    for stream in streams_of(kind):
        words = stream.words
        assert words.counts
        if stream.text:
            assert words.entries
            assert words.listed
        if stream.end:
            assert words.running or stream.value
        if stream.time and not (stream.text or stream.value or stream.hit):
            assert words.event
            assert words.events
        assert not stream.definition or kind.pool or words.value, "a definition explains a name"


@every_kind
def test_words_and_reference_of_every_concept(kind: Kind) -> None:
    """The text has no hole, and the reference keeps the rules."""
    for n, concept in enumerate(concepts_of(kind)):
        stream = kind.stream(concept) if concept else kind.stream()
        for selector in serving(stream):
            window = "at_admission" if selector == "only" else "admission"
            template = template_of(kind, window, selector)
            parameters = {"subject_id": 1, "hadm_id": 2} | ({"concept": concept.id} if concept else {})
            question = ask(template, parameters)
            own = stream.words.own.get(selector)
            pattern = own[0] if own else selectors()[selector].asks
            said = template_words(stream)
            for _, name, _, _ in string.Formatter().parse(pattern):
                assert not name or name not in said or said[name], f"{selector}: {{{name}}} is empty"
            sentence = question.text.split(" Here, ")[0].split(" Answer with ")[0]
            assert "  " not in sentence
            assert not set("{}") & set(question.text)
            assert "Here,  means" not in question.text
            if n == 0:
                assert lint(question) == []


def template_words(stream: Stream) -> dict[str, str]:
    """The phrases a pattern can name."""
    names = ("value", "event", "events", "running", "happened", "counted", "entries", "listed", "whole", "part")
    return {name: getattr(stream.words, name) for name in names}


# -- on the demo ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hospital(demo_warehouse: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The demo as views with row numbers; tables it lacks are empty."""
    with duckdb.connect(config={"threads": 2}) as connection:
        for table in TABLES.values():
            file = demo_warehouse / f"{table.path}.parquet"
            if file.is_file():
                read = f"SELECT * EXCLUDE file_row_number, file_row_number AS row_id FROM read_parquet('{file}', "
                connection.execute(f"CREATE VIEW {table.name} AS {read} file_row_number = true)")
            else:
                declared = ", ".join(f"{column.name} {column.type.duckdb}" for column in table.columns)
                connection.execute(f"CREATE TABLE {table.name} ({declared}, row_id BIGINT)")
        yield connection


@every_kind
def test_kind_on_the_demo(hospital: duckdb.DuckDBPyConnection, kind: Kind) -> None:
    """Its statements run in every sort of unit, and the demo has answers unless it lacks the table."""
    concept = concepts_of(kind)[0]
    stream = kind.stream(concept) if concept else kind.stream()
    found = 0
    for selector in serving(stream):
        for window in WINDOWS if selector != "only" else ("at_admission", "at_icu_admission"):
            template = template_of(kind, window, selector)
            rows = hospital.execute(every_unit_sql(template, {"concept": concept.id} if concept else {})).fetchall()
            found += len(rows)
    assert found > 0 or "chartevents" in {s.table for s in selections_of(stream)}


def test_no_operator_but_its_own_touches_a_dictionary(hospital: duckdb.DuckDBPyConnection) -> None:
    """Noise about one patient lies in that patient's records; a gap in the dictionary is a fault of its own."""
    names = [kind.name for kind in KINDS.values() if next(streams_of(kind)).label]
    assert len(names) >= 20
    applied = 0
    for name in names[::4]:
        question = recorded(hospital, KINDS[name])
        for operator in operators().values():
            if operator.name == "dictionary_gap":
                continue
            for severity in operator.severities:
                try:
                    noise = operator.apply(question, Random(0), severity)
                except NotApplicable:
                    continue
                overlays = (noise.overlay, *noise.worlds) if noise.overlay else noise.worlds
                for overlay in overlays:
                    assert {edit.table for edit in overlay.edits}.isdisjoint(DICTIONARIES), operator.name
                    assert all(isinstance(edit, Insert | Update | Delete) for edit in overlay.edits)
                applied += 1
    assert applied >= 20


def recorded(hospital: duckdb.DuckDBPyConnection, kind: Kind) -> Question:
    """A question of the kind about one unit of the demo, with its records."""
    concept = concepts_of(kind)[0]
    filling = {"concept": concept.id} if concept else {}
    for window in WINDOWS:
        template = template_of(kind, window, serving(next(streams_of(kind)))[0])
        rows = hospital.execute(every_unit_sql(template, filling)).fetchall()
        if rows:
            question = ask(template, filling | dict(zip(template.unit.ids, rows[0], strict=False)))
            return question.with_(records=tuple(records(hospital, question)), gold=1)
    raise AssertionError(f"{kind.name}: the demo answers nothing")


def records(hospital: duckdb.DuckDBPyConnection, question: Question) -> Iterator[Record]:
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for name, row in hospital.execute(all_records_sql(question)).fetchall():
        numbers[name].add(row)
    for selection in question.selections:
        wanted = ", ".join(map(str, sorted(numbers[selection.name]))) or "-1"
        cursor = hospital.execute(f"SELECT * FROM {selection.table} WHERE row_id IN ({wanted}) ORDER BY row_id")
        columns = [name for name, *_ in cursor.description or ()]
        for row in cursor.fetchall():
            values = {column: cell(value) for column, value in zip(columns, row, strict=True)}
            number = values.pop("row_id")
            yield Record(selection.name, selection.table, int(str(number)), values.get("subject_id"), values)  # type: ignore[arg-type]


def test_a_label_is_listed_among_the_records(hospital: duckdb.DuckDBPyConnection) -> None:
    question = recorded(hospital, KINDS["titles"])
    [label] = question.selections_of(Role.LABEL)
    codes = {(r["icd_code"], r["icd_version"]) for r in question.records if r.table == "diagnoses_icd"}
    assert {(r["icd_code"], r["icd_version"]) for r in question.records_of(label)} == codes
    assert label not in question.targets


def test_filters_name_concepts_that_exist() -> None:
    for kind in KINDS.values():
        assert kind.only <= (set(load().of(kind.pool)) if kind.pool else set()), kind.name


def answers(hospital: duckdb.DuckDBPyConnection, id_: str, **filling: str) -> dict[int, object]:
    """Every unit's answer, by its id."""
    template = Template.parse(id_)
    rows = hospital.execute(every_unit_sql(template, filling)).fetchall()
    return {row[len(template.unit.ids) - 1]: row[-1] for row in rows}


@pytest.mark.parametrize(
    ("window", "side"),
    [
        ("year_before_admission", "p.chartdate < CAST(u.admittime AS DATE)"),
        ("after_discharge_90d", "p.chartdate > CAST(u.dischtime AS DATE)"),
    ],
)
def test_procedures_of_the_admission_are_not_of_the_time_around_it(
    hospital: duckdb.DuckDBPyConnection, window: str, side: str
) -> None:
    """Most are dated on a day of the admission, its first included, and the window begins or ends on that day."""
    near = (
        "date_diff('day', CAST(u.admittime AS DATE), p.chartdate) >= -365 AND "
        if "year" in window
        else ("p.chartdate <= CAST(u.dischtime + INTERVAL '90 days' - INTERVAL '1 second' AS DATE) AND ")
    )
    told = answers(hospital, f"diagnoses-patient-procedure_codes-{window}-days_with")
    by_hand = hospital.execute(
        "SELECT u.hadm_id, count(DISTINCT p.chartdate) FROM admissions AS u JOIN procedures_icd AS p "
        f"USING (subject_id) WHERE u.admittime < u.dischtime AND {near}{side} GROUP BY ALL"
    ).fetchall()
    assert told == dict(by_hand)
    assert len(told) > 30


def test_a_service_noted_before_the_admission_is_its_first(hospital: duckdb.DuckDBPyConnection) -> None:
    told = answers(hospital, "demographics-patient-service-arrival_to_discharge-first_names")
    first = hospital.execute(
        "SELECT hadm_id, [arg_min(curr_service, transfertime)] FROM services GROUP BY ALL"
    ).fetchall()
    assert told == dict(first)


def test_a_specimen_counts_once(hospital: duckdb.DuckDBPyConnection) -> None:
    told = answers(hospital, "labs-patient-culture_growth-whole_record-count_of", concept="urine")
    grown = hospital.execute(
        "SELECT subject_id, count(DISTINCT micro_specimen_id) FILTER (org_name <> 'CANCELLED') FROM microbiologyevents "
        "WHERE spec_type_desc = 'URINE' AND charttime IS NOT NULL GROUP BY ALL"
    ).fetchall()
    assert told == dict(grown)


def test_no_order_of_a_code_status_is_no_order_against_resuscitation(hospital: duckdb.DuckDBPyConnection) -> None:
    told = answers(hospital, "demographics-patient-limited_code-admission-any_of")
    dated = hospital.execute(
        "SELECT DISTINCT poe.hadm_id FROM poe_detail JOIN poe USING (poe_id) JOIN admissions USING (hadm_id) "
        "WHERE transaction_type IN ('New', 'Change') AND ordertime >= admittime AND ordertime < dischtime"
    ).fetchall()
    assert {(hadm_id,) for hadm_id in told} == set(dated)
    assert len(told) > 250


def test_a_changed_order_says_the_code_status(hospital: duckdb.DuckDBPyConnection) -> None:
    told = answers(hospital, "demographics-patient-limited_code-admission-any_of")
    against = hospital.execute(
        "SELECT DISTINCT hadm_id FROM poe_detail JOIN poe USING (poe_id) JOIN admissions USING (hadm_id) "
        "WHERE field_name = 'Code status' AND (field_value LIKE 'Do not%' OR field_value LIKE 'DNAR%') "
        "AND transaction_type <> 'D/C' AND ordertime >= admittime AND ordertime < dischtime"
    ).fetchall()
    assert {(hadm_id,) for hadm_id, said in told.items() if said} == set(against)
    assert len(against) > 20


def test_chest_tubes_are_drains_and_irrigant_is_no_output(hospital: duckdb.DuckDBPyConnection) -> None:
    drains = answers(hospital, "vitals-patient-drained-icu_stay-any_of")
    tubes = hospital.execute(
        "SELECT DISTINCT stay_id FROM outputevents JOIN icustays USING (stay_id) JOIN d_items USING (itemid) "
        "WHERE (label LIKE 'Chest Tube%' OR label LIKE '%Pleural%' OR label = 'Mediastinal') "
        "AND value BETWEEN 0 AND 5000 AND charttime >= intime AND charttime < outtime"
    ).fetchall()
    assert len(tubes) > 20
    assert all(drains[stay_id] for (stay_id,) in tubes)
    named = answers(hospital, "vitals-patient-output_route-icu_stay-names")
    said = {name for names in named.values() if isinstance(names, list) for name in names}
    assert "Foley" in said
    assert not said & {"GU Irrigant Volume In", "TF Residual", "Pre-Admission"}


def test_imaging_is_what_the_dictionary_says(hospital: duckdb.DuckDBPyConnection) -> None:
    found = hospital.execute("SELECT itemid FROM d_items WHERE category = '5-Imaging' ORDER BY itemid").fetchall()
    assert tuple(itemid for (itemid,) in found) == IMAGING


def test_a_line_is_named_wherever_it_was_in_place(hospital: duckdb.DuckDBPyConnection) -> None:
    placed = answers(hospital, "cost-patient-line_in_place-last_24h_of_stay-first_names")
    in_place = answers(hospital, "cost-patient-line_in_place-last_24h_of_stay-names")
    assert len(in_place) > len(placed) > 0


def test_details_belong_to_the_admission_of_their_order() -> None:
    """Else a dose whose link is lost could be placed by its detail."""
    for id_ in ("medications-patient-dose_given-admission-total", "cost-patient-order_detail-admission-names"):
        template = Template.parse(id_)
        concept = admissible(template, "concept")[0].id
        question = ask(template, {"subject_id": 1, "hadm_id": 2, "concept": concept})
        assert "records belong to the admission by their hadm_id" in question.text
