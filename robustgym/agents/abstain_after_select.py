"""An agent that runs `SELECT 1` and then says that the record determines no answer. It must score 0.

It has looked, in a way, but has seen nothing of the record: a verifier that counts calls instead of reading them would
be taken in.
"""

from __future__ import annotations

from robustgym.agents import Desk
from schemas.pairs import Task
from schemas.verdicts import Transcript


class AbstainAfterSelect:
    """Silence after a call that shows nothing."""

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Run one statement and submit null."""
        desk.sql("SELECT 1")
        desk.submit("null")
        return desk.transcript


def abstain_after_select() -> AbstainAfterSelect:
    """The agent."""
    return AbstainAfterSelect()
