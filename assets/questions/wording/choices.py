"""What a sentence asks for, item by item, each with the options among which a reader must find it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from assets.questions import vocabulary
from assets.questions.grammar import Slots
from assets.questions.limits import limit_of, measured_limit
from assets.questions.template import Template
from assets.questions.wording.names import Names
from assets.questions.wording.speech import Speech
from schemas.attributes import ATTRIBUTES
from schemas.questions import Scope

NONE = "none"


@dataclass(frozen=True)
class Choice:
    """One thing asked for."""

    right: str
    options: tuple[str, ...]

    def put(self, change: Callable[[str], str]) -> Choice:
        """The same in other words."""
        return Choice(change(self.right), tuple(change(option) for option in self.options))


def choices(template: Template, slots: Slots, names: Names) -> dict[str, Choice]:
    """Everything a sentence asks for beside its ids: measure, windows, limits, condition, cohort, statistic, clauses.

    Args:
        template: What is asked.
        slots: Its concepts, ordinal, threshold and clauses.
        names: How its register calls the concepts.
    """
    speech = Speech(template, slots, names)
    found = {
        "what is measured": _measure(speech),
        "window": _window(speech, 0),
        "window it is compared with": _window(speech, 1),
        "limit": _limit(_limits(speech)),
        "only during": _among(
            (word.words for word in vocabulary.conditions().values()),
            template.condition.words if template.condition else "",
            speech,
        ),
        "restriction": _restriction(slots),
    }
    if template.scope is Scope.POPULATION:
        group = slots.concepts.get("cohort")
        found |= {
            "cohort": _among((word.words for word in vocabulary.cohorts().values()), _cohort_words(template), speech),
            "limit of the cohort": _limit(
                measured_limit(group) if group and "cohort_beyond" in _cohort_words(template) else ""
            ),
            "statistic over the cohort": _statistic(speech),
        }
    return {item: choice for item, choice in found.items() if len(set(choice.options) - {NONE}) > 0}


def _cohort_words(template: Template) -> str:
    return template.cohort.words if template.cohort else ""


def _measure(speech: Speech) -> Choice:
    """The measure, among those of all selectors that this kind of record allows."""
    attribute = speech.slots.clauses.attribute
    stream = speech.stream
    has = {"t": stream.time, "t2": stream.end, "v": stream.value, "name": stream.text, "hit": stream.hit}
    options = []
    for name, selector in vocabulary.selectors().items():
        if all(has.get(need, "always") for need in selector.needs) and ("hit" in selector.needs) == bool(stream.hit):
            options.append(_bare(replace(speech, template=replace(speech.template, selector_name=name))))
    options += [value.missing for value in ATTRIBUTES.values() if speech.template.intent in value.intents]
    right = ATTRIBUTES[attribute].missing if attribute else _bare(speech)
    return Choice(right, tuple(dict.fromkeys([right, *options])))


def _bare(speech: Speech) -> str:
    return " ".join(speech.patterns[1].replace("{rest}", "").format(**{**speech.words, "when": ""}).split())


def _window(speech: Speech, number: int) -> Choice:
    """The window, among those of its unit and of the same anchor."""
    windows = speech.template.windows
    if number >= len(windows):
        return Choice(NONE, (NONE,))
    options = {}
    for name, window in vocabulary.windows().items():
        if window.unit is speech.template.unit and (not window.anchor or window.anchor == _anchor(speech)):
            options[name] = window.words.format(**speech.named) or "over the whole record"
    if speech.slots.clauses.now:
        today = "before now" if number else "as of today"
        return Choice(today, (today, *options.values()))
    name = (speech.template.window_name, speech.template.versus)[number]
    return Choice(options[name], tuple(options.values()))


def _anchor(speech: Speech) -> str:
    return speech.template.anchor.name if speech.template.anchor else ""


def _limits(speech: Speech) -> str:
    """The limit of the measure, or of the units whose share is asked for."""
    if "threshold" in speech.template.selector.uses:
        return speech.words["beyond"]
    if speech.template.aggregator_name == "share_beyond":
        return limit_of(speech.template, speech.stream, speech.slots.threshold).words
    return ""


FLIPPED = (("above ", "below "), ("below ", "above "), ("at most ", "at least "), ("at least ", "at most "))


def _limit(words: str) -> Choice:
    """A limit, or the same on the other side."""
    if not words:
        return Choice(NONE, (NONE,))
    other = next((words.replace(a, b, 1) for a, b in FLIPPED if words.startswith(a)), NONE)
    return Choice(words, (words, other, NONE))


class _Named(dict[str, str]):
    """Names for a pattern; dots for those that this question does not have."""

    def __missing__(self, key: str) -> str:
        return "..."


def _among(patterns: Iterable[str], one: str, speech: Speech) -> Choice:
    """One pattern among all of its sort, with the names of this question in it."""
    named = _Named(speech.named | {"units": speech.template.unit.nouns})
    options = dict.fromkeys(pattern.format_map(named) for pattern in patterns)
    return Choice(one.format_map(named) or NONE, (*options, NONE))


def _statistic(speech: Speech) -> Choice:
    """How the cohort's measures are put together, among all ways."""

    def said(name: str) -> str:
        word = vocabulary.aggregators()[name]
        if word.group:
            return word.asks.format(**speech.words)
        return (word.noun or word.asks).split(" {")[0] + " ..."

    options = {name: said(name) for name in vocabulary.aggregators()}
    return Choice(options[speech.template.aggregator_name], tuple(dict.fromkeys(options.values())))


def _restriction(slots: Slots) -> Choice:
    """What else restricts the question; its numbers are checked elsewhere."""
    clauses = slots.clauses
    options = {
        "only from a day of the stay or admission on": clauses.from_day is not None,
        "only what came after a value of it": clauses.after_value is not None,
        "in a unit that is named": clauses.asked_unit is not None,
        "only within a calendar year": clauses.calendar_year is not None,
        "only units that meet two conditions at once": clauses.contradiction,
    }
    right = " and ".join(words for words, given in options.items() if given) or NONE
    return Choice(right, tuple(dict.fromkeys([*options, right, NONE])))
