"""What a template says, in the names of one register: as a question, or as a noun for what is wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter

from assets.questions.english import ordinal, tidy, with_article
from assets.questions.grammar import Shape, Slots, Stream, Window
from assets.questions.limits import beyond_words, limit_of, with_unit
from assets.questions.template import Template
from assets.questions.wording.names import Names
from schemas.attributes import ATTRIBUTES
from schemas.questions import Scope

ONCE = "_once"
"""Ends the name of a selector among a kind's own words: what to say of an admission that has it once."""

STATISTICS = frozenset(
    {"average", "coefficient", "difference", "highest", "largest", "longest", "lowest", "mean", "median", "percentage"}
    | {"range", "time-weighted", "total", "trend"}
)
"""First words of measures that read badly right after "median": "median of the highest", but "median number"."""


@dataclass(frozen=True)
class Speech:
    """The patterns of a template's words, filled in with the names of its concepts."""

    template: Template
    slots: Slots
    names: Names = field(default_factory=Names)

    @cached_property
    def stream(self) -> Stream:
        """The records asked about, phrased with these names."""
        return self.template.stream(self.names.renamed(self.slots.concepts))

    @cached_property
    def named(self) -> dict[str, str]:
        """Names by slot."""
        return {slot: self.names.of(concept) for slot, concept in self.slots.concepts.items()}

    @property
    def of_many(self) -> bool:
        """Whether it is about a population."""
        return self.template.scope is Scope.POPULATION

    @property
    def yes_no(self) -> bool:
        """Whether the measure of one unit is yes or no."""
        return self.template.selector.shape is Shape.YES_NO

    @cached_property
    def words(self) -> dict[str, str]:
        """What the patterns of selectors, aggregators and notes can name."""
        phrases, window = self.stream.words, self.template.window
        start = window.start.format(**self.named) or "its start"
        value = phrases.of_many if phrases.of_many and self.of_many else phrases.value
        thing = phrases.event or phrases.value or phrases.running or phrases.events or phrases.entries
        return {
            "value": value.format(start=start),
            "event": phrases.event,
            "an_event": with_article(phrases.event) if phrases.event else "",
            "events": phrases.events,
            "running": phrases.running,
            "happened": phrases.happened,
            "counted": phrases.counted,
            "entries": phrases.entries,
            "listed": phrases.listed,
            "whole": phrases.whole,
            "part": phrases.part,
            "thing": thing.format(start=start),
            "things": phrases.events or phrases.entries or thing.format(start=start),
            "start": start,
            "when": self.when(window, rest=self.template.selector.from_start),
            "rest": self.when(window, rest=True),
            "nth": ordinal(self.slots.nth),
            "asked_when": "on which day" if self.stream.daily else "when",
            "moment": "day" if self.stream.daily else "time",
            "beyond": beyond_words(self.stream, self.slots.threshold),
            "extreme": "highest" if self.stream.worse == "high" else "lowest",
            "zero": "no" if self.yes_no else "0",
            "unit_id": self.template.unit.id,
            "unit_short": self.template.unit.short,
            "unit_nouns": self.template.unit.nouns,
        }

    def when(self, window: Window, *, rest: bool = False) -> str:
        """The window, or today, and during what. `rest`: the window's start has been named already."""
        said = window.words
        if rest and window.rest is not None:
            said = window.rest
        elif self.of_many and window.many is not None:
            said = window.many
        words = "as of today" if self.slots.clauses.now else said.format(**self.named)
        condition = self.template.condition
        return words + (f" {condition.words.format(**self.named)}" if condition else "")

    def clauses(self) -> str:
        """Further restrictions, each after a comma."""
        clauses, said = self.slots.clauses, []
        if clauses.from_day is not None:
            said.append(f"counting only from day {clauses.from_day} of the {self.template.unit.short} on")
        if clauses.after_value is not None:
            said.append(f"counting only what came after {first_value(self, clauses.after_value)}")
        if clauses.asked_unit is not None:
            said.append(f"expressed in {clauses.asked_unit}")
        if clauses.calendar_year is not None:
            said.append(f"within the calendar year {clauses.calendar_year}")
        if clauses.contradiction:
            said.append(f"counting only {self.template.unit.contradiction_words}")
        return "".join(f", {clause}" for clause in said)

    # ------------------------------------------------------------------ as a question

    def asks(self) -> str:
        """The question without its clauses: `what was the first serum potassium during the ICU stay`."""
        attribute = self.slots.clauses.attribute
        if attribute:
            pattern = ATTRIBUTES[attribute].population if self.of_many else ATTRIBUTES[attribute].patient
            return tidy(pattern.format(**self.words))
        if not self.of_many:
            if self.template.versus:
                first, second = self.both_windows
                return tidy(f"how much higher or lower was the {self.bare} {first} than {second}")
            return tidy(self.patterns[0].format(**self.words))
        aggregator = self.template.aggregator
        assert aggregator is not None
        asks = aggregator.asks
        if aggregator.group:
            asks = (
                ("in what percentage {measure}" if self.yes_no else "what was the median {of_measure}")
                + " {when}, "
                + asks
            )
        if not self.yes_no:
            return tidy(asks.format(**self.of_units(self.measure)))
        happened = self.patterns[0]
        last = happened.endswith("{when}")
        filled = self.of_units(happened.removesuffix("{when}").format(**self.words))
        return tidy(asks.format(**filled if last else {**filled, "when": ""}))

    # ------------------------------------------------------------------ as a noun

    def noun(self, check: str) -> str:
        """What is wanted, without article and clauses: `first serum potassium during the ICU stay`.

        Args:
            check: What is wanted where the answer is yes or no; names `{measure}` and `{when}`.

        Returns:
            Empty where only a question can say it.
        """
        if self.slots.clauses.attribute:
            return ""
        aggregator = self.template.aggregator
        if aggregator is None:
            pattern = check if self.yes_no else "{measure} {when}"
            return tidy(pattern.format(**self.of_units(self.measure)))
        noun = aggregator.noun
        if aggregator.group:
            noun = (
                ("percentage with {measure}" if self.yes_no else "median {of_measure}") + " {when}, " + aggregator.asks
            )
        return tidy(noun.format(**self.of_units(self.measure)))

    # ------------------------------------------------------------------ what both need

    @property
    def patterns(self) -> tuple[str, str]:
        """Question and measure: those of the kind for this selector, or else the selector's own.

        At one moment, what there is once has words of its own (`ONCE`).
        """
        own, selector = self.stream.words.own, self.template.selector
        several = self.of_many and selector.shape is Shape.NAMES  # a cohort has several all the same
        once = own.get(selector.name + ONCE) if self.template.window.single and not several else None
        return once or own.get(selector.name) or (selector.asks, selector.measure)

    @property
    def bare(self) -> str:
        """The measure of one window, without the window."""
        return self.patterns[1].format(**self.words)

    @property
    def measure(self) -> str:
        """The measure of one unit as a noun; of two windows, their difference."""
        if not self.template.versus:
            return self.bare
        first, second = self.both_windows
        return f"difference between the {self.bare} {first} and that {second}"

    @property
    def both_windows(self) -> tuple[str, str]:
        """Two windows that are compared: the second leaves out an anchor that the first has named."""
        first, second = (self.when(window) for window in self.template.windows)
        earlier = self.template.windows[1]
        if earlier.again and earlier.anchor == self.template.window.anchor:
            second = earlier.again
        return first, "before" if self.slots.clauses.now else second

    def of_units(self, measure: str) -> dict[str, str]:
        """What the pattern of an aggregator can name, for a measure of its units."""
        said_already = bool(self.template.versus) or "{rest}" in "".join(self.patterns)
        when = "" if said_already else self.words["when"]
        if self.template.selector.from_start and when and self.template.aggregator_name == "share_beyond":
            when = f", {when},"  # what follows is a limit of the hours, not of the window
        kind, _, _ = measure.partition(" ")
        best = self.template.selector_name == "worst" or kind in ("highest", "longest", "largest")
        return {
            **self.words,
            "when": f"{when}," if when.startswith(",") else when,
            "measure": measure,
            "of_measure": f"of the {measure}" if kind in STATISTICS else measure,
            "top": measure if best else f"highest value of the {measure}" if kind == "lowest" else f"highest {measure}",
            "limit": limit_of(self.template, self.stream, self.slots.threshold).words,
        }


def first_value(speech: Speech, value: float) -> str:
    """The first record of a value, in words: `the first serum potassium of 6.9 mEq/L`."""
    return f"the first {speech.words['value']} of {with_unit(value, speech.stream.unit)}"


def lacking(template: Template) -> tuple[str, ...]:
    """Phrases that the selector's patterns name and the kind does not have: such a combination cannot be said.

    >>> lacking(Template.parse("demographics-patient-race-whole_record-first_time"))
    ('event',)
    """
    speech = Speech(template, template.example)
    named = {name for pattern in speech.patterns for _, name, _, _ in Formatter().parse(pattern) if name}
    return tuple(sorted(name for name in named - {"when", "rest"} if not speech.words.get(name)))
