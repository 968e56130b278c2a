"""What fills a template: every sensible combination of concepts, in an order that only their names decide."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from assets.questions.fitting import asked_of
from assets.questions.grammar import Clauses, Slots
from assets.questions.template import FIRSTS, Template, admissible
from assets.questions.wording import in_turn as in_turn_register
from schemas.concepts import Concept, Concepts, Pool, load
from schemas.overlays import Value
from schemas.questions import Intent

T = TypeVar("T")

ORDINALS = (2, 3)
ASKED_TOGETHER = frozenset(
    {Pool.LAB, Pool.RATIO, Pool.ORDERED_DRUG, Pool.GIVEN_DRUG, Pool.VITAL, Pool.OUTPUT, Pool.CLINIC}
)
"""Pools whose concepts must belong to the disease, drug or infusion beside them (affinity.csv)."""


LISTED = frozenset({Pool.DIAGNOSIS, Pool.GIVEN_DRUG, Pool.ORDERED_DRUG, Pool.INFUSION})
"""Pools of the concepts beside them, each with its own line in affinity.csv."""


def fillings(template: Template, concepts: Concepts, seed: str) -> Iterator[dict[str, Value]]:
    """Everything but the unit that a question of a template needs, in an order that only names decide.

    Every concept has its turn before any comes again, rare ones like common ones, and so has what stands beside it;
    turns go by sha256(seed|template|filling). Drawn as they are asked for: there may be millions.

    Args:
        template: What is asked.
        concepts: Those that the source has (`schemas.concepts.check`).
        seed: The release's. Another seed gives another order.

    Yields:
        Concept ids by slot, and a register, which take turns; `nth`, `threshold` and now and then a harmless `from_day`
        where the template takes them.
    """
    place = 0
    for chosen in _chosen(template, concepts, seed, {}, tuple(template.pools.items())):
        ordinals = (
            sorted(ORDINALS, key=lambda nth: _digest(seed, template, chosen, nth)) if template.uses_nth else (None,)
        )
        for nth in ordinals:
            filling = _filled(template, chosen, nth) | {"register": in_turn_register(template, place)}
            place += 1
            # A clause that only noisy questions had would give them away.
            late = int(_digest(seed, template, chosen, nth, "late")[-4:], 16) % 6 == 0
            yield {**filling, "from_day": 2} if late and may_begin_later(template) else filling


def may_begin_later(template: Template) -> bool:
    """Whether "counting only from day 2 on" is a harmless clause: no date, and no first, which would be another."""
    return counts_days(template) and not template.example_stream.daily and template.selector_name not in FIRSTS


def counts_days(template: Template) -> bool:
    """Whether "counting only from day 5 on" leaves the question its sense: no anchor, no wait, no window of a day."""
    return (
        template.has_start
        and template.window.days is None
        and template.anchor is None
        and not template.example_stream.time.endswith(".admittime")
        and not template.selector.from_start
    )


def _chosen(
    template: Template,
    concepts: Concepts,
    seed: str,
    chosen: Mapping[str, Concept],
    slots: tuple[tuple[str, Pool], ...],
) -> Iterator[Mapping[str, Concept]]:
    """Every sensible choice for the slots that are left, the concepts of the first taking turns."""
    if not slots:
        yield chosen
        return
    (slot, pool), *rest = slots
    having = concepts.of(pool)
    found = [
        concept
        for concept in admissible(template, slot)
        if concept.id in having and sensible(template, chosen, slot, concept, concepts)
    ]
    found.sort(key=lambda concept: _digest(seed, template, chosen, slot, concept.id))
    yield from in_turn(_chosen(template, concepts, seed, {**chosen, slot: concept}, tuple(rest)) for concept in found)


def in_turn(queues: Iterable[Iterator[T]]) -> Iterator[T]:
    """One item of each queue in turn, until all are empty.

    >>> "".join(in_turn([iter("abc"), iter("d"), iter("ef")]))
    'adebfc'
    """
    left = list(queues)
    while left:
        still = []
        for queue in left:
            for item in queue:
                still.append(queue)
                yield item
                break
        left = still


def _digest(seed: str, template: Template, chosen: Mapping[str, Concept], *more: object) -> str:
    named = "|".join(f"{slot}={concept.id}" for slot, concept in chosen.items())
    return hashlib.sha256(f"{seed}|{template.id}|{named}|{'|'.join(map(str, more))}".encode()).hexdigest()


def _filled(template: Template, chosen: Mapping[str, Concept], nth: int | None) -> dict[str, Value]:
    filling: dict[str, Value] = {slot: concept.id for slot, concept in chosen.items()}
    if nth is not None:
        filling["nth"] = nth
    if template.uses_threshold:
        filling["threshold"] = template.stream(chosen).threshold
    return filling


def sensible(
    template: Template, chosen: Mapping[str, Concept], slot: str, concept: Concept, concepts: Concepts
) -> bool:
    """Whether a clinician would add this concept to those chosen: it differs, belongs to them, and has what is asked.

    Args:
        template: What is asked.
        chosen: The concepts of the slots before; `concept`, what is asked about, is always the first.
        slot: The slot to fill.
        concept: What may fill it.
        concepts: With what belongs together.
    """
    if slot == "concept":
        stream = template.stream({"concept": concept})
        # In a day or less only what is measured often has more than one value.
        course = template.selector.course or any(w.days is not None and w.days <= 1 for w in template.windows)
        if (course and not stream.followed) or (template.uses_threshold and stream.threshold is None):
            return False
        return asked_of(
            template.kind_name, [window.name for window in template.windows], template.selector_name, concept.id
        )
    if concept.lay_name in {other.lay_name for other in chosen.values()}:
        return False
    asked = chosen.get("concept")
    if slot == "cohort_not" or asked is None:
        return True
    if template.kind.intent is Intent.VITALS and template.pools[slot] is Pool.DIAGNOSIS:
        # Diseases that bedside values are followed for; which of them, the list does not say.
        return concept.lay_name in concepts.affinity
    listed = template.pools["concept"] in ASKED_TOGETHER
    return not listed or together(concepts, template.pools[slot], concept, asked)


def fits(template: Template, parameters: Mapping[str, Value], concepts: Concepts) -> bool:
    """Whether a clinician would ask the template with all these concepts, as `sensible` says of each in turn."""
    chosen: dict[str, Concept] = {}
    for slot, pool in template.pools.items():
        concept = concepts.of(pool).get(str(parameters[slot]))
        if concept not in admissible(template, slot) or not sensible(template, chosen, slot, concept, concepts):
            return False
        chosen[slot] = concept
    return True


def together(concepts: Concepts, pool: Pool, other: Concept, asked: Concept) -> bool:
    """Whether a disease, drug or infusion is listed with the concept asked for; other things go with any."""
    return pool not in LISTED or (other.lay_name in concepts.affinity and concepts.together(other, asked))


def slots_of(template: Template, parameters: Mapping[str, Value]) -> Slots:
    """A question's parameters, with concept ids resolved.

    Raises:
        KeyError: A slot lacks its concept, or no concept has that id.
    """
    concepts = {slot: load().of(pool)[str(parameters[slot])] for slot, pool in template.pools.items()}
    threshold = parameters.get("threshold")
    return Slots(
        concepts=concepts,
        nth=int(parameters.get("nth") or 2),
        threshold=None if threshold is None else float(threshold),
        clauses=Clauses.of(parameters),
    )
