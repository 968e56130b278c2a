"""The small print of a question: what its names stand for, what to return, and what counts.

It is the same in every register, and the same for a clean and a noisy question.
"""

from __future__ import annotations

from assets.questions.english import spelled_out, with_article
from assets.questions.grammar import Anchor, Side, Slots, Stream
from assets.questions.placing import tie
from assets.questions.records import GIVEN_WORDS
from assets.questions.template import Template
from assets.questions.wording.names import Names
from assets.questions.wording.speech import Speech, first_value
from schemas.answers import AnswerKind, AnswerType
from schemas.concepts import Concept, Drug, DrugClass, Pool


def definitions(template: Template, slots: Slots, stream: Stream, names: Names) -> str:
    """What the names stand for in the tables, so that two readers find the same records; empty if nothing needs it.

    Args:
        template: What is asked.
        slots: Its concepts and clauses.
        stream: The records asked about.
        names: How the register calls the concepts. An abbreviation is explained by the whole name beside it.
    """
    said: dict[str, str] = {}
    pools = template.pools
    concept = slots.concepts.get("concept")
    if stream.definition and not slots.clauses.bare_name:
        said[names.explained(concept) if concept else stream.words.value] = stream.definition
    for slot in ("concept", "anchor", "condition", "cohort", "cohort_not"):
        if slot not in slots.concepts or (slot == "concept" and (stream.definition or slots.clauses.bare_name)):
            continue
        other = slots.concepts[slot]
        if meaning := definition(other, pools[slot]):
            said.setdefault(names.explained(other), meaning)
        elif names.of(other) != other.lay_name:
            said.setdefault(names.of(other), other.lay_name)
    for word, slot in ((template.anchor, "anchor"), (template.condition, "condition")):
        if word is not None and slot not in pools and not slots.clauses.now:
            event = word.event() if isinstance(word, Anchor) else word.during()
            if event.definition:
                said.setdefault(event.words.value, event.definition)
    if template.cohort and template.cohort.definition[0]:
        said.setdefault(*template.cohort.definition)
    if slots.clauses.after_value is not None:
        first = first_value(Speech(template, slots, names), slots.clauses.after_value)
        said[first] = "the earliest usable one of that value within the same time, without which there is no answer"
    if slots.clauses.from_day is not None:
        said[f"day 1 of the {template.unit.short}"] = "the first 24 hours from its beginning"
    if not said:
        return ""
    listed = "; ".join(f"{name} means {meaning}" for name, meaning in said.items())
    return f"Here, {listed}."


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


def contract(template: Template, slots: Slots, stream: Stream, answer: AnswerType, words: dict[str, str]) -> str:
    """What to return and what counts, in one sentence.

    Args:
        template: What is asked.
        slots: Its clauses.
        stream: The records asked about, under their whole names.
        answer: The type of the answer.
        words: What notes can name (`speech.words`), under the whole names.
    """
    if slots.clauses.attribute:
        notes = belonging(template, stream)
        return f"Answer with {answered(answer)}" + "".join(f"; {note}" for note in notes) + "."
    notes = [template.selector.note.format(**words)] if template.selector.note else []
    if template.versus:
        notes.insert(0, "the first minus the second, both being needed")
    if template.aggregator and template.aggregator.note:
        notes.append(template.aggregator.note.format(**words))
    notes += belonging(template, stream)
    counting = f", counting {stream.words.counts}" if stream.words.counts else ""
    return f"Answer with {answered(answer)}{counting}" + "".join(f"; {note}" for note in notes) + "."


def belonging(template: Template, stream: Stream) -> list[str]:
    """What makes a unit count, and what makes a record the unit's: without it, the fact would survive a lost link.

    A dose whose `hadm_id` is gone can still be placed by its time or its order; the question must say that it is not.
    """
    unit, said = template.unit, []
    if stream.daily:
        ends = {Side.BEFORE: "begins", Side.AFTER: "ends"}
        said += [
            f"the day on which the {unit.short} {ends[window.side]} does not count"
            for window in template.windows
            if window.side in ends
        ]
    # What has no link of its own belongs with the record whose time counts: a dose's detail with the dose.
    carriers = [stream.target, *([stream.partner] if stream.partner and stream.clock == "y" else [])]
    for table in (carrier.table for carrier in carriers if carrier.table != unit.table):
        column = tie(table, unit, template.window.side, "x", "f").removeprefix("x.").split()[0]
        if column != "subject_id":
            said.append(f"records belong to the {unit.short} by their {column}")
            break
    if unit.support != "TRUE" and "end after they begin" not in stream.words.counts:
        said.append(f"{with_article(unit.short)} counts only if it ends after it begins")
    return said


def answered(answer: AnswerType) -> str:
    """The contract of the answer's type, with the form of times and codes spelled out."""
    if answer.kind is AnswerKind.TIME:
        form = "YYYY-MM-DD" if answer.resolution == "day" else "YYYY-MM-DD HH:MM"
        return f"{answer.contract} ({form})"
    return answer.contract
