"""Noise operator: the dictionary does not say what a code or an item is called."""

from __future__ import annotations

import re
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._edits import overlay
from noise_ops._worlds import siblings
from schemas.answers import AnswerKind
from schemas.noise import Noise
from schemas.overlays import Delete, DeleteWhere, Edit, Overlay, UpdateWhere
from schemas.questions import Question, Role, Scope, Selection, salient, update
from schemas.tables import TABLES

NAMING = {
    "d_hcpcs": ("category", "long_description", "short_description"),
    "d_icd_diagnoses": ("long_title",),
    "d_icd_procedures": ("long_title",),
    "d_items": ("label", "abbreviation", "category"),
    "d_labitems": ("label", "fluid", "category"),
}
"""Dictionaries, and the columns by which one knows what a row is."""


@noise_op(
    level="record",
    promise="abstention",
    severities={
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "emptied": {"how": "emptied"},
        "dropped": {"how": "dropped"},
    },
    realism=(13, 53),
)
def dictionary_gap(
    question: Question,
    rng: Random,
    *,
    how: Literal["emptied", "dropped"] = "dropped",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Take from the dictionary the rows that name what the answer names, or empty what they say.

    A code is obsolete and no longer in the edition that was loaded, a local item was never given a label: three of the
    demo's `d_labitems` have none. The records still hold the code or the number; what it is called stands nowhere.
    The edit lies in the overlay of this pair alone, so that no other question loses a name.

    Limits: only questions that answer with a name or a category of a dictionary, or sort records by it; where a code or
    a number of different names is asked for, nothing would be lost. Rows labelled `Delete` or `Voided` occur too (13),
    but questions take them for names: relabelling would put a wrong answer in place of none. Where a question of a
    population asks about one group of codes, the rows of that group are hit, else the whole dictionary.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        how: `dropped` removes the rows, `emptied` leaves their numbers and codes.
        share: Share of the dictionary's rows to hit, at least one.

    Raises:
        NotApplicable: The answer takes no name from a dictionary, the question itself says what numbers mean, half of
            one name is asked for, or, `emptied`, the dictionary (`d_items`) has a name in every row.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import principal_title
        >>> [row] = dictionary_gap(principal_title(), Random(0)).overlay.edits
        >>> row.kind, row.table, row.before["icd_code"]
        ('delete', 'd_icd_diagnoses', 'I5023')
        >>> [row] = dictionary_gap(principal_title(), Random(0), how="emptied").overlay.edits
        >>> row.before, row.after
        ({'long_title': 'Acute on chronic systolic (congestive) heart failure'}, {'long_title': None})

        >>> dictionary_gap(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the answer takes no name from a dictionary
    """
    labels = [selection for selection in question.selections_of(Role.LABEL) if selection.table in NAMING]
    if not labels:
        raise NotApplicable("the answer takes no name from a dictionary")
    if not any(_read(question, selection) for selection in labels):
        raise NotApplicable("the answer does not rest on a name")
    if re.search(r"\bl\.\w+ = '[^']*' OR x\.", question.reference_sql):
        # Chest tubes lie under 'Output', so that questions about drains list them by number.
        raise NotApplicable("the question itself says what some numbers mean")
    if how == "emptied" and any(TABLES[s.table][c].required for s in labels for c in NAMING[s.table]):
        raise NotApplicable("this dictionary never leaves a name empty")
    edits: list[Edit] = []
    worlds: tuple[Overlay, ...] = siblings(question, rng)
    for selection in labels:
        if question.scope is Scope.POPULATION:
            where = _where(question, selection, share, rng)
            put = dict.fromkeys(NAMING[selection.table], "NULL")
            dropped = DeleteWhere(table=selection.table, where=where)
            edits.append(dropped if how == "dropped" else UpdateWhere(table=selection.table, where=where, put=put))
            continue
        if share < 1 and question.count(selection) < 2:
            raise NotApplicable("a single name cannot be hit in part")
        rows = question.chosen(selection, share, rng)
        if how == "emptied":
            edits += (update(row, dict.fromkeys(NAMING[selection.table])) for row in rows)
        else:
            keys = TABLES[selection.table].key
            edits += (
                Delete(table=row.table, row=row.row, before={k: row[k] for k in keys} | salient(selection, row))
                for row in rows
            )
        worlds += _renamed(question, selection)
    return Noise(overlay=overlay(edits), worlds=worlds)


def _read(question: Question, label: Selection) -> bool:
    """Whether the reference reads a name, and not only to count how many different ones there are: codes do as well."""
    columns = "|".join(NAMING[label.table])
    named = re.search(rf"\bl\.(?:{columns}) AS name\b", question.reference_sql)
    if named and question.answer.kind is AnswerKind.COUNT:
        return False
    return bool(re.search(rf"\bl\.(?:{columns})\b", question.reference_sql))


def _where(question: Question, label: Selection, share: float, rng: Random) -> str:
    """The rows that name what a population question asks about, as a predicate over the dictionary's own columns."""
    table = TABLES[label.table]
    where = label.test
    for target in question.targets:
        named = set(re.findall(r"[a-z_]+", re.sub(r"'[^']*'", "", target.concept))) & set(TABLES[target.table].names)
        if named and named <= set(table.names):
            where += f" AND ({target.concept})"
    if share < 1:
        # A share of the codes that depends on nothing but the code.
        salt, key = rng.randrange(10_007, 99_991), ", ".join(table.key)
        where += f" AND substr(md5(concat_ws('|', {salt}, {key})), 1, 4) < '{round(share * 65536):04x}'"
    return where


def _renamed(question: Question, label: Selection) -> tuple[Overlay, ...]:
    """A hospital in which the dictionary's rows have each other's names; none where there is only one name."""
    rows = question.records_of(label)
    columns = NAMING[label.table]
    names = [{column: row[column] for column in columns} for row in rows]
    edits = [update(row, other) for row, other in zip(rows, [*names[1:], *names[:1]], strict=True)]
    changed = tuple(edit for edit in edits if edit.after)
    return (Overlay(edits=changed),) if changed else ()
