"""Noise operator: de-identification has blanked the value."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import MASK, every, measured, number_columns, silent, value_cells
from noise_ops._edits import chosen_targets, overlay, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Selection
from schemas.tables import TABLES, ColumnType


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort whose value or name is the mask, with no number beside it and none in the comment."""
    columns = tuple(column for column in value_cells(selection) if column != "comments")
    masked = tuple(c for c in columns if TABLES[selection.table][c].type is ColumnType.TEXT)
    if not masked:
        raise NotApplicable("the value of no target is text")
    tests = [every(number_columns(selection), "{} IS NULL"), every(masked, "{} = '___'"), silent(selection)]
    return Fault(" AND ".join(filter(None, tests)), like_model(columns))


@noise_op(
    level="value",
    promise="abstention",
    severities={"half": Severity({"share": 0.5}, promise="recomputed"), "all": {"share": 1.0}},
    realism=(5, 6, 40, 72),
    natural=_by_nature,
)
def deid_mask(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Put three underscores where the value, name or code was, and no number beside them.

    De-identification removes text that looks like a name, a date or a telephone number; a titre or a dose can look like
    one. In the demo 6,823 laboratory values and 352 comments of cultures are masked. The mask is text: it is neither
    NULL nor a value, and a careless statement counts it as a category.

    Limits: stands back where the question would count the mask as one more name. Needs a text column; where all that is
    asked for is a number (age, sequence) see `value_null`. `mask_text` is the harmless variant, in which the number
    survives.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        share: Share of the records to mask, at least one.

    Raises:
        NotApplicable: The value of no target is text, the mask would count as an answer, or half of one record is
            asked for.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [lactate, _] = deid_mask(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before["value"], lactate.after["value"], lactate.after["valuenum"]
        ('4.2', '___', None)
        >>> deid_mask(discharge_destination(), Random(0)).overlay.edits[0].after
        {'discharge_location': '___'}

        >>> deid_mask(discharge_destination(), Random(0), share=0.5)
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: a single record cannot be hit in part
    """
    masks = [(selection, _mask(selection)) for selection in chosen_targets(question, share)]
    if not any(MASK in cells.values() for _, cells in masks):
        raise NotApplicable("the value of no target is text")
    if not all(_rejected(selection, cells) for selection, cells in masks):
        raise NotApplicable("the question takes the mask for an answer")
    masked = [question.put(selection, cells, share, rng) for selection, cells in masks if cells]
    return Noise(overlay=overlay(*masked, without_routes(question, rng)), worlds=siblings(question, rng))


def _rejected(selection: Selection, cells: Mapping[str, Value]) -> bool:
    """Whether a masked record no longer counts: it is not of the sort, not a number, or the mask is refused by name."""
    text = [column for column, cell in cells.items() if cell == MASK and column != "comments"]
    return measured(selection) or MASK in selection.support or any(column in selection.concept for column in text)


def _mask(selection: Selection) -> dict[str, Value]:
    """The cells of a masked value: underscores in text, NULL in anything else, and no comment that repeats it."""
    table = TABLES[selection.table]
    masked = {c: table[c].type is ColumnType.TEXT and c != "comments" for c in value_cells(selection)}
    return {column: MASK if text else None for column, text in masked.items()}
