"""Laying an overlay is the same as making its edits in the table's rows, and lifting it leaves nothing behind."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robustgym.hospital import Hospital
from robustgym.overlay_views import EDITS_IN_CASE, SUBJECTS_IN_FILTER
from schemas.errors import InputError
from schemas.overlays import (
    CopyWhere,
    Delete,
    DeleteWhere,
    Edit,
    Insert,
    Overlay,
    SetEdit,
    Update,
    UpdateWhere,
    Value,
)
from schemas.questions import literal
from schemas.tables import TABLES, Column, ColumnType
from tests.tiny_hospital import START, SUBJECTS, Row, build, ordered, rows

CLEAN = rows()
EDITED = ("labevents", "admissions", "d_labitems")
SWEEP = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hospital]:
    with Hospital.open(build(tmp_path_factory.mktemp("tiny"))) as found:
        yield found


def read(hospital: Hospital, table: str, overlay: Overlay = Overlay(), **how: Any) -> list[Row]:  # noqa: B008
    with hospital.session(overlay, **how) as session:
        return session.fetch(f"SELECT * FROM {table}")[1]


def as_value(cell: Any) -> Value:
    """A cell as an overlay writes it."""
    return str(cell) if isinstance(cell, datetime | date) else cell


# -- row by row -------------------------------------------------------------------------------------------------------


def cells(column: Column) -> st.SearchStrategy[Any]:
    match column.type:
        case ColumnType.INTEGER:
            return st.none() | st.sampled_from((50813, 50912, 3, -1, 2**31 - 1))
        case ColumnType.DOUBLE:
            return st.none() | st.floats(allow_nan=False, allow_infinity=False)
        case ColumnType.TEXT:
            return st.none() | st.sampled_from(("", "0389", " 4019", "it's", '"q"', "___", "µmol/L", "a; DROP TABLE x"))
        case ColumnType.TIMESTAMP:
            return st.none() | st.datetimes(START, START + timedelta(days=40_000)).map(
                lambda t: t.replace(microsecond=0)
            )
        case _:
            return st.none() | st.dates(date(2100, 1, 1), date(2200, 1, 1))


@st.composite
def row_overlays(draw: st.DrawFn) -> Overlay:
    table = TABLES[draw(st.sampled_from(EDITED))]
    clean, edits = CLEAN[table.name], list[Edit]()
    for number in draw(st.lists(st.integers(0, len(clean) - 1), max_size=8, unique=True)):
        record = dict(zip(table.names, clean[number], strict=True))
        whose = {"table": table.name, "subject_id": record.get("subject_id"), "row": number}
        changed = draw(st.lists(st.sampled_from(table.columns), max_size=4, unique=True))
        before = {column.name: as_value(record[column.name]) for column in changed}
        if changed and draw(st.booleans()):
            after = {c.name: as_value(draw(owners if c.name == "subject_id" else cells(c))) for c in changed}
            edits.append(Update(**whose, before=before, after=after))
        else:
            edits.append(Delete(**whose, before=before))
    for _ in range(draw(st.integers(0, 3))):
        given_ = draw(st.lists(st.sampled_from(table.columns), max_size=5, unique=True))
        after = {c.name: as_value(draw(cells(c))) for c in given_}
        if table.patient:
            after["subject_id"] = draw(owners)
        edits.append(Insert(table=table.name, subject_id=after.get("subject_id"), after=after))
    return Overlay(edits=tuple(edits))


owners = st.sampled_from((*SUBJECTS[:4], 19_999_999))


def edited(overlay: Overlay, name: str) -> list[Row]:
    """The table's rows with the edits made in Python.

    As the view has them: edited patients come last; of a dictionary, the stretch that is edited is in its place.
    """
    table, hit = TABLES[name], set[Any]()
    records: dict[int, Row | None] = dict(enumerate(CLEAN[name]))
    new: list[Row] = []
    for edit in overlay.edits:
        match edit:
            case Update():
                record = dict(zip(table.names, CLEAN[name][edit.row], strict=True))
                hit |= {record.get("subject_id"), edit.after.get("subject_id", record.get("subject_id"))}
                record |= {column: parsed(value, table[column]) for column, value in edit.after.items()}
                records[edit.row] = tuple(record.values())
            case Delete():
                hit.add(edit.subject_id)
                records[edit.row] = None
            case Insert():
                hit.add(edit.after.get("subject_id"))
                values = {column: parsed(value, table[column]) for column, value in edit.after.items()}
                new.append(tuple(values.get(column) for column in table.names))
    left = [record for record in records.values() if record is not None]
    if not table.patient:
        touched = [edit.row for edit in overlay.edits if isinstance(edit, Update | Delete)]
        first, last = (0, len(records)) if new else (min(touched), max(touched))
        stretch = [r for i, r in records.items() if first <= i <= last and r is not None]
        return CLEAN[name][:first] + ordered(name, stretch + new) + CLEAN[name][last + 1 :]
    place = table.names.index("subject_id")
    untouched = [record for record in left if record[place] not in hit]
    return untouched + ordered(name, [record for record in left if record[place] in hit] + new)


def parsed(value: Value, column: Column) -> Any:
    if value is None or column.type not in (ColumnType.TIMESTAMP, ColumnType.DATE):
        return value
    moment = datetime.fromisoformat(str(value))
    return moment if column.type is ColumnType.TIMESTAMP else moment.date()


WRITTEN_OR_JOINED = st.sampled_from((EDITS_IN_CASE, 0))
"""A patch has two forms: up to how many edits are written into its statement."""


@SWEEP
@given(row_overlays(), WRITTEN_OR_JOINED)
def test_row_edits_are_made(hospital: Hospital, overlay: Overlay, written: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("robustgym.overlay_views.EDITS_IN_CASE", written)
        for name in overlay.tables:
            assert read(hospital, name, overlay) == edited(overlay, name)


@SWEEP
@given(row_overlays(), WRITTEN_OR_JOINED)
def test_placebo_of_row_edits_changes_nothing(hospital: Hospital, overlay: Overlay, written: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("robustgym.overlay_views.EDITS_IN_CASE", written)
        for name in overlay.tables:
            assert Counter(read(hospital, name, overlay, placebo=True)) == Counter(CLEAN[name])


def test_many_patients_are_joined(hospital: Hospital) -> None:
    place = TABLES["labevents"].names.index("subject_id")
    of = [next(i for i, row in enumerate(CLEAN["labevents"]) if row[place] == s) for s in SUBJECTS[:-1]]
    assert len(of) > SUBJECTS_IN_FILTER
    deletions = tuple(Delete(table="labevents", row=i, subject_id=CLEAN["labevents"][i][place], before={}) for i in of)
    overlay = Overlay(edits=deletions)
    assert read(hospital, "labevents", overlay) == edited(overlay, "labevents")
    assert Counter(read(hospital, "labevents", overlay, placebo=True)) == Counter(CLEAN["labevents"])


def test_patients_close_together_are_joined_there(hospital: Hospital, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robustgym.overlay_views.SUBJECTS_IN_FILTER", 1)
    place, size = TABLES["labevents"].names.index("subject_id"), len(CLEAN["labevents"])
    rows = range(size // 3, 2 * size // 3)
    deletions = [Delete(table="labevents", row=i, subject_id=CLEAN["labevents"][i][place], before={}) for i in rows]
    assert len({edit.subject_id for edit in deletions}) > 2
    overlay = Overlay(edits=tuple(deletions))
    assert read(hospital, "labevents", overlay) == edited(overlay, "labevents")
    assert Counter(read(hospital, "labevents", overlay, placebo=True)) == Counter(CLEAN["labevents"])


# -- by predicate -----------------------------------------------------------------------------------------------------

Predicate = tuple[str, Callable[[dict[str, Any]], bool | None]]
"""A test as SQL, and as Python with its three values."""


def comparing(column: str, operator: str, value: Any) -> Predicate:
    def holds(record: dict[str, Any]) -> bool | None:
        cell = record[column]
        if operator == "IS NULL":
            return cell is None
        if cell is None:
            return None
        return bool({"=": cell == value, "<>": cell != value, ">": cell > value}[operator])

    return f"{column} {operator}" + ("" if operator == "IS NULL" else f" {literal(value)}"), holds


def both(a: Predicate, b: Predicate) -> Predicate:
    def holds(record: dict[str, Any]) -> bool | None:
        parts = (a[1](record), b[1](record))
        return False if False in parts else (None if None in parts else True)

    return f"({a[0]}) AND ({b[0]})", holds


simple = st.one_of(
    st.builds(comparing, st.just("itemid"), st.sampled_from(("=", "<>", ">")), st.sampled_from((50813, 50912))),
    st.builds(comparing, st.just("valuenum"), st.sampled_from((">", "IS NULL")), st.sampled_from((1.0, 4.5))),
    st.builds(comparing, st.just("valueuom"), st.sampled_from(("=", "<>", "IS NULL")), st.just("mmol/L")),
    st.builds(comparing, st.just("hadm_id"), st.sampled_from((">", "IS NULL")), st.just(20_000_050)),
)
predicates = simple | st.builds(both, simple, simple)
PUTS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "valuenum": ("valuenum * 10", lambda r: None if r["valuenum"] is None else r["valuenum"] * 10),
    "value": ("'999'", lambda r: "999"),
    "valueuom": ("NULL", lambda r: None),
    "comments": ("coalesce(valueuom, value)", lambda r: r["value"] if r["valueuom"] is None else r["valueuom"]),
    "hadm_id": ("CASE WHEN valuenum > 4 THEN NULL ELSE hadm_id END", lambda r: none_above(r)),
    "itemid": ("50971", lambda r: 50971),
}


def none_above(record: dict[str, Any]) -> Any:
    return None if record["valuenum"] is not None and record["valuenum"] > 4 else record["hadm_id"]


MadeEdit = tuple[SetEdit, Predicate]


@st.composite
def set_edits(draw: st.DrawFn) -> list[MadeEdit]:
    made: list[MadeEdit] = []
    for _ in range(draw(st.integers(1, 4))):
        predicate = draw(predicates)
        put = {
            c: PUTS[c][0] for c in draw(st.lists(st.sampled_from(sorted(PUTS)), min_size=1, max_size=3, unique=True))
        }
        kind = draw(st.sampled_from((UpdateWhere, UpdateWhere, DeleteWhere, CopyWhere)))
        more = {} if kind is DeleteWhere else {"put": put}
        made.append((kind(table="labevents", where=predicate[0], **more), predicate))
    return made


def with_predicates(edits: list[MadeEdit]) -> list[Row]:
    names, result, copies = TABLES["labevents"].names, list[Row](), list[Row]()
    for row in CLEAN["labevents"]:
        clean = dict(zip(names, row, strict=True))
        record, gone = dict(clean), False
        for edit, (_, holds) in edits:
            if holds(clean) is not True:
                continue
            match edit:
                case UpdateWhere():
                    record |= {column: PUTS[column][1](clean) for column in edit.put}
                case DeleteWhere():
                    gone = True
                case CopyWhere():
                    copies.append(tuple((clean | {c: PUTS[c][1](clean) for c in edit.put}).values()))
        if not gone:
            result.append(tuple(record.values()))
    return result + copies


@SWEEP
@given(set_edits())
def test_edits_by_predicate_are_made(hospital: Hospital, edits: list[MadeEdit]) -> None:
    overlay = Overlay(edits=tuple(edit for edit, _ in edits))
    assert Counter(read(hospital, "labevents", overlay)) == Counter(with_predicates(edits))


def test_a_masked_id_is_the_same_however_it_is_read(hospital: Hospital) -> None:
    """A statement that looks for rows by the masked id is served by another view than one that does not."""
    masked = UpdateWhere(table="labevents", where="itemid = 50912", put={"hadm_id": "NULL"})
    whole = "SELECT * FROM labevents"
    with hospital.session(Overlay(edits=(masked,))) as session:
        unsearched = session.fetch(whole)[1]
        records = [dict(zip(TABLES["labevents"].names, row, strict=True)) for row in CLEAN["labevents"]]
        due = [tuple((r | ({"hadm_id": None} if r["itemid"] == 50912 else {})).values()) for r in records]
        assert Counter(unsearched) == Counter(due)
        assert Counter(session.fetch(f"{whole} WHERE hadm_id IS NULL OR hadm_id > 0")[1]) == Counter(due)
        assert session.fetch(whole)[1] == unsearched
        assert session.fetch("SELECT count(*) FROM labevents WHERE itemid = 50912 AND hadm_id IS NOT NULL")[1] == [(0,)]


@SWEEP
@given(set_edits())
def test_placebo_of_predicates_changes_nothing(hospital: Hospital, edits: list[MadeEdit]) -> None:
    overlay = Overlay(edits=tuple(edit for edit, _ in edits))
    assert Counter(read(hospital, "labevents", overlay, placebo=True)) == Counter(CLEAN["labevents"])


# -- both -------------------------------------------------------------------------------------------------------------

overlays = row_overlays() | set_edits().map(lambda made: Overlay(edits=tuple(edit for edit, _ in made)))


@SWEEP
@given(overlays)
def test_lifting_leaves_the_clean_hospital(hospital: Hospital, overlay: Overlay) -> None:
    file = hospital.warehouse.native()
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    for name in overlay.tables:
        read(hospital, name, overlay)
    assert all(read(hospital, name) == CLEAN[name] for name in CLEAN)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before


@SWEEP
@given(overlays)
def test_types_and_names_tell_nothing(hospital: Hospital, overlay: Overlay) -> None:
    for name in overlay.tables:
        shapes = []
        for how in ({}, {"overlay": overlay}, {"overlay": overlay, "placebo": True}):
            with hospital.session(**how) as session:
                shapes.append(session.show(f"DESCRIBE {name}"))
        assert shapes[0] == shapes[1] == shapes[2]


@SWEEP
@given(overlays)
def test_reads_back_from_json(overlay: Overlay) -> None:
    assert Overlay.model_validate_json(overlay.model_dump_json()) == overlay


@SWEEP
@given(overlays)
def test_row_numbers_name_the_clean_record(hospital: Hospital, overlay: Overlay) -> None:
    for name in overlay.tables:
        numbers = [row[-1] for row in read(hospital, name, overlay, row_ids=True)]
        old = [number for number in numbers if number is not None]
        assert len(old) == len(set(old))
        assert set(old) <= set(range(len(CLEAN[name])))


@SWEEP
@given(set_edits(), predicates)
def test_extracts_answer_as_the_whole_tables_do(hospital: Hospital, edits: list[MadeEdit], asked: Predicate) -> None:
    overlay = Overlay(edits=tuple(edit for edit, _ in edits))
    statement = f"SELECT * FROM labevents WHERE {asked[0]}"
    with hospital.extract({"labevents": [asked[0]]}) as extracts:
        for laid in (Overlay(), overlay):
            answers = []
            for use in (None, extracts):
                with hospital.session(laid, row_ids=True, extracts=use) as session:
                    answers.append(session.fetch(statement)[1])
            assert answers[0] == answers[1]


@SWEEP
@given(row_overlays(), predicates)
def test_extracts_answer_under_row_edits(hospital: Hospital, overlay: Overlay, asked: Predicate) -> None:
    statement = f"SELECT * FROM labevents WHERE {asked[0]}"
    with hospital.extract({"labevents": [asked[0]]}) as extracts:
        answers = []
        for use in (None, extracts):
            with hospital.session(overlay, row_ids=True, extracts=use) as session:
                answers.append(session.fetch(statement)[1])
        assert answers[0] == answers[1]


# -- what does not fit ------------------------------------------------------------------------------------------------

LAB = dict(zip(TABLES["labevents"].names, CLEAN["labevents"][0], strict=True))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Delete(table="labevents", row=10**6, subject_id=SUBJECTS[0], before={}), "there is no such record of patient"),
        (Delete(table="labevents", row=0, subject_id=SUBJECTS[5], before={}), "there is no such record of patient"),
        (Delete(table="labevents", row=0, subject_id=LAB["subject_id"], before={"itemid": 1}), "it was 1, and is"),
        (Insert(table="labevents", after={"subject_id": SUBJECTS[0], "itemid": "abc"}), "'abc' is not a whole number"),
        (Insert(table="labevents", after={"subject_id": SUBJECTS[0], "charttime": "noon"}), "'noon' is not a time"),
        (Insert(table="labevents", after={"subject_id": SUBJECTS[0], "colour": 1}), "no such column"),
        (Delete(table="labevents", row=0, before={}), "doesn't say whose record"),
        (UpdateWhere(table="labevents", where="TRUE", put={"colour": "1"}), "no such column"),
        (UpdateWhere(table="labevents", where="colour = 1", put={"value": "1"}), "colour"),
        (UpdateWhere(table="chartevents", where="TRUE", put={"value": "1"}), "the warehouse has no such table"),
    ],
)
def test_an_overlay_that_does_not_fit_is_refused(hospital: Hospital, edit: Edit, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(hospital, edit.table, Overlay(edits=(edit,)))


def test_a_session_cut_down(hospital: Hospital) -> None:
    insert = Insert(table="labevents", subject_id=SUBJECTS[0], after={"subject_id": SUBJECTS[0], "itemid": 50813})
    only = {"labevents": "row_id IN (0, 3) OR row_id IS NULL"}
    found = read(hospital, "labevents", Overlay(edits=(insert,)), only=only, row_ids=True)
    assert sorted((row[-1] is None, row[-1] or 0) for row in found) == [(False, 0), (False, 3), (True, 0)]
    assert read(hospital, "labevents", only=only) == [CLEAN["labevents"][0], CLEAN["labevents"][3]]


def test_a_value_that_becomes_a_dictionary_label(hospital: Hospital, tmp_path: Path) -> None:
    edit = Update(table="d_labitems", row=1, before={"label": "Creatinine"}, after={"label": "Delete"})
    found = read(hospital, "d_labitems", Overlay(edits=(edit,)))
    assert [row[1] for row in found] == ["Lactate", "Delete", "Potassium", "Urea Nitrogen"]
