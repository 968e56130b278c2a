"""Judges an episode by its outcome: the answer, and the evidence for an abstention. No language model takes part."""

from __future__ import annotations

from robustgym.verifier.judge import judge
from robustgym.verifier.match import Matched, match

__all__ = ["Matched", "judge", "match"]
