"""A register: a way of saying a question, from one set of patterns and the same slots as any other.

A register changes how a question is said, never what is asked: the lead and the question are its own, definitions and
contract are everybody's (`contract.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assets.questions.english import clipped, tidy
from assets.questions.grammar import Side, Slots
from assets.questions.limits import measured_limit
from assets.questions.template import Template
from assets.questions.wording.contract import contract, definitions
from assets.questions.wording.names import Names
from assets.questions.wording.speech import Speech
from schemas.answers import AnswerType
from schemas.overlays import Value
from schemas.questions import Scope


@dataclass(frozen=True)
class Register:
    """How somebody asks. Patterns hold `{whom}` and `{asked}`; the mark at the end is added."""

    name: str
    one: str
    """About one unit: `For {whom}, {asked}`."""
    many: str
    """About a cohort: `Among {whom}, {asked}`."""
    always: str = ""
    """About everything a patient's record holds; as `one` unless said otherwise."""
    unit: str = "{noun} {id} of {patient}"
    """How a unit of a patient is named."""
    noun: bool = False
    """Whether it names what is wanted ("the first K") and does not ask ("what was the first K")."""
    article: str = ""
    """Before what is wanted."""
    check: str = "whether the record shows {measure} {when}"
    """What is wanted, where the answer is yes or no."""
    outright: tuple[str, str] = ("", "")
    """`one` and `many` for what can only be asked as a question."""
    brief: bool = False
    """Whether it says abbreviations."""
    clipped: bool = False
    """Whether articles are dropped, as in notes. Clauses and names of units are not clipped."""

    def question(self, template: Template, slots: Slots, ids: Mapping[str, Value], answer: AnswerType) -> str:
        """The whole text that an agent reads.

        Args:
            template: What is asked.
            slots: Its concepts, ordinal, threshold and clauses.
            ids: Of the unit asked about; a missing one is shown as its column in braces.
            answer: The type of the answer.
        """
        whole = Speech(template, slots, Names())
        parts = (
            self.sentence(template, slots, ids),
            definitions(template, slots, whole.stream, self.names),
            contract(template, slots, whole.stream, answer, whole.words),
        )
        return " ".join(part for part in parts if part)

    @property
    def names(self) -> Names:
        """How it calls concepts."""
        return Names(self.brief)

    def sentence(self, template: Template, slots: Slots, ids: Mapping[str, Value]) -> str:
        """Lead and question: what differs between registers."""
        speech = Speech(template, slots, self.names)
        wanted = self.wanted(speech) if self.noun else ""
        patient = template.scope is Scope.PATIENT
        if patient:
            pattern = self.always or self.one if self._about_everything(template, slots) else self.one
        else:
            pattern = self.many
        if self.noun and not wanted:
            pattern = self.outright[0 if patient else 1] or pattern
        said = wanted or speech.asks()
        said = (clipped(said) if self.clipped else said) + speech.clauses()
        whom = self.whom(template, slots, ids)
        text = tidy(pattern.format(whom=whom, asked=said)) + ("." if wanted else "?")
        return text[0].upper() + text[1:]

    def wanted(self, speech: Speech) -> str:
        """What is wanted, as a noun; empty if it can only be asked."""
        noun = speech.noun(self.check)
        return noun if not noun or noun.startswith(("whether", "any ")) else self.article + noun

    def whom(self, template: Template, slots: Slots, ids: Mapping[str, Value]) -> str:
        """Whom it is about: a named unit of a named patient, or a cohort."""
        unit, cohort = template.unit, template.cohort
        if template.scope is Scope.PATIENT:
            patient = f"patient {ids.get('subject_id', '{subject_id}')}"
            if self._about_everything(template, slots):
                return f"the whole record of {patient}"
            if unit.id == "subject_id":
                return patient
            return self.unit.format(noun=unit.noun, id=ids.get(unit.id, "{" + unit.id + "}"), patient=patient)
        assert cohort is not None
        named = {slot: self.names.of(concept) for slot, concept in slots.concepts.items()}
        group = slots.concepts.get("cohort")
        return cohort.words.format(units=unit.nouns, **named, cohort_beyond=measured_limit(group) if group else "")

    def _about_everything(self, template: Template, slots: Slots) -> bool:
        return template.window.side is Side.ALWAYS and not slots.clauses.now
