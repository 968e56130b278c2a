"""The words of a question: lead, question, clauses, definitions, and the contract of its answer.

One register now, a clinician's plain English. A register is an object with the methods of `Clinical`; another one can
change how things are said, never what is asked: the slots and the contract come from the same template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from assets.questions.attributes import ATTRIBUTES
from assets.questions.grammar import Shape, Slots, Stream
from assets.questions.limits import beyond_words, limit_of
from assets.questions.template import Template
from schemas.answers import AnswerKind, AnswerType
from schemas.concepts import Concept, DrugClass, Measured, Pool
from schemas.overlays import Value
from schemas.questions import Scope

ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth", 9: "ninth"}


def ordinal(n: int) -> str:
    """The ordinal as people write it.

    >>> [ordinal(n) for n in (2, 10, 11, 21, 42, 103, 112)]
    ['second', '10th', '11th', '21st', '42nd', '103rd', '112th']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return ORDINALS.get(n, f"{n}{ending}")


def with_article(noun: str) -> str:
    """The noun with "a" or "an", by its sound.

    >>> with_article("INR result"), with_article("urine record"), with_article("hour")
    ('an INR result', 'a urine record', 'an hour')
    """
    first = noun.split()[0]
    spelled = first.isupper() and first[0] in "AEFHILMNORSX" and len(first) < 5
    vowel = noun[0].lower() in "aeio" or (noun.lower().startswith(("hour", "un")) and not noun.startswith("unit"))
    return f"{'an' if vowel or spelled else 'a'} {noun}"


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
            first, second = (self.when(window.words, slots, template) for window in template.windows)
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
        words["limit"] = limit_of(template, stream, slots.threshold).words
        words["measure"] = measure.format(**words)
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
            "when": self.when(window.words, slots, template),
            "nth": ordinal(slots.nth),
            "beyond": beyond_words(stream, slots.threshold),
            "extreme": "highest" if stream.worse == "high" else "lowest",
            "zero": "no" if template.selector.shape is Shape.YES_NO else "0",
            "unit_id": template.unit.id,
            "unit_short": template.unit.short,
        }

    def when(self, window: str, slots: Slots, template: Template) -> str:
        """The window, or today, and during what."""
        names = {slot: spoken(concept) for slot, concept in slots.concepts.items()}
        words = "as of today" if slots.clauses.now else window.format(**names)
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
        if slots.clauses.from_day is not None:
            said[f"day 1 of the {template.unit.short}"] = "the first 24 hours from its beginning"
        if not said:
            return ""
        listed = "; ".join(f"{name}: {meaning}" for name, meaning in said.items())
        return f"({listed}.)"

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
            if stream.words.counts:
                notes.insert(0, f"counting {stream.words.counts}")
        return f"Answer with {answered(answer)}" + "".join(f"; {note}" for note in notes) + "."


CLINICAL = Clinical()
REGISTERS: dict[str, Register] = {"clinical": CLINICAL}


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
    from schemas.concepts import Drug

    if isinstance(concept, DrugClass):
        return f"the ingredients {concept.definition}"
    if isinstance(concept, Drug):
        spellings = concept.orders if pool is Pool.ORDERED_DRUG else concept.administrations
        return "entries " + ", ".join(dict.fromkeys(f"'{text.strip()}'" for text in spellings)) + " in any case"
    return concept.definition


def tidy(text: str) -> str:
    """One space between words, none before a comma.

    >>> tidy("what was  the total , over the whole record")
    'what was the total, over the whole record'
    """
    return re.sub(r"\s+,", ",", " ".join(text.split()))
