"""Two yardsticks by which a release proves itself: the oracle scores 1, silence without evidence scores 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from robustgym.agents import Agent
from robustgym.agents.abstain import Abstain
from robustgym.agents.oracle import Oracle
from robustgym.episode import Episode, session_of
from robustgym.gold import canonical
from robustgym.hospital import Hospital
from robustgym.parallel import side_by_side
from robustgym.verifier import judge
from schemas.pairs import Condition, GoldRow
from schemas.verdicts import Outcome, Transcript, Verdict

Progress = Callable[[int, int], None]
"""Called after each task with how many are done, and how many there are."""

Clock = Callable[[GoldRow, float], None]
"""Called with each task, in order, and the seconds it took."""

ORACLE_CLEAN, ORACLE_NOISE = "oracle_clean", "oracle_noise"
SILENCE = "silence_without_evidence"
DUE = {ORACLE_CLEAN: 1.0, ORACLE_NOISE: 1.0, SILENCE: 0.0}
"""What every release must score."""


def work(agent: Agent, row: GoldRow, hospital: Hospital) -> tuple[Transcript, Verdict]:
    """Let an agent work one task, and judge it."""
    transcript = worked(agent, row, hospital)
    return transcript, judge(transcript, row, hospital, recorded=True)


def worked(agent: Agent, row: GoldRow, hospital: Hospital) -> Transcript:
    """What an agent does with one task, in the session that any agent gets."""
    with session_of(hospital, row) as session:
        return agent.run(row.task, Episode(session, row.task))


def scores(rows: Sequence[GoldRow], failed: Mapping[str, Sequence[Verdict]]) -> dict[str, float]:
    """What the failures among these tasks make of the yardsticks."""
    clean = [row for row in rows if row.condition is Condition.CLEAN]
    noise = [row for row in rows if row.condition is Condition.NOISE]
    missed = {verdict.task_id for verdict in (*failed[ORACLE_CLEAN], *failed[ORACLE_NOISE])}
    return {
        ORACLE_CLEAN: _share([row.task_id not in missed for row in clean]),
        ORACLE_NOISE: _share([row.task_id not in missed for row in noise]),
        SILENCE: len(failed[SILENCE]) / len(rows) if rows else float("nan"),
    }


def failures(
    rows: Sequence[GoldRow], hospital: Hospital, progress: Progress | None = None, clock: Clock | None = None
) -> dict[str, list[Verdict]]:
    """The verdicts that keep a release from being published, by yardstick; empty lists if it is sound.

    The oracle's answer must be the gold answer to the letter, not only match it: so its success proves that every
    reference, run again in the session an agent gets, gives what is published.

    Args:
        rows: The tasks.
        hospital: The hospital they were made from.
        progress: Told how far it is.
        clock: Told how long the oracle took for each task, session included; several run side by side.
    """
    found: dict[str, list[Verdict]] = {name: [] for name in DUE}
    for done, (row, (seconds, known, silence)) in enumerate(
        zip(rows, side_by_side(_both, rows, hospital, chunk=8), strict=True), start=1
    ):
        if clock:
            clock(row, seconds)
        if progress:
            progress(done, len(rows))
        if not known.outcome.success:
            found[ORACLE_CLEAN if row.condition is Condition.CLEAN else ORACLE_NOISE].append(known)
        if silence.outcome.success:
            found[SILENCE].append(silence)
    return found


def _both(hospital: Hospital, row: GoldRow) -> tuple[float, Verdict, Verdict]:
    """How long the oracle took for a task, its verdict, and that of silence."""
    begun = perf_counter()
    transcript = worked(Oracle([row]), row, hospital)
    seconds = perf_counter() - begun
    known = judge(transcript, row, hospital, recorded=True)
    return seconds, _to_the_letter(row, transcript, known), work(Abstain(), row, hospital)[1]


def _to_the_letter(row: GoldRow, transcript: Transcript, verdict: Verdict) -> Verdict:
    due = canonical(row.gold)
    if not verdict.outcome.success or transcript.submitted == due:
        return verdict
    reason = f"The reference gives {transcript.submitted}, published is {due}."
    return verdict.model_copy(update={"outcome": Outcome.WRONG, "reason": reason, "evidence": None})


def _share(passed: Sequence[bool]) -> float:
    return sum(passed) / len(passed) if passed else float("nan")
