"""Noise operator: two admissions of one patient at the same time."""

from __future__ import annotations

import re
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._cells import hours_between, measured, shifted_hours
from noise_ops._edits import chosen_targets, doubled, overlay, without_routes
from noise_ops._ids import OWN_ID, copied_ids, fresh_ids
from noise_ops._worlds import another_value, siblings
from schemas.answers import AnswerKind
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Edit, Insert, Value
from schemas.questions import Question, Record, Role, Scope, Selection
from schemas.tables import TABLES

ENDS = {"admissions": ("admittime", "dischtime"), "icustays": ("intime", "outtime")}
"""Tables of encounters, with the columns that hold when one begins and ends."""

MEASURES = (AnswerKind.QUANTITY, AnswerKind.DURATION, AnswerKind.ROWS)
"""Answers in which two encounters that began together can differ; where each went or when it began is the same."""


@noise_op(
    level="record",
    promise="abstention",
    severities={
        "around": Severity({"what": "around"}, promise="unchanged"),
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "same_start": {"what": "same_start"},
    },
    realism=(32, 33),
)
def encounter_overlap(
    question: Question,
    rng: Random,
    *,
    what: Literal["around", "same_start"] = "same_start",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Add a second admission or ICU stay of the same patient that overlaps one there is.

    A patient is registered twice, is moved to another service under a new number before the old one is closed, or dies
    on paper and is readmitted a minute later: 59 overlapping stays and 110 such deaths in MIMIC-IV. Which of the two an
    event belongs to is then a matter of its link alone, and the link may be empty.

    Limits: the catalogue of noise proposes an abstention wherever an event fits both. Checking shows it for questions
    that take one encounter by its place, the first, the last, the only one: when two begin in the same minute and end
    apart, nothing tells which it is. A question that names its admission by number and finds its records by patient and
    time keeps its answer, whatever else was open then, though every link is empty; that is `around`. A count of
    admissions takes the second one in, and so does a cohort that is not told by codes or orders of the admission; such
    a pair is dropped.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        what: `same_start` doubles the encounters that carry the answer, with another end, and what belongs to them with
            another value; `around` lays an encounter around the one asked about and empties the links of its events.
        share: Share of the encounters that are doubled, or of the events that lose their link, at least one.

    Raises:
        NotApplicable: No encounter carries the answer, or both would tell the same; or, `around`, the events are found
            by their link.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range
        >>> from schemas.examples_of_care import first_icu_hours
        >>> stay = first_icu_hours()
        >>> [second] = [e for e in encounter_overlap(stay, Random(0)).overlay.edits if e.table == "icustays"]
        >>> second.after["stay_id"], second.after["intime"], second.after["outtime"]
        (30000101, '2150-03-01 07:00:00', '2150-03-06 06:00:00')

        Around the stay of the first lactate another one is open, and the lactates are linked to neither.

        >>> [around, lactate, _] = encounter_overlap(first_lactate(), Random(0), what="around").overlay.edits
        >>> around.after["intime"], around.after["outtime"], lactate.after
        ('2150-02-28 17:00:00', '2150-03-04 10:00:00', {'hadm_id': None})

        >>> encounter_overlap(inr_range(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no admission or ICU stay carries the answer
    """
    targets = chosen_targets(question, share)
    if what == "around":
        return Noise(overlay=overlay(_around(question, share, rng)), worlds=siblings(question, rng))
    encounters = [selection for selection in targets if selection.table in ENDS]
    if not encounters:
        raise NotApplicable("no admission or ICU stay carries the answer")
    if question.answer.kind not in MEASURES:
        raise NotApplicable("a second encounter would tell the same")
    edits: list[Edit] = []
    for selection in encounters:
        edits += _doubled(question, selection, share, rng)
    return Noise(overlay=overlay(edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _doubled(question: Question, selection: Selection, share: float, rng: Random) -> list[Edit]:
    """A second encounter for a share of those there are, begun in the same minute and ended later."""
    table, (_, end), hours = selection.table, ENDS[selection.table], rng.randint(5, 60)
    length = {"los": f"los + {hours} / 24.0"} if table == "icustays" else {}
    if question.scope is Scope.POPULATION:
        put = copied_ids(table) | {end: f"{end} + INTERVAL {hours} HOUR"} | length
        return [CopyWhere(table=table, where=question.where(selection, share, rng), put=put)]
    link, ids = OWN_ID[table], fresh_ids(question, table)
    belonging = [other for other in question.targets if other.table not in ENDS and link in TABLES[other.table]]
    copied = {other.table: fresh_ids(question, other.table) for other in belonging}
    edits: list[Edit] = []
    for record in question.chosen(selection, share, rng):
        number = next(ids)(record.values)
        later = _until(record, end, shifted_hours(record[end], hours))
        edits.append(Insert(table=table, subject_id=record.subject_id, after=dict(record.values) | number | later))
        for other in belonging:
            its = question.with_(records=[r for r in question.records_of(other) if r[link] == record[link]])
            row = another_value(other)[0] if measured(other) else _same
            copies = doubled(its, other, 1.0, rng, row, {}, copied[other.table])
            edits += (copy.model_copy(update={"after": {**copy.after, **number}}) for copy in copies)  # type: ignore[union-attr]
    return edits


def _around(question: Question, share: float, rng: Random) -> list[Edit]:
    """An encounter that holds the one asked about, and the events of it without their links."""
    units = [selection for selection in question.selections_of(Role.UNIT) if selection.table in ENDS]
    loose = [s for s in question.targets if s.table not in ENDS and _loosely_tied(s)]
    if not units or not loose:
        raise NotApplicable("no event is found by patient and time in an admission or ICU stay")
    edits: list[Edit] = []
    for selection in units:
        ids, before, after = fresh_ids(question, selection.table), rng.randint(2, 20), rng.randint(2, 20)
        start, end = ENDS[selection.table]
        if question.scope is Scope.POPULATION:
            put = {start: f"{start} - INTERVAL {before} HOUR", end: f"{end} + INTERVAL {after} HOUR"}
            put |= {"los": f"los + {before + after} / 24.0"} if selection.table == "icustays" else {}
            copied = copied_ids(selection.table) | put
            edits.append(CopyWhere(table=selection.table, where=question.where(selection), put=copied))
            continue
        for record in question.records_of(selection):
            cells = {start: shifted_hours(record[start], -before)}
            cells |= _until(record, end, shifted_hours(record[end], after), cells[start])
            number = next(ids)(record.values)
            edits.append(
                Insert(table=record.table, subject_id=record.subject_id, after=dict(record.values) | number | cells)
            )
    for selection in loose:
        edits += question.put(selection, {"hadm_id": None}, share, rng)
    return edits


def _loosely_tied(selection: Selection) -> bool:
    """Whether its records have a link to an admission, and are found without it."""
    table = TABLES[selection.table]
    linked = "hadm_id" in table and "hadm_id" not in table.key
    return linked and not re.search(r"\bx\.(hadm_id|stay_id)\b", selection.where)


def _same(record: Record) -> dict[str, Value]:
    return {}


def _until(record: Record, end: str, time: Value, start: Value = None) -> dict[str, Value]:
    """The cells of an encounter that ends then: its length follows, and nobody died in it."""
    cells: dict[str, Value] = {end: time}
    if "los" in record.values:
        begin = record["intime"] if start is None else start
        cells["los"] = hours_between(begin, time) / 24
    if "deathtime" in record.values and record["deathtime"] is not None:
        cells |= {"deathtime": None, "hospital_expire_flag": 0}
    return cells
