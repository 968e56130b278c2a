"""An agent that knows how each question is computed and takes the record as it finds it.

It runs the naive reference: the right tables, patient, window and sum, without a test of whether a value is there,
plausible, in the unit asked for and at a known time. On clean tasks it is nearly an oracle; on noise it answers from
what supports nothing, or has nothing to answer and does not say what it saw. It abstains where its one statement gives
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from robustgym.agents import Desk
from robustgym.gold import GoldError, canonical, gold_from_rows
from schemas.pairs import GoldRow, Task
from schemas.verdicts import Transcript


class NoiseBlind:
    """Takes every record at its word."""

    def __init__(self, rows: Iterable[GoldRow]) -> None:
        self._rows = {row.task_id: row for row in rows}

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Run the naive reference and submit what it gives."""
        shown = desk.sql(self._rows[task.task_id].naive_sql)
        if shown.ok:
            try:
                answer = canonical(gold_from_rows(task.answer, shown.columns, shown.rows))
            except GoldError:
                # Several values where one is asked for, or a text for a number: it has nothing it could submit.
                answer = "null"
            desk.submit(answer)
        return desk.transcript


def noise_blind(rows: Iterable[GoldRow]) -> NoiseBlind:
    """The agent.

    Args:
        rows: The gold rows of the tasks it will be given; only their naive references are used.
    """
    return NoiseBlind(rows)
