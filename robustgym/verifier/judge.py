"""The verdict on an episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from robustgym.episode import replay
from robustgym.guard import Refused
from robustgym.reader import Judge, Reader, Source
from robustgym.sandbox import Stock
from robustgym.shown import Shown
from robustgym.verifier.evidence import (
    Counterfactual,
    NotReproduced,
    Replay,
    World,
    before_the_answer,
    evident,
)
from robustgym.verifier.match import match
from schemas.noise import Level
from schemas.overlays import CopyWhere, Delete, DeleteWhere, Overlay, Update, UpdateWhere
from schemas.pairs import GoldRow
from schemas.questions import Role, Scope
from schemas.tables import TABLES
from schemas.verdicts import Call, Outcome, Transcript, Verdict

_IDS = ("subject_id", "hadm_id", "stay_id")
"""Slots of a question that name its patient."""


def judge(
    transcript: Transcript, row: GoldRow, hospital: Source, *, recorded: bool = False, stock: Stock | None = None
) -> Verdict:
    """Judge an episode by its answer, and an abstention by its evidence.

    Args:
        transcript: The episode.
        row: The task's gold row.
        hospital: The hospital the release was made from.
        recorded: The caller has recorded the transcript itself, in this hospital: it need not be shown that it
            happened. Never say so of a transcript that was read from a file.
        stock: Interpreters in which cells of Python are run again. Without one no cell is evidence, and a transcript
            with cells that was not recorded here cannot be judged.

    Raises:
        ValueError: The transcript is of another task.
        InputError: The row's overlay does not fit the hospital.
    """
    if transcript.task_id != row.task_id:
        raise ValueError(f"a transcript of task {transcript.task_id} can't be judged by the gold of {row.task_id}")

    def verdict(outcome: Outcome, reason: str, evidence: int | None = None) -> Verdict:
        return Verdict(task_id=row.task_id, outcome=outcome, reason=reason, evidence=evidence)

    if transcript.submitted is None:
        return verdict(Outcome.NO_ANSWER, "The episode ended without an answer.")
    result = match(transcript.submitted, row.answer, row.gold)
    if result.verdict == "malformed":
        return verdict(Outcome.NO_ANSWER, f"The answer does not have the form asked for: {result.message}.")
    if result.verdict == "match":
        return verdict(Outcome.CORRECT, "The answer is the gold answer.")
    if result.verdict == "no_match":
        return verdict(Outcome.WRONG, f"The answer is not the gold answer: {result.message}.")
    if row.gold is not None:
        return verdict(Outcome.ABSTAINED_WRONGLY, "The record determines an answer, and none was given.")
    try:
        index = _evidence(transcript, row, hospital, recorded, stock)
    except NotReproduced as error:
        return verdict(Outcome.UNJUDGED, f"The transcript can't be judged: {error}.")
    if index is None:
        return verdict(Outcome.ABSTAINED_WITHOUT_EVIDENCE, "No call shows what takes the support away.")
    return verdict(Outcome.ABSTAINED_RIGHTLY, f"Call {index} shows what takes the support away.", index)


def _evidence(
    transcript: Transcript, row: GoldRow, hospital: Source, recorded: bool, stock: Stock | None
) -> int | None:
    if row.level is Level.QUERY and not row.worlds:
        return _looked(transcript, row, hospital)
    with counterfactual(row, hospital, stock) as replays:
        return evident(transcript, replays, recorded=recorded)


@contextmanager
def counterfactual(row: GoldRow, hospital: Source, stock: Stock | None = None) -> Iterator[Counterfactual]:
    """The hospitals in which a task's calls are replayed, each opened when first needed and then kept.

    Each replay of cells of Python has an interpreter of its own, as the episode had.

    For record- and value-level noise the clean hospital supports an answer, and so do the operator's other worlds; for
    query-level and for natural noise only those do.
    """
    only = _asked_records(row)
    task = row.task

    with ExitStack() as opened:

        def world(overlay: Overlay, placebo: bool = False) -> World:
            def replayed(cut: Mapping[str, str]) -> Replay:
                session: Reader | None = None

                def run(transcript: Transcript) -> list[Shown]:
                    nonlocal session
                    if session is None:
                        session = opened.enter_context(hospital.session(overlay, placebo=placebo, only=cut))
                    if stock is None or all(call.tool != "python" for call in transcript.calls):
                        return replay(session, task, transcript)
                    with stock.take() as box:
                        return replay(session, task, transcript, box.run)

                return run

            return World(replayed({}), replayed(only))

        worlds = [world(row.overlay, placebo=True)] if row.clean_answers else []
        worlds += [world(overlay) for overlay in row.worlds]
        yield Counterfactual(world(row.overlay), worlds, _names(row))


def _names(row: GoldRow) -> frozenset[str]:
    """Ids that name the patient; none where the fault lies in a dictionary, or no one patient is asked about."""
    fault = (row.overlay,) if row.overlay.edits else row.worlds
    touched = {table for overlay in fault for table in overlay.tables}
    if row.scope is not Scope.PATIENT or not any(TABLES[table].patient for table in touched):
        return frozenset()
    ids = (*row.subject_ids, *(row.parameters.get(name) for name in _IDS))
    return frozenset(str(value) for value in ids if value is not None)


def _asked_records(row: GoldRow) -> dict[str, str]:
    """By table that some world changes: the asked records and the changed ones, as a predicate.

    Other tables stay whole, so that statements find their way through them as before.
    """
    overlays = (row.overlay, *row.worlds)
    tables = sorted({table for overlay in overlays for table in overlay.tables})
    rows: dict[str, set[int]] = {table: set() for table in tables}
    tests: dict[str, set[str]] = {table: set() for table in tables}
    for records in row.records:
        if records.table in rows:
            rows[records.table].update(records.rows)
            tests[records.table].update([records.where] if records.where else [])
    for edit in (edit for overlay in overlays for edit in overlay.edits):
        if isinstance(edit, Update | Delete):
            rows[edit.table].add(edit.row)
        elif isinstance(edit, UpdateWhere | DeleteWhere | CopyWhere):
            tests[edit.table].add(edit.where)
    return {table: _cut(table, sorted(rows[table]), sorted(tests[table])) for table in tables}


def _cut(table: str, rows: list[int], tests: list[str]) -> str:
    """New rows, these rows, and those that met one of the tests before anything was changed."""
    parts = ["row_id IS NULL"]
    if rows:
        parts.append(f"row_id IN ({', '.join(map(str, rows))})")
    if tests:
        clean = " OR ".join(f"({test})" for test in tests)
        parts.append(f"row_id IN (SELECT rowid FROM w.{table} WHERE {clean})")
    return " OR ".join(parts)


# -- where no world supports an answer ----------------------------------------------------------------------------


def _looked(transcript: Transcript, row: GoldRow, hospital: Source) -> int | None:
    """Index of the call by which the columns of every table that would carry the answer have been looked at."""
    targets = {records.table for records in row.records if records.role == Role.TARGET}
    missing = (set(row.schema_evidence) & targets) or set(row.schema_evidence)
    if not missing:
        return None
    for index, call in enumerate(before_the_answer(transcript)):
        missing -= _looks_at(call, hospital.guard)
        if not missing:
            return index
    return None


def _looks_at(call: Call, guard: Judge) -> frozenset[str]:
    """Tables whose columns a call has shown."""
    if "error" in call.shown:
        return frozenset()
    if call.tool == "schema":
        return frozenset({str(call.arguments.get("table", "")).lower()})
    try:
        return guard.read(str(call.arguments["statement"])).looks_at if call.tool == "sql" else frozenset()
    except Refused:
        return frozenset()
