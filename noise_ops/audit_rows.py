"""Noise operator: the audit trail stands among the records, and its rows look like any other."""

from __future__ import annotations

import re
from datetime import timedelta
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import NotApplicable, noise_op
from noise_ops._cells import all_shifted, all_shifted_sql, measured
from noise_ops._edits import Row, doubled, overlay
from noise_ops._ids import fresh_ids
from noise_ops._worlds import another_value, siblings
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record, Role, Selection, literal

STATUS: dict[str, tuple[str, tuple[str, ...]]] = {
    "emar": ("event_txt", ("Not Given", "Hold Dose")),
    "ingredientevents": ("statusdescription", ("Rewritten",)),
    "inputevents": ("statusdescription", ("Rewritten",)),
    "microbiologyevents": ("org_name", ("CANCELLED",)),
    "poe": ("transaction_type", ("D/C",)),
}
"""By table, the column that says what became of a row, and what it says of one that does not count.

The words are MIMIC-IV's own: 2,486 and 187 rows of the demo's `emar`, 17 of its cultures, 4,989 of its orders.
`Rewritten` is the word of the ICU's record (mimic-code, norepinephrine.sql), of which the demo holds no row.
"""

CANCELLED: dict[str, Value] = {"org_itemid": 90760, "isolate_num": 1} | dict.fromkeys(
    ("ab_itemid", "ab_name", "quantity", "dilution_text", "dilution_comparison", "dilution_value", "interpretation")
)
"""The cells of a cancelled culture in the demo: an organism's number of its own, and nothing that was tested."""


@noise_op(
    level="record",
    promise="unchanged",
    severities={"some": {"share": 0.3}, "all": {"share": 1.0}},
    realism=(27, 68, 71),
)
def audit_rows(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Add rows that say of themselves that they do not count: rewritten, not given, cancelled, discontinued.

    A nurse corrects a pump rate and the old row stays as `Rewritten`, a dose is refused and charted as `Not Given`, a
    culture is cancelled, an order is stopped by another order. Nothing is lost: whoever reads the status still reaches
    the answer, and whoever adds up every row does not.

    Limits: only where the question's own selection refuses such a row. The pharmacy's `status` and that of procedures
    are refused by no question, so that a row with another status would be one more record.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records that get such a companion, at least one.

    Raises:
        NotApplicable: No selection of the question refuses a status, or it has no record.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_of_care import insulin_doses
        >>> [row, *_] = audit_rows(insulin_doses(), Random(0)).overlay.edits
        >>> row.kind, row.after["charttime"], row.after["event_txt"]
        ('insert', '2150-03-01 12:00:00', 'Hold Dose')

        >>> audit_rows(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no selection refuses a status
    """
    deciding = question.selections_of(Role.TARGET, Role.ANCHOR, Role.CONDITION, Role.COHORT)
    refusing = [(selection, words) for selection in deciding if (words := refused(selection))]
    if not refusing:
        raise NotApplicable("no selection refuses a status")
    ids = {selection.table: fresh_ids(question, selection.table) for selection, _ in refusing}
    rows: list[Edit] = []
    for selection, words in refusing:
        word, hours = rng.choice(words), rng.choice((-2, -1, 3, 4, 6))
        rows += doubled(question, selection, share, rng, *_companion(selection, word, hours), ids[selection.table])
    return Noise(overlay=overlay(rows), worlds=siblings(question, rng))


def refused(selection: Selection) -> tuple[str, ...]:
    """Status words that keep a row out of a selection; none where it does not look at the status.

    >>> from schemas.questions import Role
    >>> refused(Selection("t", Role.TARGET, "inputevents", support="rate > 0 AND statusdescription <> 'Rewritten'"))
    ('Rewritten',)
    >>> refused(Selection("t", Role.TARGET, "emar", support="event_txt IN ('Administered', 'Not Given')"))
    ('Hold Dose',)
    """
    column, words = STATUS.get(selection.table, ("", ()))
    if not column:
        return ()
    test = selection.test
    out = re.findall(rf"\b{column} (?:<> |NOT IN \()([^)]*)", test)
    only = re.findall(rf"\b{column} (?:= |IN \()([^)]*)", test)
    kept_out = [word for word in words if any(literal(word) in text for text in out)]
    unnamed = [word for word in words if only and not any(literal(word) in text for text in only)]
    return tuple(dict.fromkeys([*kept_out, *unnamed]))


def _companion(selection: Selection, word: str, hours: int) -> tuple[Row, dict[str, str]]:
    """The cells of the row that does not count, for a record and as SQL."""
    table, (column, _) = selection.table, STATUS[selection.table]
    fixed: dict[str, Value] = {column: word}
    match table:
        case "emar" | "poe":  # another moment: a dose that was due at another time, an order that ends this one
            hours = abs(hours) if table == "poe" else hours
            fixed |= {"order_status": "Inactive", "discontinued_by_poe_id": None} if table == "poe" else {}
            link = {"discontinue_of_poe_id": "poe_id"} if table == "poe" else {}
            moved_sql = all_shifted_sql(table, f"({hours}) HOUR")

            def row(record: Record) -> dict[str, Value]:
                moved = all_shifted(record.values, table, timedelta(hours=hours))
                return moved | {c: record[of] for c, of in link.items()} | fixed

            return row, moved_sql | link | {c: literal(v) for c, v in fixed.items()}
        case "microbiologyevents":
            fixed |= CANCELLED | {"comments": None}
            return (lambda record: fixed), {c: literal(v) for c, v in fixed.items()}
    # A rewritten row kept its times and had another number.
    other, put = another_value(selection) if measured(selection) else ((lambda record: {}), {})
    return (lambda record: {**(other(record) or {}), **fixed}), {**put, **{c: literal(v) for c, v in fixed.items()}}
