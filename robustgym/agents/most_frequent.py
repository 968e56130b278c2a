"""An agent that looks at nothing and gives the answer that its template has most often in training.

Where training has none of the template it takes those of the same contract, then of the same kind. It must not score
much better than chance on clean tasks, and 0 where abstaining is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from robustgym.agents import Desk
from robustgym.agents._experience import Experience
from robustgym.gold import canonical
from schemas.pairs import GoldRow, Task
from schemas.verdicts import Transcript


class MostFrequent:
    """Experience without a look."""

    def __init__(self, experience: Experience) -> None:
        self._experience = experience

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Submit the most frequent answer."""
        answers = Counter(canonical(gold) for gold in self._experience.of(task))
        desk.submit(min(answers, key=lambda answer: (-answers[answer], answer), default="null"))
        return desk.transcript


def most_frequent(rows: Iterable[GoldRow], train: Iterable[GoldRow]) -> MostFrequent:
    """The agent.

    Args:
        rows: The gold rows of the tasks it will be given; only their templates are used.
        train: The gold rows of the train split.
    """
    return MostFrequent(Experience(rows, train))
