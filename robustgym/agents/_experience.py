"""What training teaches about answers without a look at the record: those of the same template, contract or kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from schemas.answers import AnswerType, Gold
from schemas.pairs import GoldRow, Task


class Experience:
    """Answers of the train split.

    Args:
        rows: The gold rows of the tasks that are asked; only their templates are used.
        train: The gold rows of the train split.
    """

    def __init__(self, rows: Iterable[GoldRow], train: Iterable[GoldRow]) -> None:
        self._template = {row.task_id: row.template for row in rows}
        self._seen: defaultdict[Hashable, list[Gold]] = defaultdict(list)
        for row in sorted(train, key=lambda row: row.task_id):
            if row.gold is not None:
                for key in _keys(row.template, row.answer):
                    self._seen[key].append(row.gold)

    def of(self, task: Task) -> Sequence[Gold]:
        """Answers of the task's template; else of the same contract, else of the same kind; none if there are none."""
        for key in _keys(self._template[task.task_id], task.answer):
            if key in self._seen:
                return self._seen[key]
        return ()


def _keys(template: str, answer: AnswerType) -> tuple[Hashable, ...]:
    """From near to far. Whatever is found under one of them has the form that the contract asks for."""
    form = (answer.kind, answer.with_version, answer.columns)
    return (template, form), answer, form
