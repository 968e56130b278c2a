"""From the products of a build to a release on disk: its name, its version, and whether it is there already."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from assets.graph.plan import Plan
from assets.graph.versions import key_of
from assets.graph.workbench import Workbench
from assets.pairs.drafting import draft
from assets.release import ReleaseRefused, write_release
from assets.release.write import already_there, code_sha256
from robustgym import timing
from robustgym.layout import CHECKSUMS
from schemas.errors import InputError, Problem
from schemas.release import Draft, SourceKind

FIRST = "1.0.0"
SHOWN = 10

_SOURCES: dict[SourceKind, str] = {"synthetic": "synthetic", "demo": "demo", "credentialed": "mimic-iv"}


@dataclass(frozen=True)
class Published:
    """A release on disk, and what it was written from."""

    path: Path
    draft: Draft
    reused: bool
    """It was there already, made from the same; nothing was written."""


def release_name(kind: SourceKind, plan: Plan) -> str:
    """What a release is called, without its version.

    >>> release_name("credentialed", Plan.of(profile="paper"))
    'robustgym-mimic-iv-paper'
    """
    return f"robustgym-{_SOURCES[kind]}-{plan.profile.name}"


def publish(bench: Workbench) -> Published:
    """Write the release, unless the same one stands.

    Raises:
        InputError: A product is out of date, or the version is taken by another release.
        ReleaseRefused: The pairs do not prove themselves.
    """
    plan, source = bench.plan, bench.source
    pairs, report, checked = bench.pairs(), bench.validation_report(), bench.model_check()
    if report.value.pairs != pairs.content:
        raise InputError(Problem("validation_report", "it is about other pairs", "materialize it again"))
    if report.value.problems:
        # Whoever runs the release alone runs no check of what is upstream, blocking or not.
        raise ReleaseRefused(report.value.problems[:SHOWN])
    name = release_name(source.kind, plan)
    key = key_of(
        name=name,
        code=code_sha256(),
        source=source.model_dump(mode="json"),
        profile=plan.profile.model_dump(mode="json"),
        seed=plan.seed,
        pairs=pairs.content,
        report=report.content,
        model_check=checked.model_dump(mode="json"),
    )
    taken = versions(plan.out, name)
    version, stands = next_version(plan, name, key, taken)
    contents = draft(
        name=name,
        version=version,
        seed=plan.seed,
        profile=plan.profile,
        source=source,
        hospital=bench.hospital,
        questions=bench.questions().value,
        candidates=[*(product.value for product in bench.all_candidates().values()), *bench.natural().value],
        selection=pairs.value,
        yardsticks=report.value.yardsticks,
        shortcuts=report.value.shortcuts,
        model_check=checked,
        verifier=report.value.verifier,
        left_out=[
            *((f"table {table}", "the source does not have it") for table in source.missing),
            *((f"{lack.pool} {lack.lay_name}", lack.why) for lack in bench.concept_check().value.lacking),
        ],
    )
    if stands:
        return Published(plan.out / f"{name}-{version}", contents, reused=True)
    earlier = [other for other in taken if _order(other) < _order(version)]
    previous = plan.out / f"{name}-{earlier[-1]}" if earlier else None
    path = write_release(contents, plan.out, previous=previous)
    if measured := timing.read(bench.timings):
        timing.write(measured, timing.path_beside(path))
    partial = _note(path).with_suffix(".partial")
    noted = {"key": key, "sums": sums(path), "settings": settings(plan)}
    partial.write_text(json.dumps(noted), encoding="utf-8")
    os.replace(partial, _note(path))
    return Published(path, contents, reused=False)


def settings(plan: Plan) -> str:
    """Key of what is known before anything is read: code, profile, seed."""
    return key_of(code=code_sha256(), profile=plan.profile.model_dump(mode="json"), seed=plan.seed)


def refuse_taken(plan: Plan, kind: SourceKind) -> None:
    """Say at once that a version is taken, instead of after the whole build.

    Raises:
        InputError: The version asked for is there, and was certainly made by other code or other settings.
    """
    target = plan.out / f"{release_name(kind, plan)}-{plan.version}"
    if plan.version is not None and target.exists() and _noted(target).get("settings") != settings(plan):
        raise InputError(already_there(target))


def versions(out: Path, name: str) -> list[str]:
    """Versions of a release that are there, lowest first."""
    found = [path.name.removeprefix(f"{name}-") for path in out.glob(f"{name}-*") if (path / CHECKSUMS).is_file()]
    return sorted((v for v in found if all(part.isdigit() for part in v.split("."))), key=_order)


def sums(release: Path) -> str | None:
    """sha256 of a release's list of checksums; None if there is none."""
    try:
        return hashlib.sha256((release / CHECKSUMS).read_bytes()).hexdigest()
    except OSError:
        return None


def next_version(plan: Plan, name: str, key: str, taken: list[str]) -> tuple[str, bool]:
    """The version to write, and whether it stands already.

    Args:
        plan: The build; its own version goes first.
        name: Name of the release.
        key: Key of what it is made from.
        taken: Versions that are there, lowest first.
    """
    if plan.version is not None:
        return plan.version, _same(plan.out / f"{name}-{plan.version}", key)
    if not taken:
        return FIRST, False
    if _same(plan.out / f"{name}-{taken[-1]}", key):
        return taken[-1], True
    *rest, last = taken[-1].split(".")
    return ".".join([*rest, str(int(last) + 1)]), False


def _same(release: Path, key: str) -> bool:
    """Whether a release is there that was made from the same, as it was written."""
    noted = _noted(release)
    return noted.get("key") == key and noted.get("sums") == sums(release) is not None


def _noted(release: Path) -> dict[str, str]:
    """What was noted beside a release when it was written; empty if nothing was."""
    try:
        noted: dict[str, str] = json.loads(_note(release).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return {}
    return noted


def _note(release: Path) -> Path:
    return release.with_name(f".{release.name}.json")


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
