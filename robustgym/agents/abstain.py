"""An agent that looks at nothing and says that the record determines no answer. It must score 0."""

from __future__ import annotations

from robustgym.agents import Desk
from schemas.pairs import Task
from schemas.verdicts import Transcript


class Abstain:
    """Silence without evidence."""

    def run(self, task: Task, desk: Desk) -> Transcript:
        """Submit null at once."""
        desk.submit("null")
        return desk.transcript


def abstain() -> Abstain:
    """The agent."""
    return Abstain()
