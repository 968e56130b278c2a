"""Which concepts, ordinals and thresholds fill a template: every combination, in an order that only its name decides."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import product

from assets.questions.grammar import Clauses, Slots
from assets.questions.template import Template, admissible
from schemas.concepts import Concept, Concepts, Pool, load
from schemas.overlays import Value
from schemas.questions import Intent

ORDINALS = (2, 3)
ASKED_TOGETHER = frozenset({Pool.LAB, Pool.RATIO, Pool.ORDERED_DRUG, Pool.GIVEN_DRUG})
"""Pools whose concepts must belong to the disease, drug or infusion beside them (affinity.csv)."""


def fillings(template: Template, concepts: Concepts, seed: str) -> Iterator[dict[str, Value]]:
    """Everything but the unit that a question of a template needs, in sha256(seed|template|filling) order.

    Args:
        template: What is asked.
        concepts: Those that the source has (`schemas.concepts.check`).
        seed: The release's. Another seed gives another order.

    Yields:
        Concept ids by slot, with `nth`, `threshold` and now and then a harmless `from_day` where the template takes them.
    """
    slots = list(template.pools)
    pools = [
        [c for c in admissible(template, slot) if c.id in concepts.of(pool)] for slot, pool in template.pools.items()
    ]
    ordinals = ORDINALS if template.uses_nth else (0,)
    keyed = []
    for combination in product(*pools, ordinals):
        named = dict(zip(slots, combination[:-1], strict=True))
        chosen = {slot: concept for slot, concept in named.items() if isinstance(concept, Concept)}
        if not sensible(template, chosen, concepts):
            continue
        filling = _filled(template, chosen, int(str(combination[-1])))
        text = "|".join(f"{name}={value}" for name, value in sorted(filling.items()))
        digest = hashlib.sha256(f"{seed}|{template.id}|{text}".encode()).hexdigest()
        keyed.append((digest, filling))
    for digest, filling in sorted(keyed, key=lambda pair: pair[0]):
        # A clause that only noisy questions had would give them away.
        asks_later = template.has_start and template.window.days is None and int(digest[-4:], 16) % 6 == 0
        yield {**filling, "from_day": 2} if asks_later else filling


def _filled(template: Template, chosen: Mapping[str, Concept], nth: int) -> dict[str, Value]:
    filling: dict[str, Value] = {slot: concept.id for slot, concept in chosen.items()}
    if template.uses_nth:
        filling["nth"] = nth
    if template.uses_threshold:
        filling["threshold"] = template.stream(chosen).threshold
    return filling


def sensible(template: Template, chosen: Mapping[str, Concept], concepts: Concepts) -> bool:
    """Whether a clinician would name these in one question: they differ, belong together, and have what is asked."""
    names = [concept.lay_name for concept in chosen.values()]
    if len(set(names)) < len(names):
        return False
    asked = chosen.get("concept")
    if asked is not None and template.pools["concept"] in ASKED_TOGETHER:
        others = [chosen[slot] for slot in ("anchor", "condition", "cohort") if slot in chosen]
        if not all(concepts.together(other, asked) for other in others):
            return False
    if template.kind.intent is Intent.VITALS and template.anchor and template.anchor.name == "furosemide":
        return "urine" in (asked.id if asked else "")  # a diuretic does not work on a chest tube
    return not template.uses_threshold or template.stream(chosen).threshold is not None


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
