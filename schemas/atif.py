"""ATIF 1.7, the Agent Trajectory Interchange Format: an episode as other tools of the field read it.

Text only. Steps are numbered from 1, what only an agent has stands on an agent's steps alone, and a result names a call
of its own step: the rules that Harbor's validator checks.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from schemas.answers import Frozen

VERSION: Literal["ATIF-v1.7"] = "ATIF-v1.7"


class AtifToolCall(Frozen):
    """A call."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]


class AtifResult(Frozen):
    """What a call showed."""

    source_call_id: str | None = None
    content: str | None = None


class AtifObservation(Frozen):
    """What the environment answered to a step."""

    results: tuple[AtifResult, ...]


class AtifMetrics(Frozen):
    """What a step used."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


class AtifStep(Frozen):
    """One turn of the conversation."""

    step_id: int = Field(ge=1)
    source: Literal["system", "user", "agent"]
    message: str
    model_name: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[AtifToolCall, ...] | None = None
    observation: AtifObservation | None = None
    metrics: AtifMetrics | None = None

    @model_validator(mode="after")
    def _agents_alone(self) -> AtifStep:
        if self.source != "agent":
            owned = ("model_name", "reasoning_content", "tool_calls", "metrics")
            if found := [name for name in owned if getattr(self, name) is not None]:
                raise ValueError(f"step {self.step_id}: {', '.join(found)} on a step of the {self.source}")
        called = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation else ():
            if result.source_call_id is not None and result.source_call_id not in called:
                raise ValueError(f"step {self.step_id}: a result of {result.source_call_id}, which it has not called")
        return self


class AtifAgent(Frozen):
    """Who worked."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: tuple[dict[str, Any], ...] | None = None
    """In OpenAI's form."""
    extra: dict[str, Any] | None = None


class AtifFinalMetrics(Frozen):
    """What the episode used."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None


class AtifTrajectory(Frozen):
    """One line of `atif.jsonl`."""

    schema_version: Literal["ATIF-v1.7"] = VERSION
    session_id: str
    agent: AtifAgent
    steps: tuple[AtifStep, ...] = Field(min_length=1)
    notes: str | None = None
    final_metrics: AtifFinalMetrics | None = None
    extra: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _numbered(self) -> AtifTrajectory:
        if [step.step_id for step in self.steps] != list(range(1, len(self.steps) + 1)):
            raise ValueError("steps are numbered from 1, in order")
        if self.final_metrics and self.final_metrics.total_steps not in (None, len(self.steps)):
            raise ValueError("total_steps is not the number of steps")
        return self
