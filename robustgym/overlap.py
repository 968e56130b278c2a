"""How much of the test split the train split gives away: patients, parameters, questions, templates, n-grams.

A held-out patient is no protection where the words are the same, so the words are measured too. The contract under a
question and the template's own wording recur by design; the figures say how far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from robustgym.gold import canonical
from schemas.pairs import Condition, GoldRow, Split
from schemas.questions import Scope

N = 13
"""Words of an n-gram: the length that GPT-3's contamination study settled on (Brown et al. 2020, appendix C)."""

_WORD = re.compile(r"[^\W_]+(?:[.:'-][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.:-]\d+)*")


@dataclass(frozen=True)
class Overlap:
    """The measured overlap of train and test."""

    patients: tuple[int, ...]
    """Patients that questions of both splits are about. Must be none."""
    parameters: tuple[str, ...]
    """Clean population questions, as `template {parameters}`, asked in both. Must be none."""
    handled: int
    """Patients whose records an overlay of one split touches while a question of the other is about them."""
    questions: int
    """Test tasks whose text stands in train, word for word."""
    verbatim: int
    """Test tasks that share an n-gram with train."""
    covered: float | None
    """Share of a test task's n-grams that stand in train, on average; None without test tasks."""
    masked: int
    """The same with every number replaced by one mark: wording that recurs while ids and thresholds change."""
    templates: tuple[str, ...]
    """Templates of test that train does not have."""
    shared_templates: int
    """Test tasks of a template that train has."""
    concepts: tuple[str, ...]
    """Concepts and other named slots of test that train does not have, as `slot=name`."""
    shared_concepts: int
    """Test tasks that name only concepts that train names; tasks that name none count."""
    tasks: int
    """Test tasks in all."""


@dataclass(frozen=True)
class Train:
    """What a train split holds, read once to measure several sets of test tasks against it."""

    texts: frozenset[str]
    grams: frozenset[tuple[str, ...]]
    masks: frozenset[tuple[str, ...]]
    """N-grams with every number replaced by one mark."""
    templates: frozenset[str]
    concepts: frozenset[str]
    asked: frozenset[str]
    about: frozenset[int]
    handled: frozenset[int]


def of_train(rows: Iterable[GoldRow]) -> Train:
    """What the train split of these rows holds."""
    train = [row for row in rows if row.split is Split.TRAIN]
    return Train(
        texts=frozenset(row.question for row in train),
        grams=frozenset(gram for row in train for gram in ngrams(row.question)),
        masks=frozenset(gram for row in train for gram in ngrams(_NUMBER.sub("0", row.question))),
        templates=frozenset(row.template for row in train),
        concepts=frozenset(name for row in train for name in concepts(row)),
        asked=frozenset(_asked(train)),
        about=frozenset(s for row in train for s in row.subject_ids),
        handled=frozenset(s for row in train for s in handled(row)),
    )


def measure(rows: Iterable[GoldRow], train: Train | None = None) -> Overlap:
    """The overlap of the two splits of a release.

    Args:
        rows: Tasks of both splits; those of test are measured.
        train: What to measure them against. None for the train split of the same rows.
    """
    rows = sorted(rows, key=lambda row: row.task_id)
    train = train or of_train(rows)
    test = [row for row in rows if row.split is Split.TEST]
    about = {s for row in test for s in row.subject_ids}
    touched = {s for row in test for s in handled(row)}
    return Overlap(
        patients=tuple(sorted(train.about & about)),
        parameters=tuple(sorted(train.asked & _asked(test))),
        handled=len((train.handled & about) | (touched & train.about)),
        questions=sum(row.question in train.texts for row in test),
        verbatim=sum(any(gram in train.grams for gram in ngrams(row.question)) for row in test),
        covered=_mean([_covered(row.question, train.grams) for row in test]),
        masked=sum(any(gram in train.masks for gram in ngrams(_NUMBER.sub("0", row.question))) for row in test),
        templates=tuple(sorted({row.template for row in test} - train.templates)),
        shared_templates=sum(row.template in train.templates for row in test),
        concepts=tuple(sorted({name for row in test for name in concepts(row)} - train.concepts)),
        shared_concepts=sum(train.concepts.issuperset(concepts(row)) for row in test),
        tasks=len(test),
    )


def ngrams(text: str, n: int = N) -> Iterator[tuple[str, ...]]:
    """Every run of n words, in lower case and without punctuation.

    >>> list(ngrams("First lactate, please: mmol/L", n=3))
    [('first', 'lactate', 'please'), ('lactate', 'please', 'mmol'), ('please', 'mmol', 'l')]
    """
    words = _WORD.findall(text.lower())
    return (tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def concepts(row: GoldRow) -> tuple[str, ...]:
    """The slots of a question that are filled by a name, not by an id, a number or a time."""
    named = ((slot, value) for slot, value in sorted(row.parameters.items()) if isinstance(value, str))
    return tuple(f"{slot}={value}" for slot, value in named if not _NUMBER.fullmatch(value[:10]))


def handled(row: GoldRow) -> frozenset[int]:
    """The patients whose records the overlay touches, or to whom it hands a record over."""
    found = set()
    for edit in row.overlay.edits:
        cells = (getattr(edit, "after", {}) | {"": getattr(edit, "subject_id", None)}).items()
        found |= {value for column, value in cells if column in ("", "subject_id") and isinstance(value, int)}
    return frozenset(found)


def _covered(text: str, grams: frozenset[tuple[str, ...]]) -> float:
    own = list(ngrams(text))
    return sum(gram in grams for gram in own) / len(own) if own else 0.0


def _mean(shares: list[float]) -> float | None:
    return round(sum(shares) / len(shares), 4) if shares else None


def _asked(rows: Iterable[GoldRow]) -> set[str]:
    clean = (row for row in rows if row.condition is Condition.CLEAN and row.scope is Scope.POPULATION)
    return {f"{row.template} {canonical(row.parameters)}" for row in clean}
