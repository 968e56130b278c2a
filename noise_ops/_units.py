"""The admission, ICU stay or patient a question names by id, and copies of what belongs to it under another id."""

from __future__ import annotations

from collections.abc import Iterator

from noise_ops._ids import OWN_ID, fresh_ids
from noise_ops.registry import NotApplicable
from schemas.overlays import Insert, Value
from schemas.questions import Question, Record, Scope

HIERARCHY = ("subject_id", "hadm_id", "stay_id")
"""Patient, admission, ICU stay: each belongs to the one before."""

TABLE = {"subject_id": "patients", "hadm_id": "admissions", "stay_id": "icustays"}
"""The table in which each is listed."""


def named_unit(question: Question) -> str:
    """The id column by which the question names its unit, the narrowest if there are several.

    Raises:
        NotApplicable: The question names none: it asks about a population.
    """
    for column in reversed(HIERARCHY):
        if question.scope is Scope.PATIENT and question.parameters.get(column) is not None:
            return column
    raise NotApplicable("the question names no patient, admission or stay")


def handed_to(question: Question, column: str, number: int, *, without: str = "") -> Iterator[Insert]:
    """Copies of the unit's associated records, as if they belonged to the unit with that number.

    Args:
        question: A question about one unit.
        column: The id column that names the unit.
        number: The other unit's number.
        without: A table to leave out.

    Raises:
        NotApplicable: No unused id is left for a copy.
    """
    mapped = HIERARCHY[HIERARCHY.index(column) :]
    numbers: dict[tuple[str, Value], int] = {(column, question.parameters[column]): number}
    unused = {narrower: iter(question.around.unused.get(narrower, ())) for narrower in mapped}
    ids = {record.table: fresh_ids(question, record.table) for record in question.records}
    for record in _distinct(question):
        if record.table == without or record.values.get(column) != question.parameters[column]:
            continue
        own = OWN_ID.get(record.table)
        cells = dict(record.values) | ({} if own in mapped else next(ids[record.table])(record.values))
        for narrower in mapped:
            if (old := record.values.get(narrower)) is None:
                continue
            if (narrower, old) not in numbers:
                numbers[narrower, old] = _next(unused[narrower], narrower)
            cells[narrower] = numbers[narrower, old]
        patient = cells["subject_id"]
        yield Insert(table=record.table, subject_id=int(patient) if patient is not None else None, after=cells)


def _distinct(question: Question) -> Iterator[Record]:
    """Each associated record once, though several selections may hold it."""
    yield from {(record.table, record.row): record for record in question.records}.values()


def _next(numbers: Iterator[int], column: str) -> int:
    for number in numbers:
        return number
    raise NotApplicable(f"no unused {column} is left")
