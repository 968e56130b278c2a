"""A template: the coordinates of a question in the grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from assets.questions import vocabulary
from assets.questions.grammar import (
    Aggregator,
    Anchor,
    Cohort,
    Condition,
    Kind,
    Selector,
    Shape,
    Side,
    Slots,
    Stream,
    Unit,
    Window,
)
from schemas.answers import AnswerType
from schemas.concepts import Concept, Pool, load
from schemas.questions import Intent, Scope

VERSUS = "_vs_"

FIRSTS = frozenset(
    {"first", "first_time", "first_names", "first_of", "nth", "nth_time", "nth_names", "new_names", "only"}
)
"""Selectors that count from the beginning: a later one would silently make another record the first."""


@dataclass(frozen=True)
class Template:
    """One structural question. Concepts, ordinals and thresholds are slots, not templates.

    >>> Template.parse("labs-patient-lab-icu_stay-first").intent.value
    'Labs'
    >>> Template.parse("vitals-patient-output-last_24h_of_stay_vs_first_24h_of_stay-per_hour").versus
    'first_24h_of_stay'
    """

    intent: Intent
    scope: Scope
    kind_name: str
    window_name: str
    selector_name: str
    versus: str = ""
    """A second window of the same unit: the answer is the measure in the first window minus the measure in this one."""
    condition_name: str = ""
    cohort_name: str = ""
    aggregator_name: str = ""

    @cached_property
    def id(self) -> str:
        """Its coordinates, joined by hyphens; no coordinate holds one."""
        window = self.window_name + (VERSUS + self.versus if self.versus else "")
        parts = (
            self.intent.lower(),
            self.scope.value,
            self.kind_name,
            window,
            self.selector_name,
            self.condition_name,
            self.cohort_name,
            self.aggregator_name,
        )
        return "-".join(part for part in parts if part)

    @classmethod
    def parse(cls, id_: str) -> Template:
        """The template of that id.

        Raises:
            ValueError: It is no template's id; the message names the part that is not known.
        """
        parts = id_.split("-")
        scope = Scope(parts[1]) if len(parts) > 4 else Scope.PATIENT
        lengths = {Scope.PATIENT: (5, 6), Scope.POPULATION: (7, 8)}[scope]
        if len(parts) not in lengths:
            raise ValueError(f"{id_}: a {scope} template has {lengths[0]} or {lengths[1]} parts, this has {len(parts)}")
        window, _, versus = parts[3].partition(VERSUS)
        population = scope is Scope.POPULATION
        return cls(
            intent=Intent(parts[0].capitalize()),
            scope=scope,
            kind_name=parts[2],
            window_name=window,
            selector_name=parts[4],
            versus=versus,
            condition_name=parts[5] if len(parts) == lengths[1] else "",
            cohort_name=parts[-2] if population else "",
            aggregator_name=parts[-1] if population else "",
        ).checked()

    def checked(self) -> Template:
        """Itself, if every coordinate is a word of the grammar.

        Raises:
            ValueError: One is not.
        """
        for name, found in (
            (self.kind_name, vocabulary.kinds()),
            (self.window_name, vocabulary.windows()),
            (self.versus, vocabulary.windows()),
            (self.selector_name, vocabulary.selectors()),
            (self.condition_name, vocabulary.conditions()),
            (self.cohort_name, vocabulary.cohorts()),
            (self.aggregator_name, vocabulary.aggregators()),
        ):
            if name and name not in found:
                raise ValueError(f"{self.id}: `{name}` is not one of {', '.join(found)}")
        return self

    @property
    def kind(self) -> Kind:
        """What it asks about."""
        return vocabulary.kinds()[self.kind_name]

    @property
    def window(self) -> Window:
        """When records count."""
        return vocabulary.windows()[self.window_name]

    @property
    def windows(self) -> tuple[Window, ...]:
        """One window, or the two that are compared."""
        names = (self.window_name, self.versus) if self.versus else (self.window_name,)
        return tuple(vocabulary.windows()[name] for name in names)

    @property
    def unit(self) -> Unit:
        """Whose record it is about."""
        return self.window.unit

    @property
    def selector(self) -> Selector:
        """What becomes of the records of one unit."""
        return vocabulary.selectors()[self.selector_name]

    @property
    def anchor(self) -> Anchor | None:
        """The event that opens or closes a window."""
        names = {window.anchor for window in self.windows if window.anchor}
        return vocabulary.anchors()[names.pop()] if names else None

    @property
    def condition(self) -> Condition | None:
        """During what records count."""
        return vocabulary.conditions().get(self.condition_name)

    @property
    def cohort(self) -> Cohort | None:
        """Which units a population question is about."""
        return vocabulary.cohorts().get(self.cohort_name)

    @property
    def aggregator(self) -> Aggregator | None:
        """What becomes of the measures of a population."""
        return vocabulary.aggregators().get(self.aggregator_name)

    @property
    def has_start(self) -> bool:
        """Whether "from day N on" has a meaning: some record has a time, within a window that its unit begins."""
        return all(
            window.side is Side.INSIDE and not window.single and not window.early and window.unit.start
            for window in self.windows
        ) and bool(self.example_stream.time)

    @property
    def takes_value(self) -> bool:
        """Whether "what came after the first value of 6.9" has a meaning: timed numbers of one patient, one window."""
        stream, selector = self.example_stream, self.selector
        timed = bool(stream.time and stream.value) and stream.minus is None and not stream.daily
        whole = {"lo", "hi"}.isdisjoint(selector.needs) and "v" in selector.needs and selector.name not in FIRSTS
        return self.scope is Scope.PATIENT and not self.versus and not self.window.single and timed and whole

    @property
    def pools(self) -> Mapping[str, Pool]:
        """Its concept slots, with the pool of each."""
        cohort = self.cohort
        slots = {
            "concept": self.kind.pool,
            "anchor": self.anchor.pool if self.anchor else None,
            "condition": self.condition.pool if self.condition else None,
            "cohort": cohort.pool if cohort else None,
            "cohort_not": cohort.pool if cohort and cohort.barred else None,
        }
        return {slot: pool for slot, pool in slots.items() if pool is not None}

    @property
    def uses_nth(self) -> bool:
        """Whether it asks for an ordinal."""
        return "nth" in self.selector.uses

    @property
    def uses_threshold(self) -> bool:
        """Whether it compares values with a threshold."""
        return "threshold" in self.selector.uses or (
            self.aggregator_name == "share_beyond" and self.selector.shape is Shape.VALUE
        )

    def stream(self, concepts: Mapping[str, Concept]) -> Stream:
        """The records of its concept."""
        return self.kind.stream(concepts["concept"]) if self.kind.pool else self.kind.stream()

    @cached_property
    def example(self) -> Slots:
        """A filling that shows its form: the first concept of each pool."""
        concepts = {slot: admissible(self, slot)[0] for slot in self.pools}
        if "cohort_not" in concepts:
            concepts["cohort_not"] = next(c for c in admissible(self, "cohort_not") if c != concepts["cohort"])
        return Slots(concepts=concepts)

    @property
    def example_stream(self) -> Stream:
        """The records of its first concept."""
        return self.stream(self.example.concepts)

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Base tables its reference reads, sorted. A source needs them all."""
        from assets.questions.compiler import compiled

        return compiled(self, self.example).tables

    @cached_property
    def answer(self) -> AnswerType:
        """Its answer's type, for its first concept."""
        from assets.questions.compiler import compiled

        return compiled(self, self.example).answer


def admissible(template: Template, slot: str) -> tuple[Concept, ...]:
    """The curated concepts a slot can hold, in their table's order."""
    word = {
        "concept": template.kind,
        "anchor": template.anchor,
        "condition": template.condition,
        "cohort": template.cohort,
        "cohort_not": template.cohort,
    }[slot]
    only: frozenset[str] = getattr(word, "barred" if slot == "cohort_not" else "only", frozenset())
    least: int = getattr(word, "least", 0)
    return tuple(
        concept
        for concept in load().of(template.pools[slot]).values()
        if (not only or concept.id in only) and concept.common >= least
    )
