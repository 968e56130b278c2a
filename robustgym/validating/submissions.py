"""Labelled submissions: of each sort some, spread over the operators, kinds of answer and scopes of a release."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from robustgym.validating import abstentions, answers
from schemas.pairs import Condition, GoldRow

STRANGERS = 12
"""Other tasks among which one is looked for whose records have nothing to do with this one."""

PER_STRATUM = 3
"""Submissions of one sort for each operator and scope (abstentions; in Python, for each scope), and four times as many
for each kind of answer and scope (answers)."""


@dataclass(frozen=True)
class Submission:
    """What an agent might do with a task, and whether that deserves success."""

    row: GoldRow
    sort: str
    """What it is: "right: as text", "wrong: another unit", "no evidence: SELECT 1"."""
    success: bool
    """Whether it must count as a success."""
    answer: str
    """The answer, as JSON text."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Calls before it, as tool and arguments."""

    @property
    def python(self) -> bool:
        """Whether it works in Python: slow to judge, since every replay has an interpreter of its own."""
        return any(tool == "python" for tool, _ in self.calls)


def submissions(
    rows: Iterable[GoldRow], *, python: bool = False, per_stratum: int = PER_STRATUM
) -> tuple[Submission, ...]:
    """The labelled submissions of a release, in a fixed order.

    The same release gives the same ones: which tasks each sort is tried on goes by a hash of task and sort.

    Args:
        rows: Its gold rows.
        python: Whether evidence is also looked for with the Python tool.
        per_stratum: Submissions of one sort, for each stratum.
    """
    tasks = sorted(rows, key=lambda row: row.task_id)
    peers: dict[str, list[GoldRow]] = {}
    for row in tasks:
        if row.condition is Condition.CLEAN:
            peers.setdefault(row.template, []).append(row)
    clean = [row for row in tasks if row.condition is Condition.CLEAN]
    twins = {row.pair_id: row for row in clean}
    found: list[Submission] = []
    for number, row in enumerate(tasks):
        others = peers.get(row.template, [])
        if row.gold is None:
            strangers = [clean[(number + step) % len(clean)] for step in range(min(STRANGERS, len(clean)))]
            made = abstentions.of(row, others, strangers, python=python)
        else:
            made = answers.of(row, others, twins.get(row.pair_id))
        found += [Submission(row, *each) for each in made]
    return tuple(_spread(found, per_stratum))


def _spread(found: Sequence[Submission], per_stratum: int) -> Iterator[Submission]:
    """At most so many of each sort in each stratum."""
    taken: Counter[tuple[str, ...]] = Counter()
    for submission in sorted(found, key=_place):
        row = submission.row
        among = "" if submission.python else row.operator if row.gold is None else row.answer.kind
        stratum = (submission.sort, among, row.scope)
        if taken[stratum] < per_stratum * (1 if row.gold is None else 4):
            taken[stratum] += 1
            yield submission


def _place(submission: Submission) -> str:
    return hashlib.sha256(f"validate|{submission.sort}|{submission.row.task_id}".encode()).hexdigest()
