"""Names that several concepts share, as people use them when they think that everybody knows which one is meant.

A chemistry glucose, a blood-gas glucose and a fingerstick are three items of three methods; in the demo 13 items of
d_labitems are called glucose. Each line of bare_names.csv is such a name and the concepts that it fits, of one pool and
in one unit.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from assets.questions.grammar import Slots
from assets.questions.template import Template, admissible
from schemas.concepts import Concept

LIST = Path(__file__).with_name("bare_names.csv")


@cache
def bare_names() -> Mapping[tuple[str, str], tuple[str, tuple[str, ...]]]:
    """Name and ids of all concepts that share it, by pool and id of each."""
    with LIST.open(encoding="utf-8", newline="") as file:
        lines = [(row["pool"], row["name"], tuple(row["concepts"].split(";"))) for row in csv.DictReader(file)]
    return {(pool, one): (name, ids) for pool, name, ids in lines for one in ids}


def shared_name(template: Template, concepts: Mapping[str, Concept]) -> tuple[str, tuple[str, ...]]:
    """The name that the concept shares, and the ids of all that share it.

    Raises:
        ValueError: It shares none.
    """
    pool = template.pools.get("concept")
    found = bare_names().get((pool.value, concepts["concept"].id)) if pool else None
    if found is None:
        raise ValueError(f"{template.id}: its concept shares its name with no other")
    return found


def namesakes(template: Template, concepts: Mapping[str, Concept]) -> tuple[Concept, ...]:
    """The other concepts of that name that the template can ask about, in the same unit.

    Raises:
        ValueError: There is none.
    """
    _, ids = shared_name(template, concepts)
    unit = template.stream(concepts).unit
    others = tuple(
        other
        for other in admissible(template, "concept")
        if other.id in ids
        and other.id != concepts["concept"].id
        and template.stream({**concepts, "concept": other}).unit == unit
    )
    if not others:
        raise ValueError(f"{template.id}: its concept shares its name with no other that can be asked about")
    return others


def called(template: Template, slots: Slots) -> Slots:
    """The slots as a sentence must name them: under `bare_name`, the concept by the name it shares.

    >>> from assets.questions.sampling import slots_of
    >>> template = Template.parse("labs-patient-lab-icu_stay-lowest")
    >>> slots = slots_of(template, {"concept": "glucose_whole_blood", "bare_name": True})
    >>> called(template, slots).concepts["concept"].lay_name
    'glucose'
    """
    if not slots.clauses.bare_name:
        return slots
    name, _ = shared_name(template, slots.concepts)
    bare = slots.concepts["concept"].model_copy(update={"lay_name": name, "abbreviation": ""})
    return replace(slots, concepts={**slots.concepts, "concept": bare})
