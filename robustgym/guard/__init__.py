"""Which statements an agent may run: those that read the hospital's tables, and nothing else.

A statement is judged on the engine's own parse tree, so that what is judged is what runs: a second parser would have to
agree with the engine on every comment, quote and dialect form. What the guard does not know, it refuses.
"""

from __future__ import annotations

from robustgym.guard.statement import Guard, Reading
from robustgym.guard.words import Refused

__all__ = ["Guard", "Reading", "Refused"]
