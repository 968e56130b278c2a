"""What the slices of a run's results are made by: facts of each task, and of the patient it asks about.

They come from the gold rows and, of a patient, from the clean hospital. They are the evaluator's, never the agent's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from robustgym.reader import Source
from robustgym.release import Release
from schemas.errors import InputError, Problem
from schemas.noise import Level
from schemas.overlays import Value
from schemas.pairs import GoldRow, Split
from schemas.questions import Scope
from schemas.runs import TaskFacts

CONCEPTS = ("concept", "cohort", "cohort_not", "anchor", "condition")
"""Parameters of a task that name a concept."""

_AT_ONCE = 500
"""Patients of one statement."""

# A patient may have been admitted under several: what the last admission says counts.
_PATIENTS = """
SELECT p.subject_id, p.gender AS sex,
  CASE WHEN p.anchor_age > 89 THEN '90 and over'
       ELSE concat(10 * (p.anchor_age // 10), ' to ', 10 * (p.anchor_age // 10) + 9) END AS "age band",
  coalesce(max_by(a.race, a.admittime), 'not recorded') AS race,
  coalesce(max_by(a.insurance, a.admittime), 'not recorded') AS insurance
FROM patients AS p LEFT JOIN admissions AS a ON a.subject_id = p.subject_id
WHERE p.subject_id IN ({})
GROUP BY ALL
"""


def facts(release: Release, source: Source, rows: Iterable[GoldRow]) -> dict[str, TaskFacts]:
    """The facts of these tasks, by task id.

    Args:
        release: The release they are of.
        source: Its hospital.
        rows: Their gold rows.

    Raises:
        InputError: The hospital cannot tell its patients' characteristics.
    """
    rows = tuple(rows)
    taught = release.gold(Split.TRAIN)
    templates = {row.template for row in taught}
    concepts = {row.parameters[slot] for row in taught for slot in CONCEPTS if slot in row.parameters}
    patients = {row.subject_ids[0] for row in rows if _of_one(row)}
    groups = subgroups(source, sorted(patients))
    return {row.task_id: _facts(row, templates, concepts, groups) for row in rows}


def subgroups(source: Source, subject_ids: Sequence[int]) -> dict[int, dict[str, str]]:
    """Sex, age band, race and insurance of patients, as the clean hospital has them.

    Raises:
        InputError: The hospital cannot tell.
    """
    found: dict[int, dict[str, str]] = {}
    with source.session() as reader:
        for start in range(0, len(subject_ids), _AT_ONCE):
            table = reader.arrow(_PATIENTS.format(", ".join(map(str, subject_ids[start : start + _AT_ONCE]))))
            if isinstance(table, str):
                raise InputError(Problem("the warehouse's patients", table, "stage the source again"))
            for cells in table.to_pylist():
                found[cells.pop("subject_id")] = {name: str(value) for name, value in cells.items()}
    return found


def _of_one(row: GoldRow) -> bool:
    return row.scope is Scope.PATIENT and bool(row.subject_ids)


def _facts(row: GoldRow, templates: set[str], concepts: set[Value], groups: Mapping[int, dict[str, str]]) -> TaskFacts:
    asked = [row.parameters[slot] for slot in CONCEPTS if slot in row.parameters]
    return TaskFacts(
        pair_id=row.pair_id,
        condition=row.condition,
        split=row.split,
        intent=row.intent,
        scope=row.scope,
        level=row.level,
        operator=row.operator,
        severity=row.severity,
        origin=row.origin,
        promise=row.promise,
        template=row.template,
        said_in=str(row.parameters.get("register", "")),
        answerable=row.gold is not None,
        schema_evidence=row.gold is None and row.level is Level.QUERY and not row.worlds,
        test_only=row.template not in templates or any(concept not in concepts for concept in asked),
        subject_ids=row.subject_ids if row.scope is Scope.PATIENT else (),
        subgroup=groups.get(row.subject_ids[0], {}) if _of_one(row) else {},
    )
