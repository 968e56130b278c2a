"""The release cell by cell (intent × scope): what is asked, how hard it is, what is answered, what train gives away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from robustgym import overlap
from robustgym.gold import canonical
from schemas.answers import GUESSED, AnswerKind
from schemas.pairs import Condition, GoldRow, Split
from schemas.questions import Intent, Scope

ASKED_AT_LEAST = 5
"""Clean tasks of a template before its commonest answer says anything of it."""


@dataclass(frozen=True)
class Guess:
    """What always giving a template's commonest gold answer is worth on its clean tasks."""

    template: str
    kind: AnswerKind
    tasks: int
    hits: int

    @property
    def share(self) -> float:
        """Share of the tasks it gets right."""
        return self.hits / self.tasks

    @property
    def exceeds(self) -> bool:
        """Whether one answer is more frequent than a balanced template has it."""
        return self.share > GUESSED.get(self.kind, 1.0)


@dataclass(frozen=True)
class CellOf:
    """One of the twelve cells. Questions are clean questions: a pair's noise task asks the same, or a spoilt one."""

    intent: Intent
    scope: Scope
    pairs: Mapping[Split, int]
    templates: int
    questions: int
    """Different clean questions: some are asked in several pairs, each with another fault."""
    compiled: float | None
    """Mean structural components of its templates' references, as run; None where they were not counted."""
    normalised: float | None
    """The same without what only the compiler needs."""
    base_tables: float | None
    """Mean number of base tables a template reads."""
    many_tables: float | None
    """Share of its templates over three or more."""
    records: float | None
    """Median number of associated records of a question."""
    answers: tuple[tuple[AnswerKind, int], ...]
    """Questions by kind of answer, the commonest first."""
    tables: tuple[tuple[str, int], ...]
    """Questions by base table, the commonest first."""
    concepts: tuple[tuple[str, int], ...]
    """Questions by the concept they are about, the commonest first."""
    distinct: int
    """Different gold answers of its questions."""
    commonest: int
    """Questions that have the commonest of them."""
    guessed: float | None
    """Score, on clean tasks, of always giving the template's commonest gold answer (templates asked often enough)."""
    abstain: int
    """Noise tasks where abstaining is right."""
    noise: int
    """Noise tasks."""
    overlap: overlap.Overlap
    """What the whole of train gives away of its test tasks."""


def cells(rows: Sequence[GoldRow], complexity: Iterable[Mapping[str, Any]]) -> tuple[CellOf, ...]:
    """The cells that have pairs.

    Args:
        rows: Both tasks of every pair.
        complexity: The draft's, one row per template.
    """
    counted = {row["template"]: row for row in complexity}
    train = overlap.of_train(rows)
    found = []
    for intent in Intent:
        for scope in Scope:
            here = [row for row in rows if (row.intent, row.scope) == (intent, scope)]
            if here:
                found.append(_cell(intent, scope, here, counted, train))
    return tuple(found)


def _cell(
    intent: Intent,
    scope: Scope,
    rows: Sequence[GoldRow],
    counted: Mapping[str, Mapping[str, Any]],
    train: overlap.Train,
) -> CellOf:
    clean = [row for row in rows if row.condition is Condition.CLEAN]
    noise = [row for row in rows if row.condition is Condition.NOISE]
    questions = list({(row.template, canonical(row.parameters)): row for row in clean}.values())
    templates = sorted({row.template for row in clean})
    hard = [counted[template] for template in templates if template in counted]
    golds = Counter(canonical(row.gold) for row in questions)
    guesses = guesses_of(rows, kinds=frozenset(AnswerKind))
    return CellOf(
        intent=intent,
        scope=scope,
        pairs={split: sum(row.split is split for row in clean) for split in Split},
        templates=len(templates),
        questions=len(questions),
        compiled=_mean(one["compiled"] for one in hard),
        normalised=_mean(one["normalised"] for one in hard),
        base_tables=_mean(len(one["tables"]) for one in hard),
        many_tables=_mean(len(one["tables"]) >= 3 for one in hard),
        records=median(sum(r.n for r in row.records) for row in questions) if questions else None,
        answers=_ranked(row.answer.kind for row in questions),
        tables=_ranked(table for row in questions for table in row.tables),
        concepts=_ranked(str(row.parameters["concept"]) for row in questions if "concept" in row.parameters),
        distinct=len(golds),
        commonest=max(golds.values(), default=0),
        guessed=sum(g.hits for g in guesses) / sum(g.tasks for g in guesses) if guesses else None,
        abstain=sum(row.gold is None for row in noise),
        noise=len(noise),
        overlap=overlap.measure(rows, train),
    )


def guesses_of(rows: Iterable[GoldRow], kinds: Collection[AnswerKind] = tuple(GUESSED)) -> tuple[Guess, ...]:
    """How far the commonest gold answer of each template goes, the most guessable first.

    From the clean tasks alone and in sample, so it is the most that guessing can reach; a noise task is never won by it
    that abstains. Templates asked fewer than five times are left out.
    """
    golds: dict[tuple[str, AnswerKind], Counter[str]] = {}
    for row in rows:
        if row.condition is Condition.CLEAN and row.answer.kind in kinds:
            golds.setdefault((row.template, row.answer.kind), Counter())[canonical(row.gold)] += 1
    found = [
        Guess(template, kind, answers.total(), max(answers.values()))
        for (template, kind), answers in golds.items()
        if answers.total() >= ASKED_AT_LEAST
    ]
    return tuple(sorted(found, key=lambda guess: (-guess.share, guess.template)))


def _ranked(things: Iterable[Any]) -> tuple[tuple[Any, int], ...]:
    return tuple(sorted(Counter(things).items(), key=lambda item: (-item[1], str(item[0]))))


def _mean(numbers: Iterable[float]) -> float | None:
    numbers = list(numbers)
    return mean(numbers) if numbers else None
