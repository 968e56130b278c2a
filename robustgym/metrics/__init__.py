"""What a run's episodes say of an agent: rates with their intervals, and whether two runs differ.

Everything here is a pure function of episode records. Formulas and their sources are in docs/metrics.md.
"""

from __future__ import annotations

from robustgym.metrics.comparing import Comparison, compare
from robustgym.metrics.rates import Metric, metrics, pass_at_k, pass_hat_k
from robustgym.metrics.slicing import SLICES, slices
from robustgym.metrics.transitions import Moved, Transition, transitions

__all__ = [
    "SLICES",
    "Comparison",
    "Metric",
    "Moved",
    "Transition",
    "compare",
    "metrics",
    "pass_at_k",
    "pass_hat_k",
    "slices",
    "transitions",
]
