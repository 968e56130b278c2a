"""Can injected faults be told from those that were always there? A classifier tries, operator by operator.

It sees single rows without the key: no question, no overlay, no ids of whom they are. On one side stand the rows that
kept pairs changed or added, on the other rows of the same table and concept that bear the same fault by nature. A
forest of trees is put to patients it did not learn from; an area under the curve of 0.5 means that nothing tells.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assets.pairs.identity import digest
from assets.questions import Template, ask
from noise_ops import Fault, operators
from noise_ops._ids import OWN_ID, WITHIN_PATIENT
from robustgym.hospital import Hospital, Session
from schemas.noise import Level
from schemas.overlays import Insert, Update
from schemas.pairs import GoldRow
from schemas.questions import Scope, Selection
from schemas.tables import TABLES, ColumnType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Row = Mapping[str, Any]

LEAST = 25
"""Rows of each side below which nothing is measured."""

PER_CONCEPT = 40
"""Rows of one concept that are taken at most, so that no concept dominates."""

FOLDS = 5
Z = 1.96
"""Of a 95% interval."""

TELLS = 3
"""Features that are named."""

TOP = 8
"""Texts of a column that are features of their own; the others are "another text"."""

IDENTITY = frozenset({"subject_id", "hadm_id", "stay_id", "itemid", "row_id", "caregiver_id", "order_provider_id"})
"""Columns that say who or what, and nothing of the fault. Of other numbers of records only gaps are looked at."""

UNCHANGED = {
    "id_blank": ("prescriptions", "ndc = '0'"),
    "mask_text": ("labevents", "value = '___' AND valuenum IS NOT NULL"),
    "drg_system": ("drgcodes", "drg_type = 'HCFA'"),
}
"""What bears the fault of an operator that does not look for it itself: table and SQL over its columns."""


@dataclass(frozen=True)
class Realism:
    """How well one operator's rows are told from natural ones."""

    operator: str
    injected: int
    """Rows of kept pairs that bear the fault."""
    natural: int
    """Rows of the hospital, of the same concepts, that bear it by nature; both sides are cut to the same number."""
    auc: float | None = None
    """Area under the curve on patients that were not learnt from; None where too few rows are of one sort."""
    low: float | None = None
    high: float | None = None
    """Its 95% interval (Hanley and McNeil, Radiology 1982;143:29-36)."""
    tells: tuple[str, ...] = ()
    """The features that weigh most."""

    def __str__(self) -> str:
        """One line, for a person."""
        if self.auc is None:
            sort = "no natural rows" if not self.natural else "too few rows"
            return f"{self.operator:<24}{sort} ({self.injected} injected, {self.natural} natural)"
        return (
            f"{self.operator:<24}{self.auc:.2f} ({self.low:.2f}-{self.high:.2f}), {self.injected} rows of each sort; "
            f"{', '.join(self.tells)}"
        )


def realism(rows: Iterable[GoldRow], hospital: Hospital) -> tuple[Realism, ...]:
    """How well injected rows are told from natural ones, by operator.

    Args:
        rows: Noise tasks of kept pairs; those that are injected, about one patient and leave a row are looked at.
        hospital: The hospital they were made on.
    """
    tasks: defaultdict[str, list[GoldRow]] = defaultdict(list)
    for row in rows:
        leaves = any(isinstance(edit, Update | Insert) for edit in row.overlay.edits)
        if row.scope is Scope.PATIENT and row.level is not Level.QUERY and row.origin == "injected" and leaves:
            tasks[row.operator].append(row)
    with hospital.session(row_ids=True) as clean:
        return tuple(_measured(name, tasks[name], hospital, clean) for name in sorted(tasks))


Stratum = tuple[str, str, str]
"""Table, and as SQL over its columns: of which sort, and which bear the fault."""


def _measured(operator: str, tasks: Sequence[GoldRow], hospital: Hospital, clean: Session) -> Realism:
    injected: defaultdict[Stratum, list[Row]] = defaultdict(list)
    for task in tasks:
        with hospital.session(task.overlay, row_ids=True) as noisy:
            for selection, where in _bearing(operator, task, hospital.tables):
                found = _rows(noisy, selection.table, _touched(task, selection.table, where))
                injected[selection.table, selection.concept, where] += found
    natural = {
        (table, concept, where): _rows(
            clean,
            table,
            f"({concept}) AND ({where})",
            f" ORDER BY (row_id * 7919) % 65521 NULLS LAST, row_id NULLS LAST LIMIT {2 * PER_CONCEPT}",
        )
        for table, concept, where in injected
    }
    counts = sum(map(len, injected.values())), sum(map(len, natural.values()))
    ours: list[tuple[str, Row]] = []
    theirs: list[tuple[str, Row]] = []
    for stratum in sorted(injected):
        # As many of the one as of the other, of every concept: else the concept would tell.
        n = min(len(injected[stratum]), len(natural[stratum]), PER_CONCEPT)
        ours += [(stratum[0], row) for row in _drawn(injected[stratum], n)]
        theirs += [(stratum[0], row) for row in natural[stratum][:n]]
    if len(ours) < LEAST:
        return Realism(operator, *counts)
    spans = {table: _spans(clean, table) for table in sorted({table for table, _ in ours}) if table in OWN_ID}
    features = [_features(table, row, spans.get(table, {})) for table, row in (*ours, *theirs)]
    subjects = [row["subject_id"] for _, row in (*ours, *theirs)]
    auc, tells = _told(features, [1] * len(ours) + [0] * len(theirs), subjects)
    error = Z * _standard_error(auc, len(ours), len(theirs))
    return Realism(operator, len(ours), len(theirs), round(auc, 3), round(auc - error, 3), round(auc + error, 3), tells)


def _bearing(operator: str, task: GoldRow, tables: frozenset[str]) -> list[tuple[Selection, str]]:
    """The targets of a task's question, each with what its rows look like that bear the fault."""
    question = ask(Template.parse(task.template), task.parameters, tables=tables)
    found = []
    for selection in question.targets:
        fault = operators()[operator].found_in(selection)
        if isinstance(fault, Fault):
            found.append((selection, fault.where))
        elif operator in UNCHANGED and UNCHANGED[operator][0] == selection.table:
            found.append((selection, UNCHANGED[operator][1]))
    return found


def _touched(task: GoldRow, table: str, where: str) -> str:
    """The rows of a table that a task's overlay changed or added, and that bear the fault, as SQL."""
    changed = [edit.row for edit in task.overlay.edits if isinstance(edit, Update) and edit.table == table]
    added = any(isinstance(edit, Insert) and edit.table == table for edit in task.overlay.edits)
    tests = [f"row_id IN ({', '.join(map(str, changed))})"] if changed else []
    tests += ["row_id IS NULL"] if added else []
    patients = ", ".join(map(str, task.subject_ids))
    return f"subject_id IN ({patients}) AND ({' OR '.join(tests) or 'FALSE'}) AND ({where})"


def _rows(session: Session, table: str, where: str, order: str = "") -> list[Row]:
    """Rows with what surrounds them: how many of the patient share their moment, and how many their specimen."""
    columns = TABLES[table].names
    beside = [
        f"(SELECT count(*) FROM {table} AS o WHERE o.subject_id = x.subject_id AND {tied}) AS {name}"
        for name, keys in (("same_moment", ("itemid", "charttime")), ("same_specimen", ("specimen_id",)))
        if set(keys) <= set(columns)
        for tied in [" AND ".join(f"o.{key} IS NOT DISTINCT FROM x.{key}" for key in keys)]
    ]
    picked = f"SELECT * FROM {table} WHERE {where}{order}"
    names, found = session.fetch(f"SELECT {', '.join(['x.*', *beside])} FROM ({picked}) AS x")
    return [dict(zip(names, cells, strict=True)) for cells in found]


def _drawn(rows: Sequence[Row], n: int) -> list[Row]:
    """So many rows, whatever their order."""
    return sorted(rows, key=lambda row: digest(*map(str, row.values())))[:n]


def _spans(session: Session, table: str) -> Mapping[int, tuple[int, int]]:
    """By patient: the lowest and the highest number of their records."""
    own = OWN_ID[table]
    _, rows = session.fetch(f"SELECT subject_id, min({own}), max({own}) FROM {table} GROUP BY subject_id")
    return {subject: (low, high) for subject, low, high in rows if low is not None}


def _features(table: str, row: Row, spans: Mapping[int, tuple[int, int]]) -> dict[str, float | str]:
    """What a reader sees of a row that is not who it is about: numbers, and texts that are told apart later."""
    seen: dict[str, float | str] = {}
    for name in ("same_moment", "same_specimen"):
        if name in row:
            seen[name] = float(min(row[name], 50))
    own = OWN_ID.get(table, "")
    if own and row[own] is not None:
        seen |= _numbered(own, row, spans)
    for column in TABLES[table].columns:
        cell = row[column.name]
        if column.name in IDENTITY or column.name.endswith("_id") or column.name in WITHIN_PATIENT:
            seen[f"{column.name} empty"] = float(cell is None)
        elif column.type is ColumnType.TEXT:
            seen |= _text(column.name, cell)
        elif column.name in TABLES[table].times:
            seen |= _moment(column.name, cell)
        else:
            seen |= _number(column.name, cell)
    return seen | _lags(table, row) | _agreement(row)


def _numbered(own: str, row: Row, spans: Mapping[int, tuple[int, int]]) -> dict[str, float]:
    """Where a record's number lies among those of the patient's other records."""
    low, high = spans.get(row["subject_id"], (row[own], row[own]))
    beyond = max(low - row[own], row[own] - high, 0)
    return {f"{own} among the patient's": float(beyond == 0), f"{own} beyond": math.log1p(beyond)}


def _text(name: str, cell: str | None) -> dict[str, float | str]:
    if cell is None:
        return {name: "(empty)", f"{name} length": -1.0}
    letters = sum(character.isalpha() for character in cell)
    return {
        name: cell,
        f"{name} length": float(len(cell)),
        f"{name} capitals": sum(character.isupper() for character in cell) / letters if letters else -1.0,
        f"{name} digits": sum(character.isdigit() for character in cell) / max(len(cell), 1),
        f"{name} signs": float(sum(character in "<>-=./,_" for character in cell)),
        f"{name} outer blank": float(cell != cell.strip()),
    }


def _moment(name: str, cell: datetime | None) -> dict[str, float | str]:
    if not isinstance(cell, datetime):
        return {f"{name} empty": float(cell is None)}
    minutes = cell.hour * 60 + cell.minute
    return {f"{name} empty": 0.0, f"{name} time of day": float(minutes), f"{name} second": float(cell.second)}


def _number(name: str, cell: float | None) -> dict[str, float | str]:
    if cell is None:
        return {f"{name} empty": 1.0, f"{name} size": 0.0, f"{name} decimals": -1.0}
    text = f"{cell:.10g}"
    return {
        f"{name} empty": 0.0,
        f"{name} size": math.copysign(math.log1p(abs(cell)), cell),
        f"{name} decimals": float(len(text.partition(".")[2])),
    }


def _lags(table: str, row: Row) -> dict[str, float | str]:
    """Hours between the times of a row, each and the next in the order of the table's columns."""
    times = [name for name in TABLES[table].times if isinstance(row[name], datetime)]
    return {
        f"{first} to {second}": math.copysign(math.log1p(abs(hours)), hours)
        for first, second in pairwise(times)
        for hours in [(row[second] - row[first]).total_seconds() / 3600]
    }


def _agreement(row: Row) -> dict[str, float | str]:
    """Whether the flag of a result agrees with its number and its range."""
    if not {"flag", "valuenum", "ref_range_lower", "ref_range_upper"} <= row.keys():
        return {}
    value, low, high = row["valuenum"], row["ref_range_lower"], row["ref_range_upper"]
    if value is None or low is None or high is None:
        return {"flag agrees": -1.0}
    return {"flag agrees": float((row["flag"] is not None) == (not low <= value <= high))}


def _told(
    features: Sequence[Mapping[str, float | str]], labels: Sequence[int], subjects: Sequence[int]
) -> tuple[float, tuple[str, ...]]:
    """How well the labels are told on patients that were not learnt from, and by which features."""
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedGroupKFold

    names, matrix = _matrix(features)
    truth, score = np.array(labels), np.zeros(len(labels))
    weight = np.zeros(len(names))
    folds = StratifiedGroupKFold(n_splits=FOLDS, shuffle=True, random_state=0)
    for learnt, asked in folds.split(matrix, truth, np.array(subjects)):
        if len(set(truth[learnt])) < 2:
            score[asked] = 0.5
            continue
        forest = RandomForestClassifier(n_estimators=200, min_samples_leaf=3, random_state=0, n_jobs=1)
        forest.fit(matrix[learnt], truth[learnt])
        score[asked] = forest.predict_proba(matrix[asked])[:, 1]
        weight += forest.feature_importances_
    most = np.argsort(-weight, kind="stable")[:TELLS]
    return float(roc_auc_score(truth, score)), tuple(names[i] for i in most)


def _matrix(features: Sequence[Mapping[str, float | str]]) -> tuple[list[str], NDArray[np.float64]]:
    """The features as numbers, one column each; of texts, one for each of the most frequent."""
    import numpy as np

    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in features:
        for name, cell in row.items():
            if isinstance(cell, str):
                texts[name][cell] += 1
    flat = [
        {name: cell for name, cell in row.items() if not isinstance(cell, str)}
        | {
            f"{name} = {text}": float(row.get(name) == text)
            for name, found in texts.items()
            for text, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:TOP]
        }
        for row in features
    ]
    names = sorted({name for row in flat for name in row})
    return names, np.array([[row.get(name, -9.0) for name in names] for row in flat], dtype=np.float64)


def _standard_error(auc: float, positive: int, negative: int) -> float:
    """Of an area under the curve (Hanley and McNeil 1982).

    >>> round(_standard_error(0.5, 100, 100), 3)
    0.041
    """
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (positive - 1) * (q1 - auc**2) + (negative - 1) * (q2 - auc**2)
    return math.sqrt(max(spread, 0.0) / (positive * negative))
