"""What is to be evaluated: every argument checked at once, and pinned in the run's manifest."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from robustgym import agents
from robustgym.agents.llm import Protocol, system_prompt
from robustgym.chat import SECONDS, TRIES, Chat, Pace
from robustgym.endpoint import Endpoint
from robustgym.environment import Gym
from robustgym.harness import harness_sha256, software
from robustgym.layout import MANIFEST
from robustgym.licence import require_permission
from robustgym.release import Release
from robustgym.tools import described
from schemas.errors import InputError, Problem
from schemas.pairs import GoldRow, Split
from schemas.runs import Budget, Decoding, ModelUnderTest, RunManifest
from schemas.version import CODE_VERSION

PROTOCOLS = ("tools", "text")


@dataclass(frozen=True)
class Asked:
    """An evaluation as it was asked for."""

    release: Path
    out: Path
    agent: str | None = None
    model: str | None = None
    base_url: str | None = None
    split: Split = Split.TEST
    k: int = 1
    limit: int | None = None
    seed: int | None = None
    concurrency: int | None = None
    budget: Budget = field(default_factory=Budget)
    decoding: Decoding = field(default_factory=Decoding)
    protocol: str = "tools"
    price_in: float | None = None
    price_out: float | None = None
    requests_per_minute: float | None = None
    tries: int = TRIES
    timeout: float = SECONDS
    confirmed: bool = False
    """The user has verified that the endpoint's provider keeps nothing."""
    python: bool = True
    """Whether a model has the Python tool, where a sandbox is to be had; scripted agents write none."""
    unsafe_python: bool = False
    """The user accepts agents' Python without a sandbox, where there is none."""


@dataclass(frozen=True)
class Plan:
    """An evaluation that can be begun."""

    asked: Asked
    release: Release
    rows: tuple[GoldRow, ...]
    """The tasks, whole pairs as far as the limit allows."""
    agent: str
    endpoint: Endpoint | None
    permission: str
    """The ground on which the release's texts may go to the endpoint."""

    @classmethod
    def of(cls, asked: Asked) -> Plan:
        """The plan of what was asked for.

        Raises:
            InputError: Something in it is wrong; every such thing is said.
        """
        problems = list(_contradictions(asked))
        endpoint, release, permission = None, None, ""
        try:
            release = Release.open(asked.release)
            problems += _altered(release)
        except InputError as error:
            problems += error.problems
        if asked.model and asked.base_url:
            try:
                endpoint = Endpoint.at(asked.base_url, asked.model, "--base-url")
                if release is not None:
                    permission = require_permission(release.manifest.licence, asked.base_url, asked.confirmed)
            except InputError as error:
                problems += error.problems
        if problems or release is None:
            raise InputError(problems)
        rows = chosen(release.gold(asked.split), asked.limit)
        if not rows:
            what, do = f"has no tasks in the split {asked.split}", "evaluate on the other one"
            raise InputError(Problem(str(asked.release), what, do))
        agent = agents.LLM if endpoint else cast(str, asked.agent)
        return cls(asked, release, rows, agent, endpoint, permission)

    @property
    def seed(self) -> int:
        """Seeds scripted agents, and the endpoint where the user asked for it."""
        return self.asked.seed or 0

    @property
    def concurrency(self) -> int:
        """Episodes worked at the same time: a model's wait for their endpoint, scripted ones for this machine."""
        return self.asked.concurrency or (8 if self.endpoint else 2)

    def chat(self) -> Chat:
        """The model.

        Raises:
            ValueError: A scripted agent is evaluated.
        """
        if self.endpoint is None:
            raise ValueError("a scripted agent has no endpoint")
        asked = self.asked
        pace = Pace(per_minute=asked.requests_per_minute)
        return Chat(self.endpoint, asked.decoding, pace=pace, tries=asked.tries, seconds=asked.timeout)

    def manifest(self, gym: Gym) -> RunManifest:
        """The run's manifest, before it is begun.

        Args:
            gym: Where it will be worked.
        """
        asked, made = self.asked, self.release.manifest
        return RunManifest(
            name=asked.out.resolve().name,
            release=made.name,
            release_version=made.version,
            release_sha256=hashlib.sha256((self.release.path / MANIFEST).read_bytes()).hexdigest(),
            licence=made.licence,
            agent=self.agent,
            model=self._model(gym) if self.endpoint else None,
            split=asked.split,
            tasks=len(self.rows),
            limit=asked.limit,
            k=asked.k,
            seed=self.seed,
            budget=asked.budget,
            isolation=gym.isolation,
            harness_version=CODE_VERSION,
            harness_sha256=harness_sha256(),
            software=software(),
            zero_retention_confirmed=asked.confirmed,
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _model(self, gym: Gym) -> ModelUnderTest:
        asked, endpoint = self.asked, self.endpoint
        assert endpoint is not None
        tools = described(python=gym.stock is not None and gym.stock.isolation.on)
        prompt = system_prompt(tools, cast(Protocol, asked.protocol))
        return ModelUnderTest(
            name=endpoint.model,
            endpoint=endpoint.place,
            local=endpoint.local,
            protocol=asked.protocol,
            decoding=asked.decoding.model_copy(update={"seed": asked.seed}),
            system_prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
            permission=self.permission,
            price_in=asked.price_in,
            price_out=asked.price_out,
        )


def chosen(rows: Sequence[GoldRow], limit: int | None) -> tuple[GoldRow, ...]:
    """The first tasks to ask: pair after pair, the cells taking turns, so that a few are a fair few.

    Args:
        rows: All gold rows of a split.
        limit: How many; None for all. Where it is odd the last pair is not whole.
    """
    cells: defaultdict[str, list[str]] = defaultdict(list)
    halves: defaultdict[str, list[GoldRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.pair_id, row.condition)):
        if row.pair_id not in halves:
            cells[row.cell].append(row.pair_id)
        halves[row.pair_id].append(row)
    turns = sorted((turn, cell, pair) for cell, pairs in cells.items() for turn, pair in enumerate(pairs))
    ordered = [row for _, _, pair in turns for row in halves[pair]]
    return tuple(ordered[:limit])


def _contradictions(asked: Asked) -> list[Problem]:
    """What is wrong with the arguments themselves."""
    found = []
    scripted = ", ".join(name for name in agents.names() if name != agents.LLM)
    if asked.model is None and asked.agent in (None, agents.LLM):
        found.append(Problem("--model", "nobody is named who is to be evaluated", f"or --agent: {scripted}"))
    if asked.agent is not None and asked.agent != agents.LLM:
        if asked.agent not in agents.names():
            found.append(Problem(f"--agent {asked.agent}", "there is no such agent", f"choose one of {scripted}"))
        if asked.model is not None:
            found.append(Problem("--agent and --model", "two are named", "name one of them"))
    if asked.model is not None and not asked.base_url:
        found.append(
            Problem(
                "--base-url", "missing, and the model must be somewhere", "write for example http://127.0.0.1:8000/v1"
            )
        )
    if asked.base_url and asked.model is None:
        found.append(Problem("--base-url", "no model is named to be asked there", "add --model"))
    if asked.protocol not in PROTOCOLS:
        found.append(Problem(f"--protocol {asked.protocol}", "there is none of that name", "use tools or text"))
    if (asked.price_in is None) != (asked.price_out is None):
        found.append(Problem("--price-in, --price-out", "only one is given", "give both, or neither"))
    return found


def _altered(release: Release) -> list[Problem]:
    """Tasks and golds that are not the published ones: a score on them would be a score on something else."""
    found = []
    for entry in release.manifest.files:
        if entry.path.startswith(("tasks/", "gold/")):
            file = release.path / entry.path
            if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != entry.sha256:
                found.append(
                    Problem(str(file), "is not as it was published", "take the release from where it came from")
                )
    return found
