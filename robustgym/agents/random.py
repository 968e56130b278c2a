"""An agent that looks at nothing and draws an answer from within the range of those that training has.

Numbers and times lie evenly between the smallest and the largest answer of the template (else of the contract, else of
the kind); anything else is one of those answers. What it scores is what luck is worth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random

from robustgym.agents import Desk
from robustgym.agents._experience import Experience
from robustgym.gold import canonical
from schemas.answers import AnswerKind, AnswerType, Gold
from schemas.pairs import GoldRow, Task
from schemas.verdicts import Transcript

_UNSEEN: Mapping[AnswerKind, Sequence[Gold]] = {
    AnswerKind.QUANTITY: (0, 100),
    AnswerKind.DURATION: (0, 100),
    AnswerKind.COUNT: (0, 100),
    AnswerKind.YES_NO: (False, True),
    AnswerKind.TIME: ("2110-01-01T00:00:00", "2210-01-01T00:00:00"),
    AnswerKind.SET: ([],),
    AnswerKind.ROWS: ([],),
}
"""What it draws from where training has no answer of the kind. MIMIC-IV's times lie between 2110 and 2210."""


class Guesser:
    """Luck, reproducibly: the same draw for the same seed and task."""

    def __init__(self, seed: str, experience: Experience) -> None:
        self._seed, self._experience = seed, experience

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Submit a draw."""
        digest = hashlib.sha256(f"{self._seed}|{task.task_id}".encode()).digest()
        golds = self._experience.of(task) or _UNSEEN.get(task.answer.kind, (None,))
        desk.submit(canonical(_drawn(golds, task.answer, Random(int.from_bytes(digest)))))
        return desk.transcript


def _drawn(golds: Sequence[Gold], answer: AnswerType, rng: Random) -> Gold:
    match answer.kind:
        case AnswerKind.COUNT:
            return rng.randint(min(golds), max(golds))
        case AnswerKind.QUANTITY | AnswerKind.DURATION:
            return round(rng.uniform(min(golds), max(golds)), answer.decimals) + 0.0
        case AnswerKind.TIME:
            first, last = datetime.fromisoformat(min(golds)), datetime.fromisoformat(max(golds))
            return (first + (last - first) * rng.random()).replace(microsecond=0).isoformat()
        case _:
            return rng.choice(golds)


def random(seed: str, rows: Iterable[GoldRow], train: Iterable[GoldRow]) -> Guesser:
    """The agent.

    Args:
        seed: Another seed, other draws.
        rows: The gold rows of the tasks it will be given; only their templates are used.
        train: The gold rows of the train split, whose answers say what is in range.
    """
    return Guesser(seed, Experience(rows, train))
