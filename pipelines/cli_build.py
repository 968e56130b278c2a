"""The command `build`: from a source to a release, or "nothing to do" in a few seconds."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pipelines.cli_console import Watch, as_json, called, pipeline, say, watch
from schemas.errors import InputError, Problem
from schemas.questions import Scope
from schemas.tables import TABLES

if TYPE_CHECKING:
    import dagster as dg

    from assets.graph.plan import Plan

SHOWN = 12
"""Lines of what was left out and why; the rest is in the release's report."""

REASONS = 5
"""The commonest reasons for which candidates were dropped: enough to see that nothing is amiss."""

INTERRUPTS = ("DagsterExecutionInterruptedError", "KeyboardInterrupt")
"""Errors by which a step shows that Ctrl-C was pressed while it ran."""

STOPPED = "Stopped. What is finished stands: the same command goes on from there."


def build(
    *,
    source: str,
    profile: str,
    seed: int,
    version: str | None,
    out: Path,
    warehouse: Path | None,
    threads: int | None,
    confirmed: bool,
    json: bool,
) -> None:
    """Make a release, or say that it is there.

    Raises:
        InputError: The call or the source was wrong.
        typer.Exit: With code 1, if a check failed.
    """
    keys = pipeline("pipelines.build_key")
    staging = pipeline("assets.staging")
    plan = pipeline("assets.graph.plan").Plan.of(
        source=source,
        profile=profile,
        seed=seed,
        version=version,
        out=out,
        warehouse=warehouse,
        threads=threads,
        confirmed=confirmed,
    )
    if plan.patients is None or plan.source.is_dir():
        # Whatever is wrong with the source's files is said now, before anything is loaded or run.
        found = staging.find_source(plan.source)
        summary = keys.standing(plan, keys.build_key(plan, found))
        if summary is not None:
            if json:
                as_json(summary | {"made": False})
            else:
                say(f"Nothing to do: {summary['release']} was made from the same source, code and settings.")
            return
        pipeline("assets.graph.publish").refuse_taken(plan, found.kind)
    config = {
        "source": source,
        "profile": profile,
        "seed": seed,
        "version": version,
        "out": str(out),
        "warehouse": str(warehouse) if warehouse else None,
        "threads": threads,
        "confirmed": confirmed,
    }
    with watch("build") as progress:
        result = _run({k: v for k, v in config.items() if v is not None}, progress)
        unread = list(_unread(result, plan, progress))
    notes = list(_judged(result, plan.work, unread))
    summary = _summary(result, source, plan.warehouse) | {"notes": notes}
    keys.remember(plan, keys.build_key(plan, staging.find_source(plan.source)), summary)
    if json:
        as_json(summary | {"made": True})
    else:
        _tell(summary)


def _run(config: dict[str, Any], progress: Watch) -> dg.ExecuteInProcessResult:
    """Run the main job in this process, its log turned into progress."""
    import dagster as dg

    from assets.graph.build import Build
    from assets.graph.progress import watched_by
    from pipelines.definitions import build_definitions

    logger = dg.LoggerDefinition(lambda _: _logger(progress, len(job.graph.nodes)))
    job = build_definitions(Build(**config), {"watch": logger}).resolve_job_def("release")
    progress.show("build", "starting", 0, len(job.graph.nodes))
    # The history that `dagster dev` shows, where the command runs in a checkout; else none is kept.
    here = Path("dagster.yaml").is_file()
    instance = dg.DagsterInstance.from_config(".") if here else dg.DagsterInstance.ephemeral()
    try:
        with instance, watched_by(lambda what, done, total: progress.show("  step", what, done, total)):
            result = job.execute_in_process(
                run_config={"loggers": {"watch": {}}}, instance=instance, raise_on_error=False
            )
    except (KeyboardInterrupt, dg.DagsterExecutionInterruptedError):
        stopped = True
    else:
        failures = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
        stopped = any(error and error.cls_name in INTERRUPTS for error in failures)
    if stopped:
        print(STOPPED, file=sys.stderr)
        raise typer.Exit(130)
    return result


class _Steps(logging.Handler):
    """Turns Dagster's events into progress."""

    def __init__(self, progress: Watch, steps: int) -> None:
        super().__init__(logging.DEBUG)
        self._progress = progress
        self._steps = steps
        self._done = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Show the step that begins, count the one that ends."""
        event = (getattr(record, "dagster_meta", None) or {}).get("dagster_event")
        if event is None or event.step_key is None:
            return
        name = event.step_key.replace("__", "/")
        if event.event_type_value == "STEP_START":
            self._progress.show("build", name, self._done, self._steps)
        elif event.event_type_value in ("STEP_SUCCESS", "STEP_FAILURE", "STEP_SKIPPED"):
            self._done += 1
            self._progress.drop("  step")
            self._progress.show("build", name, self._done, self._steps)


def _logger(progress: Watch, steps: int) -> logging.Logger:
    logger = logging.Logger("robustgym.build", logging.DEBUG)
    logger.addHandler(_Steps(progress, steps))
    return logger


def _unread(result: dg.ExecuteInProcessResult, plan: Plan, progress: Watch) -> Iterator[Problem]:
    """What is wrong with the tables that were not read, because one that they refer to could not be staged.

    A user who has put a file right should not be told of the next one only then.
    """
    from assets import staging
    from assets.graph import keys

    failed = {event.step_key for event in result.all_events if event.is_step_failure}
    ran = failed | {event.step_key for event in result.all_events if event.is_step_success}
    steps = {keys.staged(table).to_python_identifier(): table for table in TABLES.values()}
    if failed.isdisjoint(steps):
        return
    source = staging.find_source(plan.source)
    for step, table in steps.items():
        if step not in ran and table.name in source.files:
            progress.show("build", f"what else is wrong: {table.name}", len(ran), 0)
            try:
                staging.stage_table(source, table, plan.warehouse, threads=plan.threads or 2)
            except InputError as error:
                yield from error.problems


def _judged(result: dg.ExecuteInProcessResult, work: Path, problems: Sequence[Problem]) -> Iterator[str]:
    """Notes on checks that only warn.

    Args:
        result: The run.
        work: Where the whole of an error is kept.
        problems: What is known to be wrong with the source beside what the steps say.

    Raises:
        InputError: Steps failed on what the user can put right.
        typer.Exit: With code 1, if a check or a step failed otherwise.
    """
    told: list[Problem] = []
    errors: list[str] = []
    for event in result.all_events:
        if not event.is_step_failure:
            continue
        data = event.step_failure_data
        metadata = data.user_failure_data.metadata if data.user_failure_data else {}
        if "problems" in metadata:
            parts: Any = metadata["problems"].value
            told += [Problem(*part) for part in parts]
        elif data.user_failure_data:
            errors.append(f"{event.step_key}: {data.user_failure_data.description}")
        elif data.error is not None:
            cause = data.error.cause or data.error
            errors.append(f"{event.step_key}: {cause.message.strip()}")
            work.mkdir(parents=True, exist_ok=True)
            (work / "error.txt").write_text(data.error.to_string(), encoding="utf-8")
            errors.append(f"the whole of it is in {work / 'error.txt'}")
    notes = []
    for check in result.get_asset_check_evaluations():
        line = f"{check.asset_key.path[-1]}, {check.check_name.replace('_', ' ')}: {check.description or 'no'}"
        if not check.passed and check.severity.value == "ERROR":
            errors.append(f"check failed: {line}")
        elif not check.passed:
            notes.append(line)
    if told or problems:
        raise InputError([*told, *problems])
    if errors or not result.success:
        for error in errors:
            print(error, file=sys.stderr)
        raise typer.Exit(1)
    yield from notes


def _summary(result: dg.ExecuteInProcessResult, source: str, warehouse: Path) -> dict[str, Any]:
    """What was made, as `--json` gives it."""
    from assets.graph import keys
    from robustgym.release import Release

    [made] = result.asset_materializations_for_node(keys.RELEASE.to_python_identifier())
    path = Path(str(made.metadata["directory"].value))
    release = Release.open(path)
    manifest = release.manifest
    pairs = release.pairs()
    # The first that shows records before and after, and few enough of them to read.
    legible = (pair for pair in pairs if pair.clean.scope is Scope.PATIENT and pair.noise.overlay.edits)
    return {
        "release": str(path),
        "name": manifest.name,
        "version": manifest.version,
        "source": {"given": source, "kind": manifest.source.kind, "version": manifest.source.version},
        "warehouse": str(warehouse),
        "missing_tables": list(manifest.source.missing),
        "counts": manifest.counts,
        "drops": manifest.drops,
        "left_out": [{"what": what, "why": why} for what, why in manifest.left_out],
        "yardsticks": manifest.yardsticks,
        "model_check": manifest.model_check.status,
        "example": next(legible, pairs[0]).clean.pair_id,
    }


def _level(counts: dict[str, int], split: str, level: str) -> int:
    """Pairs of one split and level, over all intents and scopes."""
    return sum(n for cell, n in counts.items() if cell.startswith(f"{split}/") and cell.endswith(f"/{level}"))


def _weight(item: dict[str, str]) -> tuple[int, str]:
    """Missing tables first, then cells that are short, templates, and concepts."""
    what = item["what"]
    sorts = (what.startswith("table "), what.startswith(("test, ", "train, ")), " " not in what, True)
    return sorts.index(True), what


def _tell(summary: dict[str, Any]) -> None:
    """What was made, where, what was left out and why, and what to try next."""
    say(f"Made {summary['name']} {summary['version']} in {summary['release']}")
    say()
    say("            record    value    query   pairs")
    for split in ("test", "train"):
        by_level = [_level(summary["counts"], split, level) for level in ("record", "value", "query")]
        say(f"  {split:<7}" + "".join(f"{n:>9,}" for n in by_level) + f"{sum(by_level):>8,}")
    say(f"\nEvery reference was run again; the wording is {summary['model_check']}.")
    if summary["left_out"]:
        say(f"\nLeft out ({len(summary['left_out'])}, all in the report):")
        for item in sorted(summary["left_out"], key=_weight)[:SHOWN]:
            say(f"  {item['what']}: {item['why']}")
    if summary["drops"]:
        dropped = sum(summary["drops"].values())
        say(f"\nCandidates tried and dropped ({dropped:,}, as is usual; all reasons in the report):")
        for reason, n in sorted(summary["drops"].items(), key=lambda item: -item[1])[:REASONS]:
            say(f"  {n:>7,}  {reason}")
    if summary["notes"]:
        say("\nChecks that warn:")
        for note in summary["notes"]:
            say(f"  {note}")
    given = summary["source"]["given"]
    release = shlex.quote(summary["release"])
    say(f"\nTo read: {summary['release']}/report.html, in a browser.")
    say("\nTry next:")
    say(f"  {called('robustgym')} show {release} {summary['example']}")
    say(f"  {called('robustgym')} verify {release} --source {shlex.quote(summary['warehouse'])}")
    say(f"  {'' if given == 'synthetic' else f'ROBUSTGYM_SOURCE={shlex.quote(given)} '}{called('dagster')} dev")
