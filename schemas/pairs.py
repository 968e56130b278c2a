"""A pair as it is published: what an agent may see of a task, and everything else."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, NamedTuple

from pydantic import Field

from schemas.answers import AnswerType, Frozen
from schemas.noise import Level, Promise
from schemas.overlays import Overlay, Value
from schemas.questions import Intent, Scope


class Condition(StrEnum):
    """Which of the two tasks of a pair."""

    CLEAN = "clean"
    NOISE = "noise"


class Split(StrEnum):
    """Who may learn from it."""

    TRAIN = "train"
    TEST = "test"


class Task(Frozen):
    """All an agent may see: `tasks/{split}`. No condition, no pair, an id that reveals nothing."""

    task_id: str = Field(pattern=r"^[0-9a-f]{16}$")
    """sha256 of release seed, pair and condition, cut to 16 hex digits."""
    question: str
    answer: AnswerType
    """The answer's contract, as data; the question says the same in words."""


class Records(Frozen):
    """The associated records of one selection: where the answer comes from."""

    selection: str
    role: str
    table: str
    rows: tuple[int, ...] = ()
    """Row numbers (patient scope)."""
    where: str = ""
    """Predicate over the table's own columns (population scope)."""
    n: int
    """How many records of the clean hospital they are."""


class GoldRow(Frozen):
    """One task with everything the agent must not see: `gold/{split}`, one row per task."""

    pair_id: str
    task_id: str
    condition: Condition
    split: Split
    intent: Intent
    scope: Scope
    level: Level
    operator: str
    severity: str
    origin: Literal["injected", "natural"] = "injected"
    template: str
    parameters: dict[str, Value]
    question: str
    answer: AnswerType
    reference_sql: str
    naive_sql: str = ""
    """The reference without the tests of support: what answers whoever takes the record as it is."""
    gold: Any
    """The right answer in this condition; None where abstaining is right."""
    records: tuple[Records, ...]
    overlay: Overlay
    """What lies over the clean hospital in the noise condition. Empty for query-level noise."""
    worlds: tuple[Overlay, ...]
    """Supported worlds (see schemas.noise.Noise)."""
    schema_evidence: tuple[str, ...]
    witness_sql: str
    """A statement an agent could run whose result shows that the answer is (not) supported."""
    promise: Promise
    bites: bool = False
    """Whether the noise makes the naive reference go wrong (assets.pairs.biting); said of both tasks."""
    subject_ids: tuple[int, ...]
    tables: tuple[str, ...]
    """Base tables the reference reads."""

    @property
    def task(self) -> Task:
        """What the agent sees of it."""
        return Task(task_id=self.task_id, question=self.question, answer=self.answer)

    @property
    def clean_answers(self) -> bool:
        """Whether the hospital as it is would answer the noise task: the fault was laid over the record."""
        return self.level is not Level.QUERY and self.origin == "injected"

    @property
    def cell(self) -> str:
        """Where it counts, as manifests name it: `test/Labs/patient/record`."""
        return f"{self.split}/{self.intent}/{self.scope}/{self.level}"


class Pair(NamedTuple):
    """The two tasks of a pair."""

    clean: GoldRow
    noise: GoldRow
