"""A run: what was asked of an agent, with what, and what came of each episode.

A run is a directory: `manifest.json` (one `RunManifest`), `episodes.jsonl` (one `EpisodeRecord` a line, in the order
they ended) and `messages.jsonl` (one line an episode: the conversation as OpenAI messages). It holds golds' conditions
and patients' answers: it is the evaluator's, never the agent's.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from annotated_types import Ge, Gt
from pydantic import Field

from schemas.answers import Frozen
from schemas.noise import Level, Promise
from schemas.pairs import Condition, Split
from schemas.questions import Intent, Scope
from schemas.release import SourceKind
from schemas.verdicts import Transcript, Verdict


class Budget(Frozen):
    """What one episode may use. Declared to the agent, enforced by the environment."""

    turns: Annotated[int, Ge(1)] = 30
    """Steps: tool calls, whether they succeed or not."""
    seconds: Annotated[float, Gt(0)] = 600.0
    """Wall time from the first step to the last, the model's own time included."""
    tokens: Annotated[int, Ge(1)] = 200_000
    """Prompt and completion tokens, as the endpoint counts them; of agents without a model, none."""


class Stop(StrEnum):
    """Why an episode ended."""

    SUBMITTED = "submitted"
    TURNS = "turns"
    SECONDS = "seconds"
    TOKENS = "tokens"
    GAVE_UP = "gave_up"
    """The agent stopped calling tools and gave no answer."""
    FAILED = "failed"
    """The model's endpoint or the environment failed after every retry; the episode is not judged."""


class Isolation(Frozen):
    """How the agent's code was kept from everything else."""

    sql: str
    """`worker processes`, or what else it was."""
    python: str
    """`bubblewrap`, `landlock`, `none (unsafe)`, or `off: <why>`."""


class Decoding(Frozen):
    """What was asked of the model's sampling. None: left to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: str | None = None


class ModelUnderTest(Frozen):
    """The model, pinned as far as its endpoint lets it be."""

    name: str
    """As it was asked for."""
    snapshots: tuple[str, ...] = ()
    """As the endpoint named it in its answers; more than one means that it changed during the run."""
    endpoint: str
    """Scheme and host, without credentials."""
    local: bool
    """Whether the endpoint is on this machine."""
    protocol: str
    """`tools` (the endpoint's own tool calling) or `text`."""
    decoding: Decoding = Decoding()
    system_prompt_sha256: str
    permission: str = ""
    """The ground on which the release's texts were sent there."""
    price_in: float | None = None
    """US dollars for a million prompt tokens, as the user said."""
    price_out: float | None = None
    """US dollars for a million completion tokens, as the user said."""


class RunManifest(Frozen):
    """`manifest.json` of a run: enough to do it again, and to say what it may be compared with."""

    name: str
    """The directory's name."""
    release: str
    release_version: str
    release_sha256: str
    """sha256 of the release's manifest."""
    licence: SourceKind
    agent: str
    """A scripted agent's name, or `llm`."""
    model: ModelUnderTest | None = None
    split: Split
    tasks: int
    """How many tasks were asked, each `k` times."""
    limit: int | None = None
    k: Annotated[int, Ge(1)] = 1
    """Independent episodes of each task."""
    seed: int = 0
    """Seeds scripted agents and, with the trial's number, what is sent to the endpoint."""
    budget: Budget = Budget()
    isolation: Isolation
    harness_version: str
    harness_sha256: str
    """Hash of the gym's own Python files."""
    software: dict[str, str]
    """Version of every library whose version decides what an agent sees."""
    zero_retention_confirmed: bool = False
    """The user has confirmed that a remote endpoint keeps nothing; asked for where the data are credentialed."""
    started: str = ""
    """ISO time, UTC; what is compared never rests on it."""


class TaskFacts(Frozen):
    """What slices of the results are made by. From the gold row and, for a patient, the hospital."""

    pair_id: str
    condition: Condition
    split: Split
    intent: Intent
    scope: Scope
    level: Level
    operator: str
    severity: str
    origin: str
    promise: Promise
    template: str
    said_in: str = ""
    """The register of its wording."""
    answerable: bool
    """Whether the right answer is one; else it is to abstain."""
    schema_evidence: bool = False
    """Whether evidence can only be a look at the columns; reported apart."""
    test_only: bool = False
    """Whether its template or one of its concepts occurs in the test split alone."""
    subject_ids: tuple[int, ...] = ()
    """The patient of a patient question: the cluster of confidence intervals."""
    subgroup: dict[str, str] = Field(default_factory=dict)
    """Characteristic and value of that patient: sex, age band, race, insurance."""


class Usage(Frozen):
    """What an episode used."""

    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """US dollars, where the price of the model is known."""


class EpisodeRecord(Frozen):
    """One line of `episodes.jsonl`."""

    task_id: str
    trial: Annotated[int, Ge(0)]
    """Which of the k episodes of its task."""
    facts: TaskFacts
    transcript: Transcript
    verdict: Verdict
    stop: Stop
    turns: int
    invalid_calls: int
    """Calls that were answered with an error."""
    seconds: float
    """Wall time of the episode."""
    usage: Usage = Usage()
    error: str | None = None
    """Why it failed, where it did; without credentials."""


class Messages(Frozen):
    """One line of `messages.jsonl`: an episode as a conversation."""

    task_id: str
    trial: int
    messages: tuple[dict[str, Any], ...]
    """OpenAI chat messages, tool calls and results included."""
