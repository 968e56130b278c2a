"""The command that reports runs: `report`. It needs nothing of the pipeline, but to stage a download."""

from __future__ import annotations

import json as text
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from pipelines.cli_console import as_json, say, watch
from pipelines.cli_release import warehouse_of
from robustgym.hospital import Hospital
from robustgym.release import Release
from robustgym.report.leaderboard import columns, figure, label, latex, markdown
from robustgym.report.published import read_published
from robustgym.report.results import Results, evaluated
from robustgym.report.runs import report as page
from robustgym.runs import Run, replace
from robustgym.verify import same_source
from robustgym.warehouse import Warehouse
from schemas.errors import InputError, Problem


def report(
    runs: Sequence[Path],
    *,
    release: Path | None,
    source: Path | None,
    warehouse: Path | None,
    out: Path | None,
    published: Path | None,
    aggregate_only: bool | None,
    json: bool,
) -> None:
    """Write `leaderboard.md`, `leaderboard.tex`, `results.json` and `report.html`, and print the leaderboard in short.

    Raises:
        InputError: A run, the release or the published figures cannot be read, or do not belong together.
    """
    if (source or warehouse) and release is None:
        what = "a hospital is named, but no release whose answers could be run on it"
        raise InputError(Problem("--source, --warehouse", what, "add --release"))
    figures = read_published(published) if published else ()
    opened = [Run.open(run) for run in runs]
    known = Release.open(release) if release else None
    with watch("report") as progress, ExitStack() as stack:
        hospital = None
        if known and (source or warehouse):
            staged = Warehouse.open(warehouse_of(source, progress) if source else warehouse or Path())
            if others := list(same_source(known, staged)):
                do = "name the warehouse of its own source"
                raise InputError(Problem(f"release {known.manifest.name}", what, do) for what in others)
            hospital = stack.enter_context(Hospital.open(staged))
        progress("counting", 0, 0)
        results = evaluated(opened, release=known, hospital=hospital, published=figures, aggregate_only=aggregate_only)
    where = out or Path("data") / "reports" / _name(opened)
    found = results.as_dict()
    try:
        where.mkdir(parents=True, exist_ok=True)
        for name, content in (
            ("results.json", text.dumps(found, indent=1, ensure_ascii=False) + "\n"),
            ("leaderboard.md", markdown(results)),
            ("leaderboard.tex", latex(results)),
            ("report.html", page(results)),
        ):
            replace(where / name, content)
    except OSError as error:
        raise InputError(
            Problem(f"--out {where}", f"cannot be written ({error.strerror})", "name another directory")
        ) from None
    if json:
        as_json({"directory": str(where), **found})
    else:
        _say(results, where)


def _name(runs: Sequence[Run]) -> str:
    first = runs[0].path.resolve().name
    return first if len(runs) == 1 else f"{first}-and-{len(runs) - 1}"


def _say(results: Results, where: Path) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    for group in results.groups:
        # What fits on a terminal of 80 columns; the files have everything.
        shown = [c._replace(interval=c.metric != "robustness_gap") for c in columns(group.k) if c.interval]
        grid = Table(title=group.title, title_justify="left", box=SIMPLE, padding=(0, 1), pad_edge=False)
        grid.add_column("agent", overflow="fold", min_width=12)
        for column in shown:
            grid.add_column(column.head, justify="right", no_wrap=True)
        for run in group.runs:
            cells = (figure(run.metric(c.metric, c.condition), c) for c in shown)
            grid.add_row(label(run, group) + "*" * run.yardstick, *cells)
        say(grid)
        if any(run.yardstick for run in group.runs):
            say("* is given gold rows, or what they say of the templates: a yardstick.")
        for warning in group.warnings:
            say(warning)
    say(f"Written to {where}: report.html, leaderboard.md, leaderboard.tex, results.json")
