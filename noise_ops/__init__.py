"""Noise operators: one file each, a pure function from a clean question to the fault that spoils it.

To add one, write `noise_ops/<name>.py` (see docs/write_an_operator.md). Nothing else names it.
"""

from __future__ import annotations

from noise_ops.registry import Fault, Lack, NotApplicable, Operator, Severity, discover, noise_op, operators

__all__ = ["Fault", "Lack", "NotApplicable", "Operator", "Severity", "discover", "noise_op", "operators"]
