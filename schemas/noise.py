"""What a noise operator gives back, and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from schemas.overlays import Overlay, Value


class Level(StrEnum):
    """Where the fault lies."""

    RECORD = "record"
    """Records are missing, doubled, unlinked."""
    VALUE = "value"
    """Records are there, their values cannot be used."""
    QUERY = "query"
    """The question asks for what the record does not hold."""


class Promise(StrEnum):
    """What becomes of the answer. Checked for every pair when it is made; a broken promise drops the pair."""

    ABSTENTION = "abstention"
    """Nothing left determines it: the reference returns NULL or no row, by every declared route."""
    UNCHANGED = "unchanged"
    """The information is still there for whoever looks properly: the reference returns the clean answer."""
    RECOMPUTED = "recomputed"
    """The world differs: the reference on the noisy hospital decides, and not with the clean answer or NULL."""


@dataclass(frozen=True)
class Noise:
    """What an operator makes of a question.

    Record- and value-level operators return an `overlay`; the question stays as it is. Query-level operators return
    `parameters`, and the framework asks the template again with them, or a `text`; the hospital stays as it is.
    """

    overlay: Overlay = field(default_factory=Overlay)
    parameters: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    """Slots of the question that change."""
    clean: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    """Slots of the clean question that change too, so that its words do not tell it from the noisy one: where that asks
    for the fifth result of four, this asks for the fourth. Its gold answer is computed anew."""
    text: str = ""
    """The noisy question in other words that ask the same; empty where its template says it."""
    worlds: tuple[Overlay, ...] = ()
    """Supported worlds beside the clean hospital: overlays of the clean hospital under which the noisy question has an
    answer. An agent has seen the fault if what it was shown differs from every one of them. For record- and value-level
    noise the clean hospital itself is always one; for query-level noise it never is."""
    schema_evidence: tuple[str, ...] = ()
    """Tables whose columns show the fault, where no supported world can exist (money, contradiction, real calendar)."""

    def __post_init__(self) -> None:
        if (self.parameters or self.text) and self.overlay.edits:
            raise ValueError("an operator changes the hospital or the question, not both")
        if self.clean and not self.parameters:
            raise ValueError("the clean question changes only beside the noisy one")
