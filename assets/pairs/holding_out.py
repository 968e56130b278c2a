"""Templates and concepts that occur in the test split alone: what training never showed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assets.pairs.identity import drawn
from assets.questions import Template
from schemas.concepts import Concepts, Pool
from schemas.overlays import Value
from schemas.release import Profile

FEW = 10
"""Pools with fewer concepts hold none out: a third of all specimens would be gone from training."""


@dataclass(frozen=True)
class HeldOut:
    """What belongs to the test split whoever is asked about."""

    templates: frozenset[str]
    concepts: frozenset[str]
    """Ids, held out of every pool they are in: furosemide ordered and furosemide given are one drug."""

    def holds(self, template: Template, filling: Mapping[str, Value]) -> bool:
        """Whether a question is for the test split alone."""
        return template.id in self.templates or any(filling.get(slot) in self.concepts for slot in template.pools)

    def left(self, concepts: Concepts) -> Concepts:
        """The concepts that training may see."""
        return concepts.without({pool: self.concepts & frozenset(concepts.of(pool)) for pool in Pool})


NOTHING = HeldOut(frozenset(), frozenset())


def hold_out(templates: Iterable[Template], concepts: Concepts, profile: Profile, seed: int) -> HeldOut:
    """Draw them: of every intent and scope the same share of templates, of every large pool the same share of concepts.

    Args:
        templates: Those the source can carry.
        concepts: Those the source has.
        profile: With the shares.
        seed: Seed of the release.
    """
    cells: defaultdict[tuple[str, str], list[Template]] = defaultdict(list)
    for template in templates:
        cells[template.intent, template.scope].append(template)
    held = [
        template.id
        for found in cells.values()
        for template in drawn(found, seed, "held out", key=lambda t: t.id)[: round(profile.test_only * len(found))]
    ]
    ids: set[str] = set()
    for pool in Pool:
        names = drawn(concepts.of(pool), seed, "held out")
        if len(names) >= FEW:
            wanted = round(profile.test_only * len(names)) - len(ids.intersection(names))
            ids.update([name for name in names if name not in ids][: max(0, wanted)])
    return HeldOut(frozenset(held), frozenset(ids))
