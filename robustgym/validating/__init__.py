"""Is the verifier right? Submissions whose verdict is known by construction, made from a release itself, and judged."""

from __future__ import annotations

from robustgym.validating.submissions import Submission, submissions
from robustgym.validating.told import Told
from robustgym.validating.validate import validate

__all__ = ["Submission", "Told", "submissions", "validate"]
