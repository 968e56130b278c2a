"""Can an agent show that a task has no answer?"""

from __future__ import annotations

from robustgym.agents.oracle import Oracle
from robustgym.hospital import Hospital
from robustgym.yardsticks import work
from schemas.pairs import GoldRow


def evidences(hospital: Hospital, row: GoldRow) -> bool:
    """Whether the reference and the witness show an agent that a task has no answer."""
    return work(Oracle([row]), row, hospital)[1].outcome.success
