"""A scripted analyst that knows no gold: the honest baseline that needs no language model.

It reads the question, looks at the columns of the tables it needs, at the unit asked about, at what the dictionary
calls the items and at the patient's records of that sort as they are, works the answer out from those that can carry
one, and abstains where none can. It works patients' questions of many sorts; where it cannot read a question it gives
no answer, and no abstention either.
"""

from __future__ import annotations

import re

from robustgym.agents import Desk
from robustgym.agents._reading import ADMISSION, PATIENT, Hopeless, Reading, Unit, read
from robustgym.agents._sources import Unread
from robustgym.gold import GoldError, canonical, gold_from_rows
from schemas.pairs import Task
from schemas.verdicts import Transcript

_DICTIONARIES = {"labevents": "d_labitems"}


class Analyst:
    """Careful, and no cleverer than its tables."""

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Look, work it out, and answer or abstain."""
        try:
            reading = read(task)
        except Hopeless as hopeless:
            for table in dict.fromkeys((*hopeless.tables, hopeless.unit.table)):
                desk.schema(table)
            _see(hopeless.unit, hopeless.unit_id, hopeless.subject, desk)
            desk.submit("null")
            return desk.transcript
        except Unread:
            return desk.transcript
        for table in dict.fromkeys((reading.source.table, reading.unit.table)):
            desk.schema(table)
        _see(reading.unit, reading.unit_id, reading.subject, desk)
        _name(reading, desk)
        desk.sql(reading.look)
        shown = desk.sql(reading.statement)
        if not shown.ok:
            return desk.transcript
        try:
            desk.submit(canonical(gold_from_rows(task.answer, shown.columns, shown.rows)))
        except GoldError:
            # The words were taken for something else than they mean: no answer is better than any.
            return desk.transcript
        return desk.transcript


def _see(unit: Unit, unit_id: int, subject: int, desk: Desk) -> None:
    """Look at the unit that is asked about, and at whose it is."""
    if unit is PATIENT:
        desk.sql(f"SELECT * FROM patients WHERE subject_id = {subject}")
        return
    ids = "subject_id, hadm_id" if unit is ADMISSION else "subject_id, hadm_id, stay_id"
    where = f"subject_id = {subject} OR {unit.id} = {unit_id}"
    desk.sql(f"SELECT {ids}, {unit.start}, {unit.end} FROM {unit.table} WHERE {where} ORDER BY {unit.start}")


def _name(reading: Reading, desk: Desk) -> None:
    """Look at what the dictionary calls the items."""
    if items := re.search(r"itemid IN \([\d, ]+\)", reading.source.concept):
        dictionary = _DICTIONARIES.get(reading.source.table, "d_items")
        desk.sql(f"SELECT itemid, label FROM {dictionary} WHERE {items[0]}")


def analyst() -> Analyst:
    """The agent."""
    return Analyst()
