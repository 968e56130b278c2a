"""A statement an agent could run whose result by itself shows that the record does not support an answer.

It looks where the fault is: at the records that the noise touches, which need not be those that carry the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assets.questions import over_records
from robustgym.shown import ROWS
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Delete, Edit, Insert, Update, UpdateWhere, Value
from schemas.questions import Question, Record, Role, Scope, Selection, literal
from schemas.tables import TABLES, Table

ORDER = (Role.TARGET, Role.ANCHOR, Role.CONDITION, Role.COHORT, Role.GROUP, Role.LABEL, Role.UNIT)
"""Which records to look at first, where the noise touches several sorts."""


def witness(question: Question, noise: Noise) -> str:
    """The records of the sort that the noise touches, or that a supported world would hold.

    Of a patient, the patient's records of the concept around the days in question, with the columns that decide whether
    they are usable. Of a population, how many records the reference is left with.

    Args:
        question: The question, of either condition, with its records where they are known.
        noise: What lies over the hospital, and the worlds that would support an answer.
    """
    edits = noise.overlay.edits or tuple(edit for world in noise.worlds[:1] for edit in world.edits)
    touched = [selection for selection in _in_order(question) if _touches(question, selection, edits)]
    touched = touched or [s for s in _in_order(question) if any(edit.table == s.table for edit in edits)]
    touched = touched or list(question.targets[:1])
    if question.scope is Scope.POPULATION:
        return _counted(question, touched, edits)
    return _listed(question, touched[0], noise, [edit for edit in edits if edit.table == touched[0].table])


def _in_order(question: Question) -> list[Selection]:
    return [selection for role in ORDER for selection in question.selections_of(role)]


def _touches(question: Question, selection: Selection, edits: Sequence[Edit]) -> bool:
    """Whether an edit is of this selection's own records, where several selections read one table."""
    rows = {record.row for record in question.records_of(selection)}
    return any(
        edit.row in rows if isinstance(edit, Update | Delete) else selection.test in getattr(edit, "where", "")
        for edit in edits
        if edit.table == selection.table
    )


# -- of a patient -------------------------------------------------------------------------------------------------


def _listed(question: Question, selection: Selection, noise: Noise, edits: Sequence[Edit]) -> str:
    """The patient's records of the sort, or the names of what they say."""
    table = TABLES[selection.table]
    parts = [*selection.time, *selection.value, *selection.unit, *selection.names, *_edited(edits)]
    ids = [column for column in ("subject_id", "hadm_id", "stay_id") if column in table]
    shown = [column for column in dict.fromkeys([*ids, *parts]) if column in table]
    columns = ", ".join(shown if len(shown) > len(ids) else dict.fromkeys([*ids, *table.key]))
    order = [column for column in dict.fromkeys([*selection.time, *table.key]) if column in table]
    last = f"ORDER BY {', '.join(f'{column} NULLS LAST' for column in order)} LIMIT {ROWS}"
    records = question.records_of(selection)
    if selection.role is Role.LABEL and records:
        names = ", ".join(dict.fromkeys([*table.key, *shown]))
        return f"SELECT {names} FROM {table.name} WHERE {_keys(table, records)} {last}"
    days = _days(selection, table, records, noise)
    if table.patient and not days and selection.concept == "TRUE" and selection.role is Role.TARGET:
        # Without a time of its own it is found through what the reference finds it by.
        return over_records(question, [selection.name], f"SELECT {columns} FROM {selection.name} {last}", usable=False)
    tests = [f"subject_id = {subject}" for subject in question.subject_ids if "subject_id" in table]
    tests += [f"({selection.concept})"] if selection.concept != "TRUE" else []
    tests += [days] if days else []
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    return f"SELECT {columns} FROM {table.name}{where} {last}"


def _edited(edits: Sequence[Edit]) -> Iterator[str]:
    """The columns whose cells are not what they were."""
    for edit in edits:
        match edit:
            case Update():
                yield from edit.after
            case UpdateWhere():
                yield from edit.put


def _keys(table: Table, records: Sequence[Record]) -> str:
    """Exactly these rows of a dictionary."""
    rows = dict.fromkeys(tuple(literal(record[column]) for column in table.key) for record in records)
    if len(table.key) == 1:
        return f"{table.key[0]} IN ({', '.join(row[0] for row in rows)})"
    tuples = (f"({', '.join(row)})" for row in rows)
    return f"({', '.join(table.key)}) IN ({', '.join(tuples)})"


def _days(selection: Selection, table: Table, records: Sequence[Record], noise: Noise) -> str:
    """From the first to the last day on which there is, was or would be a record; empty where that is not known."""
    time = next((column for column in selection.time if column in table), None)
    overlays = (noise.overlay, *noise.worlds)
    edits = [edit for overlay in overlays for edit in overlay.edits if edit.table == table.name]
    if time is None or not all(isinstance(edit, Update | Delete | Insert) for edit in edits):
        return ""
    rows = {edit.row for edit in edits if isinstance(edit, Update | Delete)}
    cells: list[Value] = [record[time] for record in records if record.row in rows or not rows]
    cells += [edit.after.get(time) for edit in edits if isinstance(edit, Insert | Update)]
    days = sorted(str(cell)[:10] for cell in cells if cell is not None)
    if not days:
        return ""
    within = f"{time}::DATE BETWEEN DATE {literal(days[0])} AND DATE {literal(days[-1])}"
    return f"({within} OR {time} IS NULL)" if time in set(_edited(edits)) else within


# -- of a population ----------------------------------------------------------------------------------------------


def _counted(question: Question, touched: Sequence[Selection], edits: Sequence[Edit]) -> str:
    """How many records the reference is left with, and where some stand twice, how often they contradict each other."""
    counts = []
    for selection in touched:
        name, table = selection.name, TABLES[selection.table]
        mine = [edit for edit in edits if edit.table == selection.table]
        counts.append(f"(SELECT count(*) FROM {name}) AS {name}_records")
        if selection.role is Role.LABEL:
            for column in dict.fromkeys(_edited(mine)):
                counts.append(f"(SELECT count({column}) FROM {name}) AS {name}_{column}")
        if "subject_id" in table and any(isinstance(edit, CopyWhere) for edit in mine):
            counts.append(f"({_conflicts(selection, table)}) AS {name}_conflicts")
    return over_records(question, [selection.name for selection in touched], f"SELECT {', '.join(counts)}")


def _conflicts(selection: Selection, table: Table) -> str:
    """At how many moments of a patient the records say more than one thing."""
    moment = ", ".join(["subject_id", *(column for column in selection.time[:1] if column in table)])
    said = [c for c in (*selection.value, *selection.names, *selection.time[1:]) if c in table] or list(table.key)
    twice = f"SELECT 1 FROM {selection.name} GROUP BY {moment} HAVING count(DISTINCT ({', '.join(said)},)) > 1"
    return f"SELECT count(*) FROM ({twice})"
