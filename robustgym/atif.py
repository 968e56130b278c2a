"""A run's conversations as ATIF trajectories: `atif.jsonl`, one a line, in the order of tasks and trials.

Nothing of gold or verdict is in them: they can be shown to others as far as the records may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from robustgym.runs import ATIF, Run, key_of, replace
from robustgym.tools import described
from robustgym.writable import writable
from schemas.atif import (
    AtifAgent,
    AtifFinalMetrics,
    AtifObservation,
    AtifResult,
    AtifStep,
    AtifToolCall,
    AtifTrajectory,
)
from schemas.runs import EpisodeRecord, Messages, RunManifest


def write(run: Run) -> int:
    """Write `atif.jsonl` beside a run's other files.

    Returns:
        How many trajectories it holds.
    """
    records = {key_of(record): record for record in run.episodes()}
    lines = {
        (line.task_id, line.trial): trajectory(run.manifest, records[line.task_id, line.trial], line)
        for line in run.messages()
    }
    text = "".join(lines[key].model_dump_json(exclude_none=True) + "\n" for key in sorted(lines))
    replace(run.path / ATIF, text)
    return len(lines)


def trajectory(manifest: RunManifest, record: EpisodeRecord, said: Messages) -> AtifTrajectory:
    """One episode.

    Args:
        manifest: The run's.
        record: The episode, for what it used.
        said: Its conversation.
    """
    model = manifest.model.name if manifest.model else None
    steps = _steps(said.messages, model)
    usage = record.usage
    return AtifTrajectory(
        session_id=f"{manifest.name}/{record.task_id}/{record.trial}",
        agent=AtifAgent(
            name=f"robustgym/{manifest.agent}",
            version=manifest.harness_version,
            model_name=model,
            tool_definitions=tuple(described(python=not manifest.isolation.python.startswith("off"))),
            extra={"protocol": manifest.model.protocol} if manifest.model else None,
        ),
        steps=steps,
        final_metrics=AtifFinalMetrics(
            total_prompt_tokens=usage.prompt_tokens,
            total_completion_tokens=usage.completion_tokens,
            total_cost_usd=usage.cost,
            total_steps=len(steps),
        ),
        extra={
            "task_id": record.task_id,
            "trial": record.trial,
            "release": f"{manifest.release} {manifest.release_version}",
            "stop": str(record.stop),
        },
    )


def _steps(messages: Sequence[Mapping[str, Any]], model: str | None) -> tuple[AtifStep, ...]:
    """Messages as steps; what tools showed belongs to the step that called them."""
    steps: list[dict[str, Any]] = []
    for message in messages:
        content = message.get("content")
        text = content if isinstance(content, str) else ""
        match message["role"]:
            case "tool":
                steps[-1].setdefault("results", []).append(
                    AtifResult(source_call_id=str(message["tool_call_id"]), content=text)
                )
            case "assistant":
                calls = tuple(_call(call) for call in message.get("tool_calls") or ())
                thought = message.get("reasoning_content") or message.get("reasoning")
                steps.append(
                    {
                        "source": "agent",
                        "message": text,
                        "model_name": model,
                        "reasoning_content": thought if isinstance(thought, str) else None,
                        "tool_calls": calls or None,
                    }
                )
            case role:
                steps.append({"source": "system" if role == "system" else "user", "message": text})
    made = []
    for number, step in enumerate(steps, start=1):
        results = step.pop("results", None)
        observation = AtifObservation(results=tuple(results)) if results else None
        made.append(AtifStep(step_id=number, observation=observation, **step))
    return tuple(made)


def _call(call: Mapping[str, Any]) -> AtifToolCall:
    """A call; arguments that are no JSON object are kept as they were written."""
    written = call["function"]["arguments"]
    try:
        arguments = json.loads(written, strict=False)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        arguments = {"_written": written}
    return AtifToolCall(tool_call_id=call["id"], function_name=call["function"]["name"], arguments=writable(arguments))
