"""What fills a template: every sensible combination of concepts, in an order that only their names decide."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from assets.questions.grammar import Clauses, Slots
from assets.questions.template import Template, admissible
from schemas.concepts import Concept, Concepts, Pool, load
from schemas.overlays import Value
from schemas.questions import Intent

ORDINALS = (2, 3)
ASKED_TOGETHER = frozenset({Pool.LAB, Pool.RATIO, Pool.ORDERED_DRUG, Pool.GIVEN_DRUG})
"""Pools whose concepts must belong to the disease, drug or infusion beside them (affinity.csv)."""


LISTED = frozenset({Pool.DIAGNOSIS, Pool.GIVEN_DRUG, Pool.ORDERED_DRUG, Pool.INFUSION})
"""Pools of the concepts beside them, each with its own line in affinity.csv."""


def fillings(template: Template, concepts: Concepts, seed: str) -> Iterator[dict[str, Value]]:
    """Everything but the unit that a question of a template needs, in sha256(seed|template|filling) order.

    Args:
        template: What is asked.
        concepts: Those that the source has (`schemas.concepts.check`).
        seed: The release's. Another seed gives another order.

    Yields:
        Concept ids by slot; `nth`, `threshold` and now and then a harmless `from_day` where the template takes them.
    """
    combinations: list[dict[str, Concept]] = [{}]
    for slot, pool in template.pools.items():
        found = [concept for concept in admissible(template, slot) if concept.id in concepts.of(pool)]
        combinations = [
            {**chosen, slot: concept}
            for chosen in combinations
            for concept in found
            if sensible(template, chosen, slot, concept, concepts)
        ]
    keyed = []
    for chosen in combinations:
        for nth in ORDINALS if template.uses_nth else (None,):
            filling = _filled(template, chosen, nth)
            text = "|".join(f"{name}={value}" for name, value in sorted(filling.items()))
            keyed.append((hashlib.sha256(f"{seed}|{template.id}|{text}".encode()).hexdigest(), filling))
    for digest, filling in sorted(keyed, key=lambda pair: pair[0]):
        # A clause that only noisy questions had would give them away.
        asks_later = template.has_start and template.window.days is None and int(digest[-4:], 16) % 6 == 0
        yield {**filling, "from_day": 2} if asks_later else filling


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
        if (template.selector.course and not stream.followed) or (template.uses_threshold and stream.threshold is None):
            return False
        # A diuretic does not work on a chest tube.
        return template.window.anchor != "furosemide" or "urine" in concept.id
    if concept.lay_name in {other.lay_name for other in chosen.values()}:
        return False
    asked = chosen.get("concept")
    if asked is None or slot == "cohort_not" or template.kind.intent is Intent.VITALS:
        return True
    listed = template.pools["concept"] in ASKED_TOGETHER
    return not listed or together(concepts, template.pools[slot], concept, asked)


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
