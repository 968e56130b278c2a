"""Lead and question in a model's words, where everything they ask for survives a round trip; optional.

Only the sentence that asks is reworded, never definitions or contract. The model sees it with placeholders for ids and
concepts, so that questions that differ in nothing else are reworded alike, be they clean or noisy. A rewording is taken
if placeholders and numbers are all there and a second call, which sees the rewording alone, chooses from closed lists
the very window, measure, limit, cohort and clauses that the template has. Both tasks of a pair are reworded, or none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from assets.questions import naming
from assets.questions.english import clipped
from assets.questions.sampling import slots_of
from assets.questions.template import Template
from assets.questions.wording import register_of, sentence_of
from assets.questions.wording.choices import Choice, choices
from assets.validation.model_check import consult
from robustgym.endpoint import Endpoint
from schemas.noise import Level
from schemas.overlays import Value
from schemas.pairs import GoldRow, Pair
from schemas.release import SourceKind

REWORD = """\
You reword questions to a hospital's database. Keep the meaning exactly: whom it is about, which records count, the
window with both ends, the direction of every comparison, every limit with its unit, and how results are put together.
Keep every placeholder in brackets ([A], [B] ...) and every number as written, each as often as it stands there, and add
none. Write one sentence that ends in a question mark or a full stop, in the style that is named.

Answer with one JSON object and nothing else: {"text": "the reworded question"}
"""

RECOGNISE = """\
You read a question to a hospital's database; placeholders in brackets ([A], [B] ...) stand for ids and for concepts.
For each item under CHOOSE copy the one option that says what the question asks for, word for word. If none fits, choose
"none".

Answer with one JSON object and nothing else: {"chosen": {"item": "option", ...}}
"""

LONGEST = 2.0
"""A rewording is at most so many times as long as the question: longer ones explain or add."""


class Rewording(BaseModel):
    """What the model makes of a sentence."""

    model_config = ConfigDict(extra="ignore", strict=True)

    text: str


class Recognised(BaseModel):
    """What the model finds in a rewording."""

    model_config = ConfigDict(extra="ignore", strict=True)

    chosen: dict[str, str]


@dataclass(frozen=True)
class Skeleton:
    """A sentence with placeholders for ids and concepts, and what it asks for."""

    text: str
    style: str
    shown: Mapping[str, str]
    """What each placeholder stands for."""
    choices: Mapping[str, Choice]

    @property
    def to_reword(self) -> str:
        """What the model reads first."""
        return f"STYLE: {self.style}\nQUESTION: {self.text}"

    def to_recognise(self, rewording: str) -> str:
        """What the model reads of a rewording."""
        lists = "\n".join(
            f"- {item}: " + " | ".join(sorted({*choice.options, "none"})) for item, choice in self.choices.items()
        )
        return f"QUESTION: {rewording}\nCHOOSE\n{lists}"

    def refused(self, rewording: str) -> str:
        """Why a rewording cannot stand, whatever it means; empty if it can."""
        if placeholders(rewording) != placeholders(self.text):
            return "placeholders differ"
        if numbers(rewording) != numbers(self.text):
            return "numbers differ"
        if not re.fullmatch(r"[^\n?]+[?.]", rewording) or re.search(r"\bHere, |\bAnswer with\b|[{}]", rewording):
            return "not one sentence"
        if len(rewording) > LONGEST * len(self.text):
            return "too long"
        return ""

    def lost(self, recognised: Recognised) -> str:
        """The first thing asked for that did not come back; empty if everything did."""
        wrong = (item for item, choice in self.choices.items() if recognised.chosen.get(item) != choice.right)
        return next((f"{item} did not come back" for item in wrong), "")

    def filled(self, rewording: str) -> str:
        """A rewording with ids and concepts in their places."""
        return re.sub(r"\[[A-Z]\]", lambda found: self.shown[found[0]], rewording)


def placeholders(text: str) -> Counter[str]:
    """How often each placeholder stands in a text."""
    return Counter(re.findall(r"\[[^\]]*\]", text))


def numbers(text: str) -> Counter[str]:
    """How often each number stands in a text.

    >>> sorted(numbers("above 5.5 in the first 24 h, not 24h").elements())
    ['24', '24', '5.5']
    """
    return Counter(re.findall(r"\d+(?:\.\d+)?", text))


WORDS = "its noise lies in the words"
"""Why a pair is not reworded: a model would mend the slips and leave out the remarks."""


@dataclass(frozen=True)
class Paraphrased:
    """Pairs after rewording."""

    pairs: tuple[Pair, ...]
    """All of them, in their order; those that could not be reworded as they were."""
    reworded: int
    """How many pairs were."""
    refusals: tuple[tuple[str, int], ...]
    """Why the others were not, with how many."""


def paraphrased(
    pairs: Sequence[Pair],
    endpoint: Endpoint | None,
    *,
    memory: Path,
    kind: SourceKind,
    confirmed: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Paraphrased:
    """Pairs with the sentences that ask in a model's words, where everything asked for survives.

    Args:
        pairs: Clean and noisy tasks with their templates and parameters.
        endpoint: Whom to ask; None changes nothing.
        memory: Directory of the answers given before, by content. With it complete, nobody is asked and the result is
            always the same.
        kind: Licence class of the source. Credentialed texts go to a local endpoint, or to one that is confirmed.
        confirmed: Whether a zero-retention agreement with the endpoint was confirmed.
        progress: Called once per answer.

    Raises:
        InputError: The endpoint may not be asked, cannot be reached or refuses.
    """
    if endpoint is None:
        return Paraphrased(tuple(pairs), 0, ())
    both = [() if _in_the_words(pair) else (skeleton_of(pair.clean), skeleton_of(pair.noise)) for pair in pairs]
    skeletons = list({s.to_reword: s for pair in both for s in pair}.values())
    texts, why = _reworded(skeletons, endpoint, memory, kind, confirmed, progress)
    made: list[Pair] = []
    refusals: Counter[str] = Counter()
    for pair, sentences in zip(pairs, both, strict=True):
        missing = [why[s.to_reword] for s in sentences if s.to_reword not in texts] if sentences else [WORDS]
        if missing:
            refusals[missing[0]] += 1
            made.append(pair)
        else:
            made.append(Pair(*(_said(row, s, texts) for row, s in zip(pair, sentences, strict=True))))
    return Paraphrased(tuple(made), len(pairs) - refusals.total(), tuple(sorted(refusals.items())))


def _in_the_words(pair: Pair) -> bool:
    return pair.clean.level is Level.QUERY and pair.clean.parameters == pair.noise.parameters


def _said(row: GoldRow, skeleton: Skeleton, texts: Mapping[str, str]) -> GoldRow:
    sentence = skeleton.filled(texts[skeleton.to_reword])
    small_print = row.question[len(sentence_of(row.question)) :]
    return row.model_copy(update={"question": sentence[0].upper() + sentence[1:] + small_print})


def _reworded(
    skeletons: Iterable[Skeleton],
    endpoint: Endpoint,
    memory: Path,
    kind: SourceKind,
    confirmed: bool,
    progress: Callable[[str, int, int], None] | None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Accepted rewordings, and for the others why not, both by what the model was asked."""

    def tell(what: str) -> Callable[[int, int], None]:
        return lambda done, of: progress(what, done, of) if progress else None

    by_text = {skeleton.to_reword: skeleton for skeleton in skeletons}
    first = consult(
        endpoint,
        REWORD,
        list(by_text),
        Rewording,
        answers=memory / "rewordings.jsonl",
        kind=kind,
        confirmed=confirmed,
        progress=tell(f"{endpoint.model} rewords questions"),
    )
    why = {text: "no usable answer" for text in by_text if text not in first}
    why |= {text: reason for text, (_, said) in first.items() if (reason := by_text[text].refused(said.text))}
    left = {text: said.text for text, (_, said) in first.items() if text not in why}
    asked = {text: by_text[text].to_recognise(said) for text, said in left.items()}
    second = consult(
        endpoint,
        RECOGNISE,
        list(asked.values()),
        Recognised,
        answers=memory / "recognised.jsonl",
        kind=kind,
        confirmed=confirmed,
        progress=tell(f"{endpoint.model} reads them back"),
    )
    for text, question in asked.items():
        reason = by_text[text].lost(second[question][1]) if question in second else "no usable answer"
        if reason:
            why[text] = reason
    return {text: said for text, said in left.items() if text not in why}, why


def skeleton_of(row: GoldRow) -> Skeleton:
    """The sentence of a task with placeholders, and what it asks for."""
    return skeleton(Template.parse(row.template), row.parameters, row.question)


def skeleton(template: Template, parameters: Mapping[str, Value], text: str) -> Skeleton:
    """The sentence of a question with placeholders, and what it asks for.

    Args:
        template: What is asked.
        parameters: As in `ask`.
        text: The question's text.
    """
    register = register_of(template, parameters)
    slots = naming.called(template, slots_of(template, parameters))
    names = [str(parameters[column]) for column in template.unit.ids if column in parameters]
    concepts = [register.names.of(slots.concepts[slot]) for slot in template.pools]
    names += [clipped(name) if register.clipped else name for name in concepts]
    tokens = {name: f"[{chr(65 + i)}]" for i, name in enumerate(dict.fromkeys(names))}
    longest_first = sorted(tokens, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first)) if tokens else None

    def hidden(said: str) -> str:
        return pattern.sub(lambda found: tokens[found[0]], said) if pattern else said

    asked = {item: choice.put(hidden) for item, choice in choices(template, slots, register.names).items()}
    shown = {token: name for name, token in tokens.items()}
    return Skeleton(hidden(sentence_of(text)), register.name.replace("_", " "), shown, asked)
