"""An agent that knows every task's reference and works it through the tools any agent has. It must score 1.

It does not read the gold answer: it submits what the reference shows in the session it is given, and abstains, with the
reference and the witness as evidence, where that is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from robustgym.agents import Desk
from robustgym.gold import GoldError, canonical, gold_from_rows
from robustgym.shown import Shown
from schemas.answers import AnswerKind
from schemas.pairs import GoldRow, Task
from schemas.verdicts import Transcript


class Oracle:
    """The yardstick: what a release asks can be answered with its own tools."""

    def __init__(self, rows: Iterable[GoldRow]) -> None:
        self._rows = {row.task_id: row for row in rows}

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Run the reference, and the witness where there is no answer."""
        row = self._rows[task.task_id]
        shown = _reference(row, desk)
        # A reference that fails, or that cannot be read, is no abstention: the release fails for it.
        if not shown.ok:
            return desk.transcript
        try:
            gold = gold_from_rows(task.answer, shown.columns, shown.rows)
        except GoldError:
            return desk.transcript
        if gold is None:
            for table in row.schema_evidence:
                desk.schema(table)
            if row.witness_sql:
                desk.sql(row.witness_sql)
        desk.submit(canonical(gold))
        return desk.transcript


def _reference(row: GoldRow, desk: Desk) -> Shown:
    """What the reference shows; a set that is too long for a cell, as one row a member."""
    shown = desk.sql(row.reference_sql)
    if shown.notice and row.answer.kind is AnswerKind.SET and len(shown.rows) == 1:
        [column] = shown.columns
        return desk.sql(f'SELECT unnest("{column}") AS "{column}" FROM ({row.reference_sql})')
    return shown


def oracle(rows: Iterable[GoldRow]) -> Oracle:
    """The agent.

    Args:
        rows: The gold rows of the tasks it will be given.
    """
    return Oracle(rows)
