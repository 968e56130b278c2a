"""The command that evaluates: `eval`. It needs nothing of the pipeline, unless a download is to be staged first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from pipelines.cli_console import as_json, say, watch
from pipelines.cli_release import warehouse_of
from robustgym.environment import Gym
from robustgym.evaluation import Asked, Finished, Plan, evaluate
from schemas.errors import InputError, Problem
from schemas.pairs import Condition, Split
from schemas.runs import Budget, Decoding, Stop


def asked(
    release: Path, out: Path | None, *, split: str, budget: Mapping[str, Any], decoding: Mapping[str, Any], **said: Any
) -> Asked:
    """The evaluation that the command line's words ask for.

    Raises:
        InputError: There is no such split.
    """
    if split not in tuple(Split):
        raise InputError(Problem(f"--split {split}", "there is none of that name", "use test or train"))
    if out is None:
        who = re.sub(r"[^\w.-]+", "-", said["model"] or said["agent"] or "nobody")
        out = Path("data") / "runs" / f"{release.resolve().name}--{who}--{split}"
    return Asked(release, out, split=Split(split), budget=Budget(**budget), decoding=Decoding(**decoding), **said)


def eval(asked: Asked, *, source: Path | None, warehouse: Path | None, json: bool) -> None:
    """Run an agent on a release, and print in short what came of it.

    Args:
        asked: The evaluation.
        source: The hospital the release was made from, raw or staged.
        warehouse: The same, staged.
        json: Whether a machine reads.

    Raises:
        typer.Exit: With code 1, if the endpoint failed some episodes.
    """
    plan = Plan.of(asked)
    with watch("eval") as progress:
        where = warehouse_of(source, progress) if source else warehouse
        # Only a model writes Python; keeping interpreters warm for the others would cost more than their episodes.
        python = asked.python and plan.endpoint is not None
        with Gym.open(plan.release, where, python=python, unsafe_python=asked.unsafe_python) as gym:
            finished = evaluate(plan, gym, progress)
    if json:
        as_json({**finished.as_dict(), "directory": str(asked.out)})
    else:
        _say(finished, asked.out)
    if finished.failed:
        raise typer.Exit(1)


def _say(finished: Finished, out: Path) -> None:
    summary = finished.as_dict()
    who = summary["model"] or summary["agent"]
    say(f"{who} on {summary['release']}: {summary['episodes']:,} episodes")
    for condition in Condition:
        success, judged = finished.score(condition)
        if judged:
            say(f"  {condition:<6} {success:6.1%} of {judged:,}")
    if summary["requests"]:
        cost = f", ${summary['cost']:,.2f}" if summary["cost"] is not None else ""
        tokens = f"{summary['prompt_tokens']:,} prompt and {summary['completion_tokens']:,} completion tokens"
        say(f"  {summary['requests']:,} requests, {summary['retries']:,} of them again; {tokens}{cost}")
    if finished.failed:
        why = sorted({record.error for record in finished.records if record.stop is Stop.FAILED and record.error})
        say(f"  {finished.failed:,} episodes failed at the endpoint; call the same again to ask for them once more")
        for reason in why[:3]:
            say(f"    {reason}")
    say(f"Written to {out}. Intervals, slices and transcripts: robustgym report {out}")
