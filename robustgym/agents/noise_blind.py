"""An agent that knows how each question is computed and takes the record as it finds it.

It runs the naive reference: the right tables, patient, window and sum, without a test of whether a value is there,
plausible, in the unit asked for and at a known time. It submits what that gives, the first value where there are
several, and null where there is none. On clean tasks it is nearly an oracle; on noise it is right just where the fault
leaves nothing to be misread.
"""

from __future__ import annotations

from collections.abc import Iterable

from robustgym.agents import Desk
from robustgym.gold import GoldError, canonical, gold_from_rows
from robustgym.shown import Shown
from schemas.answers import AnswerType, Gold
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
            desk.submit(canonical(_taken(task.answer, shown)))
        return desk.transcript


def _taken(answer: AnswerType, shown: Shown) -> Gold:
    """What whoever asks no questions reads from a result."""
    for rows in (shown.rows, shown.rows[:1]):
        try:
            return gold_from_rows(answer, shown.columns, rows)
        except GoldError:
            continue
    return None


def noise_blind(rows: Iterable[GoldRow]) -> NoiseBlind:
    """The agent.

    Args:
        rows: The gold rows of the tasks it will be given; only their naive references are used.
    """
    return NoiseBlind(rows)
