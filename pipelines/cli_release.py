"""The commands that read a release: `verify`, `show`, `diff`. They need nothing of the pipeline."""

from __future__ import annotations

from pathlib import Path

import typer

from pipelines.cli_console import Watch, as_json, pipeline, say, watch
from robustgym.release import Release


def show(release: Path, pair: str, *, json: bool) -> None:
    """Print a pair as a person reads it."""
    from robustgym.show import show as look

    shown = look(Release.open(release), pair)
    if json:
        as_json(shown.as_dict())
    else:
        say(shown)


def diff(old: Path, new: Path, *, json: bool) -> None:
    """Print what became of each pair from one release to another, and what that does to scores."""
    from robustgym.diff import diff as compare

    difference = compare(Release.open(old), Release.open(new))
    if json:
        as_json(difference.as_dict())
    else:
        say(difference)


def verify(release: Path, *, source: Path | None, json: bool) -> None:
    """Print what is wrong with a release, if anything is.

    Raises:
        typer.Exit: With code 1, if the release does not hold.
    """
    from robustgym.verify import verify as examine

    opened = Release.open(release)
    with watch("verify") as progress:
        report = examine(opened, warehouse_of(source, progress) if source else None, progress)
    if json:
        as_json(report.as_dict())
    else:
        say(report)
    if not report.ok:
        raise typer.Exit(1)


def warehouse_of(source: Path, progress: Watch) -> Path:
    """The staged tables of a source: the directory itself if it is a warehouse, else its own below `data/warehouse`.

    A download is staged first, as `build` would.
    """
    if (source / ".staging").is_dir():
        return source
    plan = pipeline("assets.graph.plan").Plan.of(source=str(source))
    staging = pipeline("assets.staging")
    staging.stage(
        staging.find_source(plan.source),
        plan.warehouse,
        lambda table, share: progress(f"staging {table}", round(100 * share), 100),
    )
    staged: Path = plan.warehouse
    return staged
