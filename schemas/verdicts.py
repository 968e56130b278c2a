"""What the verifier says of an episode."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from schemas.answers import Frozen


class Outcome(StrEnum):
    """How an episode ended. What could not be judged is neither right nor wrong."""

    CORRECT = "correct"
    WRONG = "wrong"
    ABSTAINED_RIGHTLY = "abstained_rightly"
    ABSTAINED_WITHOUT_EVIDENCE = "abstained_without_evidence"
    ABSTAINED_WRONGLY = "abstained_wrongly"
    NO_ANSWER = "no_answer"
    UNJUDGED = "unjudged"

    @property
    def success(self) -> bool:
        """Whether it scores 1."""
        return self in (Outcome.CORRECT, Outcome.ABSTAINED_RIGHTLY)


class Call(Frozen):
    """One tool call of a transcript, with exactly what the agent was shown."""

    tool: str
    arguments: dict[str, Any]
    shown: dict[str, Any]
    """`columns`, `rows`, `n` and perhaps `notice`; or `error`."""


class Transcript(Frozen):
    """An episode as it happened."""

    task_id: str
    calls: tuple[Call, ...] = ()
    submitted: str | None = None
    """The answer as JSON text; None if none was given. The text `null` abstains."""


class Verdict(Frozen):
    """The outcome and why."""

    task_id: str
    outcome: Outcome
    reason: str
    """One sentence that a person can check."""
    evidence: int | None = None
    """Index of the call that is the evidence of an abstention."""
