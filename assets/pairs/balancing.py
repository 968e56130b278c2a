"""Answers that cannot be guessed from the template.

Of its yes-or-no questions at most half have one answer, of its categories, codes and sets at most three in ten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from robustgym.gold import canonical
from schemas.answers import GUESSED, AnswerKind, Gold

T = TypeVar("T")


def most(kind: AnswerKind, questions: int) -> int:
    """How many of so many questions of one template may have the same answer.

    >>> most(AnswerKind.YES_NO, 8), most(AnswerKind.SET, 8), most(AnswerKind.QUANTITY, 8)
    (4, 2, 8)
    """
    if kind not in GUESSED:
        return questions
    return max(1, int(GUESSED[kind] * questions))


def attainable(kind: AnswerKind, questions: int) -> int:
    """How many of so many questions can be kept: of yes or no, twice as many as may have one answer.

    >>> attainable(AnswerKind.YES_NO, 5), attainable(AnswerKind.YES_NO, 6), attainable(AnswerKind.COUNT, 5)
    (4, 6, 5)
    """
    return min(questions, 2 * most(kind, questions)) if kind is AnswerKind.YES_NO else questions


def surplus(kind: AnswerKind, golds: Sequence[Gold]) -> Iterator[int]:
    """Which of a template's questions, by place, must go so that its most frequent answer is no good guess.

    The later ones of the most frequent answer go first; all go where every question has the same answer.

    >>> list(surplus(AnswerKind.YES_NO, [True, False, True, True, True]))
    [4, 3, 2]
    >>> list(surplus(AnswerKind.YES_NO, [False, False]))
    [0, 1]
    """
    left = {place: canonical(gold) for place, gold in enumerate(golds)}
    if kind in GUESSED and len(left) > 1 and len(set(left.values())) == 1:
        yield from left
        return
    while left:
        [(answer, n)] = Counter(left.values()).most_common(1)
        if n <= most(kind, len(left)):
            return
        last = max(place for place, text in left.items() if text == answer)
        del left[last]
        yield last
