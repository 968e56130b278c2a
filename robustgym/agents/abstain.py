"""An agent that looks at nothing and says that the record determines no answer. It must score 0."""

from __future__ import annotations

from robustgym.episode import Episode
from schemas.pairs import Task
from schemas.verdicts import Transcript


class Abstain:
    """Silence without evidence."""

    def run(self, task: Task, episode: Episode) -> Transcript:
        """Submit null at once."""
        episode.submit("null")
        return episode.transcript


def abstain() -> Abstain:
    """The agent."""
    return Abstain()
