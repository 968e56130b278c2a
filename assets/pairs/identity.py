"""Names of questions and pairs, and the draws made from them: no shared random stream, no order of tables."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import TypeVar

from robustgym.gold import canonical
from schemas.overlays import Value
from schemas.pairs import Condition, Split

T = TypeVar("T")


def digest(*parts: object) -> str:
    """sha256 of the parts, in hex (64 digits).

    >>> digest("a", 1) == digest("a", 1), digest("a", 1) == digest("a1")
    (True, False)
    """
    return hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()


def drawn(items: Iterable[T], *seed: object, key: Callable[[T], object] = str) -> list[T]:
    """The items in an order that depends on the seed and on each item alone: take the first n to draw n.

    >>> drawn(["a", "b", "c"], 0) == drawn(["c", "a", "b"], 0)
    True
    """
    return sorted(items, key=lambda item: digest(*seed, key(item)))


def question_id(template: str, parameters: Mapping[str, Value]) -> str:
    """Name of a clean question: 16 hex digits of its template and parameters."""
    return digest("question", template, canonical(dict(parameters)))[:16]


def pair_id(question: str, operator: str, severity: str) -> str:
    """Name of a pair: 16 hex digits of its clean question, operator and severity."""
    return digest("pair", question, operator, severity)[:16]


def task_id(seed: int, pair: str, condition: Condition) -> str:
    """Name of a task, as an agent sees it: 16 hex digits from which neither pair nor condition can be read."""
    return digest("task", seed, pair, condition.value)[:16]


def random_for(seed: int, *name: object) -> Random:
    """The generator of one named thing."""
    return Random(int(digest("random", seed, *name)[:16], 16))


def split_of(seed: int, share: float, *who: object) -> Split:
    """The split of a patient (by subject_id) or of a population question (by template and parameters)."""
    return Split.TEST if int(digest("split", seed, *who)[:8], 16) < share * 2**32 else Split.TRAIN
