"""Evaluating an agent on a release: planned and checked whole, worked side by side, kept episode by episode."""

from __future__ import annotations

from robustgym.evaluation.evaluate import Finished, evaluate
from robustgym.evaluation.plan import Asked, Plan

__all__ = ["Asked", "Finished", "Plan", "evaluate"]
