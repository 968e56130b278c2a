"""All an agent may see before its first query, as words and numbers that a classifier can learn from.

That is the question, the answer's contract, the task's id, and its place in a file whose other tasks could be read too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from robustgym.gold import canonical
from schemas.pairs import Task

NONE = -1.0
"""Stands for a number that a task does not have; all others are 0 or more."""

DIGIT, WORD = 0.1, 0.3
"""How much a digit of the id and a word apart count beside a text, whose words together count 1: sixteen digits that
mean nothing must not drown a word that does, where there are few tasks to learn from."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ID = re.compile(r"(?<!\d)[123]\d{7}(?!\d)")
"""subject_id, hadm_id and stay_id have eight digits and begin with 1, 2 and 3."""
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Visible:
    """One task as an agent sees it."""

    text: str
    """Question and contract as they are, digits included."""
    masked: str
    """The same with every number as `#`: wording apart from what was filled in."""
    tokens: dict[str, float]
    """What has no order: each digit of the id at its place, each number as a word, the kind of answer."""
    numbers: tuple[float, ...]
    """What has: see `NUMBERS`."""


def visible(tasks: Sequence[Task]) -> tuple[Visible, ...]:
    """The tasks of one file, in the order of that file.

    Args:
        tasks: Every task of a split, sorted by id, as a release writes them.
    """
    asked = Counter(task.question for task in tasks)
    before: Counter[str] = Counter()
    found = []
    for place, task in enumerate(tasks):
        found.append(_seen(task, place / max(1, len(tasks) - 1), before[task.question], asked[task.question]))
        before[task.question] += 1
    return tuple(found)


def _seen(task: Task, place: float, before: int, asked: int) -> Visible:
    contract = canonical(task.answer.model_dump(mode="json", exclude_defaults=True))
    text = f"{task.question}\n{contract}"
    numbers = _NUMBER.findall(task.question)
    tokens = {f"id {n}={digit}": DIGIT for n, digit in enumerate(task.task_id, start=1)}
    tokens |= {f"number {number}": WORD for number in numbers if len(number) < 8}
    tokens |= {f"kind {task.answer.kind}": WORD}
    return Visible(text, _NUMBER.sub("#", text), tokens, _numbers(task, numbers, place, before, asked))


NUMBERS = (
    "characters",
    "words",
    "letters in a word",
    "sentences",
    "commas",
    "capitals",
    "numbers",
    "ids",
    "subject_id",
    "hadm_id",
    "stay_id",
    "smallest other number",
    "largest other number",
    "mean of the other numbers",
    "ordinals",
    "largest ordinal",
    "decimals of the answer",
    "spellings of its unit",
    "place in the file",
    "tasks with the same question before it",
    "tasks with the same question",
    *(f"digit {n} of the id" for n in range(1, 17)),
)
"""Names of the numbers of a task, in order."""


def _numbers(task: Task, numbers: Sequence[str], place: float, before: int, asked: int) -> tuple[float, ...]:
    question = task.question
    words = _WORD.findall(question)
    ids = [int(number) for number in _ID.findall(question)]
    others = [float(number) for number in numbers if not _ID.fullmatch(number)]
    ordinals = [ORDINALS.index(word.lower()) + 1 for word in words if word.lower() in ORDINALS]
    return (
        float(len(question)),
        float(len(words)),
        mean(map(len, words)) if words else NONE,
        float(sum(question.count(mark) for mark in ".?!")),
        float(question.count(",")),
        float(sum(letter.isupper() for letter in question)),
        float(len(numbers)),
        float(len(ids)),
        *(float(next((i for i in ids if i // 10**7 == kind), NONE)) for kind in (1, 2, 3)),
        min(others, default=NONE),
        max(others, default=NONE),
        mean(others) if others else NONE,
        float(len(ordinals)),
        float(max(ordinals, default=NONE)),
        float(task.answer.decimals),
        float(len(task.answer.unit_synonyms)),
        place,
        float(before),
        float(asked),
        *(float(int(digit, 16)) for digit in task.task_id),
    )
