"""Conversations as ATIF trajectories, and what is none."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from robustgym.atif import trajectory
from schemas.atif import AtifTrajectory
from schemas.noise import Level, Promise
from schemas.pairs import Condition, Split
from schemas.questions import Intent, Scope
from schemas.runs import EpisodeRecord, Isolation, Messages, RunManifest, Stop, TaskFacts, Usage
from schemas.verdicts import Outcome, Transcript, Verdict

TASK = "0" * 16


def manifest() -> RunManifest:
    return RunManifest(
        name="a-run",
        release="invented",
        release_version="1.0.0",
        release_sha256="00",
        licence="synthetic",
        agent="llm",
        split=Split.TEST,
        tasks=1,
        isolation=Isolation(sql="worker processes", python="off: not asked for"),
        harness_version="0.1.0",
        harness_sha256="00",
        software={},
    )


def record() -> EpisodeRecord:
    facts = TaskFacts(
        pair_id="p",
        condition=Condition.NOISE,
        split=Split.TEST,
        intent=Intent.LABS,
        scope=Scope.PATIENT,
        level=Level.VALUE,
        operator="deid_mask",
        severity="all",
        origin="injected",
        promise=Promise.ABSTENTION,
        template="t",
        answerable=False,
    )
    verdict = Verdict(task_id=TASK, outcome=Outcome.ABSTAINED_RIGHTLY, reason="Seen.")
    return EpisodeRecord(
        task_id=TASK,
        trial=1,
        facts=facts,
        transcript=Transcript(task_id=TASK),
        verdict=verdict,
        stop=Stop.SUBMITTED,
        turns=3,
        invalid_calls=1,
        seconds=1.0,
        usage=Usage(requests=2, prompt_tokens=50, completion_tokens=5, cost=0.1),
    )


def call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"id_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


SAID: tuple[dict[str, Any], ...] = (
    {"role": "system", "content": "You answer questions."},
    {"role": "user", "content": "What was it?"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "Two looks.",
        "tool_calls": [call(0, "schema", "{}"), call(1, "sql", "not json")],
    },
    {"role": "tool", "tool_call_id": "id_0", "content": "table | meaning"},
    {"role": "tool", "tool_call_id": "id_1", "content": "Error: no"},
    {"role": "assistant", "content": "Now I know.", "tool_calls": [call(0, "submit", '{"answer": "null"}')]},
    {"role": "tool", "tool_call_id": "id_0", "content": "The answer was taken."},
)


OF_NO_CALL = {"results": [{"source_call_id": "x"}]}


def made() -> AtifTrajectory:
    return trajectory(manifest(), record(), Messages(task_id=TASK, trial=1, messages=SAID))


def test_a_conversation_is_a_trajectory() -> None:
    found = made()
    assert [step.source for step in found.steps] == ["system", "user", "agent", "agent"]
    looked = found.steps[2]
    assert looked.reasoning_content == "Two looks."
    assert looked.tool_calls is not None
    assert [c.arguments for c in looked.tool_calls] == [{}, {"_written": "not json"}]
    assert looked.observation is not None
    assert [r.content for r in looked.observation.results] == ["table | meaning", "Error: no"]
    assert found.final_metrics is not None
    assert found.final_metrics.total_steps == 4
    assert found.agent.tool_definitions is not None
    assert AtifTrajectory.model_validate_json(found.model_dump_json(exclude_none=True)) == found


def test_nothing_of_condition_or_verdict_is_in_it() -> None:
    text = made().model_dump_json()
    for secret in ("abstained", "noise", "deid_mask", "Seen."):
        assert secret not in text


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": []},
        {"steps": [{"step_id": 2, "source": "user", "message": "?"}]},
        {"steps": [{"step_id": 1, "source": "user", "message": "?", "model_name": "m"}]},
        {"steps": [{"step_id": 1, "source": "robot", "message": "?"}]},
        {
            "steps": [
                {"step_id": 1, "source": "agent", "message": "", "observation": {"results": [{"source_call_id": "x"}]}}
            ]
        },
        {"final_metrics": {"total_steps": 9}},
        {"schema_version": "ATIF-v1.8"},
        {"unknown": 1},
    ],
)
def test_what_is_no_trajectory_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AtifTrajectory.model_validate({**made().model_dump(), **wrong})
