"""The words of a question: lead, question, clauses, definitions, and the contract of its answer.

One register now, a clinician's plain English. A register is an object with the methods of `Clinical`; another one can
change how things are said, never what is asked: the slots and the contract come from the same template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assets.questions.english import ordinal, tidy, with_article
from assets.questions.grammar import Anchor, Shape, Side, Slots, Stream, Window
from assets.questions.kinds.medications import spelled_out
from assets.questions.limits import beyond_words, limit_of
from assets.questions.placing import tie
from assets.questions.records import GIVEN_WORDS
from assets.questions.template import Template
from schemas.answers import AnswerKind, AnswerType
from schemas.attributes import ATTRIBUTES
from schemas.concepts import Concept, Drug, DrugClass, Measured, Pool
from schemas.overlays import Value
from schemas.questions import Scope


class Register(Protocol):
    """A way of speaking."""

    def question(self, template: Template, slots: Slots, ids: Mapping[str, Value], answer: AnswerType) -> str:
        """The whole text that an agent reads."""
        ...


@dataclass(frozen=True)
class Clinical:
    """Plain clinical English: what a ward would ask, then what the answer must look like."""

    def question(self, template: Template, slots: Slots, ids: Mapping[str, Value], answer: AnswerType) -> str:
        """The whole text that an agent reads."""
        stream = template.stream(slots.concepts)
        asked = f"{self.lead(template, slots, ids)}, {self.asks(template, slots, stream)}?"
        parts = (asked, self.definitions(template, slots, stream), self.contract(template, slots, stream, answer))
        return " ".join(part for part in parts if part)

    def lead(self, template: Template, slots: Slots, ids: Mapping[str, Value]) -> str:
        """Whom it is about: a named unit of a named patient, or a cohort."""
        unit, cohort = template.unit, template.cohort
        if template.scope is Scope.PATIENT:
            patient = f"patient {ids.get('subject_id', '{subject_id}')}"
            if template.window.side is Side.ALWAYS and not slots.clauses.now:
                return f"Over the whole record of {patient}"
            if unit.id == "subject_id":
                return f"For {patient}"
            return f"For {unit.noun} {ids.get(unit.id, '{' + unit.id + '}')} of {patient}"
        assert cohort is not None
        named = {slot: spoken(concept) for slot, concept in slots.concepts.items()}
        group = slots.concepts.get("cohort")
        if isinstance(group, Measured):
            side = "above" if group.worse == "high" else "below"
            named["cohort_beyond"] = f"{side} {group.threshold:g} {group.unit.split(';')[0]}".strip()
        return "Among " + cohort.words.format(units=unit.nouns, **named)

    def asks(self, template: Template, slots: Slots, stream: Stream) -> str:
        """The question itself, with its clauses."""
        clauses = slots.clauses
        words = self.words(template, slots, stream)
        if clauses.attribute:
            attribute = ATTRIBUTES[clauses.attribute]
            pattern = attribute.patient if template.scope is Scope.PATIENT else attribute.population
            return tidy(pattern.format(**words) + self.clauses(template, slots))
        own = stream.words.own.get(template.selector_name)
        asks, measure = own or (template.selector.asks, template.selector.measure)
        if template.versus:
            first, second = (self.when(window, slots, template) for window in template.windows)
            earlier = template.windows[1]
            if earlier.again and earlier.anchor == template.window.anchor:
                second = earlier.again
            if slots.clauses.now:
                second = "before"
            if template.scope is Scope.PATIENT:
                asks = f"how much higher or lower was the {measure} {first} than {second}"
            else:
                measure, words["when"] = f"difference between the {measure} {first} and that {second}", ""
        if template.scope is Scope.PATIENT:
            return tidy(asks.format(**words) + self.clauses(template, slots))
        assert template.aggregator is not None
        aggregator = template.aggregator
        if "{rest}" in asks + measure:
            words["when"] = ""
        words["limit"] = limit_of(template, stream, slots.threshold).words
        words["measure"] = measure.format(**words)
        worst = template.selector_name == "worst" or words["measure"].startswith("highest")
        words["top"] = words["measure"] if worst else f"highest {words['measure']}"
        if template.selector.shape is Shape.YES_NO:
            words["measure"] = asks.replace(" {when}", "").format(**words)
        if aggregator.group:
            yes_no = template.selector.shape is Shape.YES_NO
            pattern = "in what percentage {measure} {when}" if yes_no else "what was the median {measure} {when}"
            return tidy(f"{pattern.format(**words)}, {aggregator.asks}" + self.clauses(template, slots))
        return tidy(aggregator.asks.format(**words) + self.clauses(template, slots))

    def words(self, template: Template, slots: Slots, stream: Stream) -> dict[str, str]:
        """What the patterns of selectors and aggregators can name."""
        phrases, window = stream.words, template.window
        names = {slot: spoken(concept) for slot, concept in slots.concepts.items()}
        start = window.start.format(**names) or "its start"
        value = phrases.of_many if phrases.of_many and template.scope is Scope.POPULATION else phrases.value
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
            "when": self.when(window, slots, template, rest=template.selector.from_start),
            "rest": self.when(window, slots, template, rest=True),
            "nth": ordinal(slots.nth),
            "beyond": beyond_words(stream, slots.threshold),
            "extreme": "highest" if stream.worse == "high" else "lowest",
            "zero": "no" if template.selector.shape is Shape.YES_NO else "0",
            "unit_id": template.unit.id,
            "unit_short": template.unit.short,
            "unit_nouns": template.unit.nouns,
        }

    def when(self, window: Window, slots: Slots, template: Template, *, rest: bool = False) -> str:
        """The window, or today, and during what. `rest`: the window's start has been named already."""
        names = {slot: spoken(concept) for slot, concept in slots.concepts.items()}
        said = window.words
        if rest and window.rest is not None:
            said = window.rest
        elif template.scope is Scope.POPULATION and window.many is not None:
            said = window.many
        words = "as of today" if slots.clauses.now else said.format(**names)
        return words + (f" {template.condition.words.format(**names)}" if template.condition else "")

    def clauses(self, template: Template, slots: Slots) -> str:
        """Further restrictions, each as a clause after a comma."""
        clauses, said = slots.clauses, []
        if clauses.from_day is not None:
            said.append(f"counting only from day {clauses.from_day} of the {template.unit.short} on")
        if clauses.calendar_year is not None:
            said.append(f"within the calendar year {clauses.calendar_year}")
        if clauses.contradiction:
            said.append(f"counting only {template.unit.contradiction_words}")
        return "".join(f", {clause}" for clause in said)

    def definitions(self, template: Template, slots: Slots, stream: Stream) -> str:
        """What the concepts stand for in the tables, so that two readers find the same records."""
        said: dict[str, str] = {}
        pools = template.pools
        if stream.definition:
            concept = slots.concepts.get("concept")
            said[self.defined(template, concept, stream)] = stream.definition
        for slot in ("anchor", "condition", "cohort", "cohort_not"):
            if slot in slots.concepts and (meaning := definition(slots.concepts[slot], pools[slot])):
                said.setdefault(spoken(slots.concepts[slot]), meaning)
        for word, slot in ((template.anchor, "anchor"), (template.condition, "condition")):
            if word is not None and slot not in pools and not slots.clauses.now:
                event = word.event() if isinstance(word, Anchor) else word.during()
                if event.definition:
                    said.setdefault(event.words.value, event.definition)
        if template.cohort and template.cohort.definition[0]:
            said.setdefault(*template.cohort.definition)
        if slots.clauses.from_day is not None:
            said[f"day 1 of the {template.unit.short}"] = "the first 24 hours from its beginning"
        if not said:
            return ""
        listed = "; ".join(f"{name} means {meaning}" for name, meaning in said.items())
        return f"Here, {listed}."

    def defined(self, template: Template, concept: Concept | None, stream: Stream) -> str:
        """The name that a definition explains."""
        return spoken(concept) if concept else stream.words.value

    def contract(self, template: Template, slots: Slots, stream: Stream, answer: AnswerType) -> str:
        """What to return and what counts, in one sentence; the same for a clean and a noisy question."""
        notes = []
        if not slots.clauses.attribute:
            words = self.words(template, slots, stream)
            notes = [n.format(**words) for n in (template.selector.note,) if n]
            if template.versus:
                notes.insert(0, "the first minus the second, both being needed")
            if template.aggregator and template.aggregator.note:
                notes.append(template.aggregator.note.format(**words))
            notes += belonging(template, stream)
        counting = f", counting {stream.words.counts}" if stream.words.counts and not slots.clauses.attribute else ""
        return f"Answer with {answered(answer)}{counting}" + "".join(f"; {note}" for note in notes) + "."


CLINICAL = Clinical()


def belonging(template: Template, stream: Stream) -> list[str]:
    """What makes a unit count, and what makes a record the unit's: without it, the fact would survive a lost link.

    A dose whose `hadm_id` is gone can still be placed by its time or its order; the question must say that it is not.
    """
    unit, table, said = template.unit, stream.target.table, []
    column = tie(table, unit, template.window.side, "x", "f").removeprefix("x.").split()[0]
    if column != "subject_id" and table != unit.table:
        said.append(f"records belong to the {unit.short} by their {column}")
    if unit.support != "TRUE" and "end after they begin" not in stream.words.counts:
        said.append(f"{with_article(unit.short)} counts only if it ends after it begins")
    return said


def answered(answer: AnswerType) -> str:
    """The contract of the answer's type, with the form of times and codes spelled out."""
    if answer.kind is AnswerKind.TIME:
        form = "YYYY-MM-DD" if answer.resolution == "day" else "YYYY-MM-DD HH:MM"
        return f"{answer.contract} ({form})"
    return answer.contract


def spoken(concept: Concept) -> str:
    """How a concept is named inside a sentence."""
    return concept.lay_name


def definition(concept: Concept, pool: Pool) -> str:
    """Which records count as a concept that opens a window or makes a cohort."""
    if isinstance(concept, DrugClass):
        return f"the ingredients {concept.definition}"
    if isinstance(concept, Drug):
        spellings = concept.orders if pool is Pool.ORDERED_DRUG else concept.administrations
        given = f" charted as {GIVEN_WORDS}" if pool is Pool.GIVEN_DRUG else ""
        return f"the entries {spelled_out(spellings)}{given}"
    if pool is Pool.AGE:
        return "anchor_age plus the years since anchor_year when the unit began"
    return concept.definition
