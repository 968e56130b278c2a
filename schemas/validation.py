"""How often the verifier was wrong about submissions whose verdict is known."""

from __future__ import annotations

from schemas.answers import Frozen

MOST_FALSE_REJECTS = 0.01
"""Share of the submissions that must succeed of which the verifier may miss so many. It may accept none falsely."""


class ErrorRate(Frozen):
    """Submissions of one sort or operator, and how many were judged wrongly."""

    name: str
    to_succeed: int
    false_rejects: int
    to_fail: int
    false_accepts: int


class FalseVerdict(Frozen):
    """One submission that was judged wrongly."""

    task_id: str
    operator: str
    sort: str
    outcome: str
    reason: str
    """What the verdict says."""


class VerifierValidation(Frozen):
    """The verifier, held against submissions made by construction from the release itself."""

    submissions: int
    by_sort: tuple[ErrorRate, ...]
    by_operator: tuple[ErrorRate, ...]
    wrong: tuple[FalseVerdict, ...] = ()

    @property
    def false_accepts(self) -> int:
        """Submissions that must fail and were taken."""
        return sum(rate.false_accepts for rate in self.by_sort)

    @property
    def false_rejects(self) -> int:
        """Submissions that must succeed and were not taken."""
        return sum(rate.false_rejects for rate in self.by_sort)

    @property
    def to_succeed(self) -> int:
        """Submissions that must succeed."""
        return sum(rate.to_succeed for rate in self.by_sort)

    @property
    def to_fail(self) -> int:
        """Submissions that must fail."""
        return sum(rate.to_fail for rate in self.by_sort)

    @property
    def summary(self) -> str:
        """Both error rates with their n, and whether the target is met, in a sentence."""
        met = "The target is met" if self.ok else "The target is missed"
        return (
            f"{self.submissions:,} submissions: {self.false_accepts} of {self.to_fail:,} accepted falsely, "
            f"{self.false_rejects} of {self.to_succeed:,} rejected falsely. {met}: none accepted, at most "
            f"{MOST_FALSE_REJECTS:.0%} rejected."
        )

    @property
    def ok(self) -> bool:
        """Whether the verifier can be trusted: nothing accepted falsely, at most 1% rejected falsely."""
        return not self.false_accepts and self.false_rejects <= MOST_FALSE_REJECTS * self.to_succeed
