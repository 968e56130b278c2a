"""Agents' SQL in processes of its own: what a statement does to its process, it does to nothing else.

A worker has the hospital open, read-only, and nothing else: no gold, no environment, no file, no network. It serves
many sessions, one statement at a time. What passes between it and the gym is text (JSON) and, for data frames, bytes
that only the agent's sandbox reads.
"""

from robustgym.workers.pool import Pool

__all__ = ["Pool"]
