"""A statement an agent could run whose result shows whether the record supports an answer."""

from __future__ import annotations

from schemas.questions import Question, Scope
from schemas.tables import TABLES

SHOWN = 50
"""Rows a witness shows at most, so that its result is read whole."""


def witness(question: Question) -> str:
    """The records of the sort asked for, usable or not, with the columns that decide whether they are.

    Of a patient, the patient's records of the concept, in their order; of a population, how many there are and how
    many carry each column.
    """
    target = question.targets[0]
    table = TABLES[target.table]
    columns = dict.fromkeys([*target.time, *target.value, *target.unit, *target.names])
    shown = [column for column in columns if column in table] or list(table.key)
    tests = [target.concept] if target.concept != "TRUE" else []
    if question.scope is Scope.POPULATION:
        counts = ", ".join(f"count({column}) AS {column}" for column in shown)
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"SELECT count(*) AS records, {counts} FROM {table.name}{where}"
    ids = [f"{c} = {question.parameters[c]}" for c in ("subject_id",) if c in table and c in question.parameters]
    links = [c for c in ("hadm_id", "stay_id") if c in table and c in question.parameters]
    keys = dict.fromkeys([*(c for c in ("subject_id", *links) if c in table), *shown])
    order = ", ".join(f"{column} NULLS LAST" for column in [*target.time, *table.key])
    where = f" WHERE {' AND '.join([*ids, *(f'({t})' for t in tests)])}" if ids or tests else ""
    return f"SELECT {', '.join(keys)} FROM {table.name}{where} ORDER BY {order} LIMIT {SHOWN}"
