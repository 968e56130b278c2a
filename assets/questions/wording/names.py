"""How concepts are called inside a sentence: by their whole names, or as people say them at the bedside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.concepts import Concept


@dataclass(frozen=True)
class Names:
    """The names of one register."""

    brief: bool = False
    """Whether it says abbreviations."""

    def of(self, concept: Concept) -> str:
        """What the concept is called.

        >>> from schemas.concepts import Pool, load
        >>> potassium = load().of(Pool.LAB)["potassium"]
        >>> Names().of(potassium), Names(brief=True).of(potassium)
        ('serum potassium', 'K')
        """
        return concept.abbreviation if self.brief and concept.abbreviation else concept.lay_name

    def explained(self, concept: Concept) -> str:
        """What the concept is called, with the whole name beside an abbreviation.

        >>> from schemas.concepts import Pool, load
        >>> Names(brief=True).explained(load().of(Pool.LAB)["potassium"])
        'K (serum potassium)'
        """
        name = self.of(concept)
        return name if name == concept.lay_name else f"{name} ({concept.lay_name})"

    def renamed(self, concepts: Mapping[str, Concept]) -> dict[str, Concept]:
        """The concepts by slot, as a kind must see them to phrase its records with these names."""
        return {slot: concept.model_copy(update={"lay_name": self.of(concept)}) for slot, concept in concepts.items()}
