"""A unit that a question wants its answer in, and that its records may not be in."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Shape, Stream
from assets.questions.template import Template
from schemas.questions import literal


def in_unit(template: Template, stream: Stream, unit: str) -> Stream:
    """The records that are in that unit: what a conversion would give, no record tells.

    The range of plausible values is in the concept's own unit, so it is not asked of them.

    Raises:
        ValueError: The answer is no value of the records, or no column names their unit.
    """
    target = stream.target
    shown = template.selector.shape is Shape.VALUE and template.selector.unit == "{unit}" and not stream.minus
    if not (shown and target.unit and target.value):
        raise ValueError(f"{template.id}: its answer has no unit that a column names")
    known = [f"{target.value[0]} IS NOT NULL", *(f"{column} IS NOT NULL" for column in target.time[:1])]
    support = " AND ".join([*known, f"{target.unit[0]} = {literal(unit)}"])
    return replace(stream, unit=unit, target=replace(target, support=support))
