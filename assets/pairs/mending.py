"""Supported worlds of natural noise: the hospital as it would be without the fault, mended in that one respect."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from assets.pairs.records import fetch_records
from assets.questions import Template, bearers_sql, window_sql
from noise_ops import Fault, Lack
from noise_ops._cells import all_shifted
from noise_ops._ids import fresh_ids
from robustgym.hospital import Session
from schemas.overlays import Edit, Insert, Overlay
from schemas.questions import Question, Record, Role, update
from schemas.tables import TABLES

MOST = 40
"""Faulty records mended at most: a witness shows 50."""


def mended(template: Template, noisy: Question, clean: Question, fault: Fault, session: Session) -> tuple[Overlay, ...]:
    """The world in which every record of the unit that bears a fault does not, after a usable record of another.

    Args:
        template: What is asked.
        noisy: The question without an answer.
        clean: The same of another unit, with its records.
        fault: How records bear it.
        session: The hospital as it is, with row numbers.
    """
    target = next(s for s in noisy.targets if s.name == "target")
    model = next((record for record in clean.records if record.selection == target.name), None)
    _, rows = session.fetch(bearers_sql(template, noisy.parameters, fault.where))
    if model is None or not 0 < len(rows) <= MOST:
        return ()
    numbers = ", ".join(str(row) for (row,) in rows)
    unit = _unit(noisy, session)
    about = {**unit.values, "time": _start(template, noisy, unit, session)}
    records = fetch_records(session, target, f"row_id IN ({numbers})", noisy.subject_ids)
    edits = tuple(edit for record in records if (edit := update(record, fault.mended(record, model, about))).after)
    return (Overlay(edits=edits),) if edits else ()


def transplanted(
    template: Template, noisy: Question, clean: Question, lack: Lack, session: Session
) -> tuple[Overlay, ...]:
    """The world in which the unit has the records that the other unit has, as long after its window begins.

    Args:
        template: What is asked.
        noisy: The question without an answer, with its surroundings.
        clean: The same of another unit, with its records.
        lack: What is missing.
        session: The hospital as it is, with row numbers.

    Raises:
        NotApplicable: No unused id is left.
    """
    there, here = _unit(clean, session), _unit(noisy, session)
    begun = [_start(template, question, unit, session) for question, unit in ((clean, there), (noisy, here))]
    if lack.prolongs:
        begun = [there[template.unit.time[0]], here[template.unit.time[0]]]
    by = _time(begun[1]) - _time(begun[0]) if all(begun) else timedelta()
    edits: list[Edit] = []
    last: str = ""
    for selection in clean.targets:
        if selection.table in (template.unit.table, "patients"):
            continue
        ids = fresh_ids(noisy, selection.table)
        for record in clean.records_of(selection):
            owned = dict(record.values) | {c: here.values[c] for c in _OWNER if c in record.values and c in here.values}
            cells = owned | next(ids)(owned) | all_shifted(owned, selection.table, by)
            edits.append(Insert(table=record.table, subject_id=here.subject_id, after=cells))
            last = max([last, *(str(cells[c]) for c in TABLES[selection.table].times if cells.get(c) is not None)])
    if not edits:
        return ()
    if lack.prolongs and last:
        end = template.unit.time[-1]
        edits.append(update(here, {end: (_time(last) + timedelta(days=1)).isoformat(sep=" ", timespec="seconds")}))
    return (Overlay(edits=tuple(edits)),)


_OWNER = ("subject_id", "hadm_id", "stay_id")


def _unit(question: Question, session: Session) -> Record:
    """The record of the unit asked about, whether or not it is usable."""
    [selection] = question.selections_of(Role.UNIT)
    table = TABLES[selection.table]
    tests = [f"{c} = {question.parameters[c]}" for c in table.names if c in _OWNER and c in question.parameters]
    [record] = fetch_records(session, selection, " AND ".join(tests), limit=1)
    return record


def _start(template: Template, question: Question, unit: Record, session: Session) -> Any:
    """When the window begins, as text; where it has no beginning, the unit, or the patient's first admission."""
    _, rows = session.fetch(window_sql(template, question.parameters))
    if rows and rows[0][0] is not None:
        return rows[0][0]
    if template.unit.time and unit[template.unit.time[0]] is not None:
        return unit[template.unit.time[0]]
    _, rows = session.fetch(
        f"SELECT CAST(min(admittime) AS VARCHAR) FROM admissions WHERE subject_id = {unit.subject_id}"
    )
    return rows[0][0]


def _time(text: Any) -> datetime:
    return datetime.fromisoformat(str(text))
