"""Writes a release: under a temporary name, then all at once under its own. An existing version stays as it is."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq

from assets.release import facts
from assets.release.croissant import croissant
from assets.release.documents import documents, title_of
from assets.release.provenance import canary, provenance
from robustgym import consistency
from robustgym.diff import difference
from robustgym.layout import CHECKSUMS, MANIFEST, path_of, write_rows
from robustgym.release import Release, pairs_of
from robustgym.report.numbers import NOT_MEASURED, words
from robustgym.report.release import report
from robustgym.yardsticks import DUE
from schemas.errors import InputError, Problem
from schemas.json_schema import PUBLISHED, json_schema
from schemas.pairs import GoldRow, Pair, Split, Task
from schemas.release import Draft, FileEntry, Manifest
from schemas.version import CODE_VERSION, SCHEMA_VERSION

ROOT = Path(__file__).resolve().parents[2]
"""Where the five packages and `data/` lie: the checkout, or site-packages."""

_CODE = (
    ("assets", ("*.csv", "*.j2", "*.py", "*.txt")),
    ("noise_ops", ("*.py",)),
    ("robustgym", ("*.py", "*.j2")),
    ("schemas", ("*.py",)),
    ("data/concepts", ("*.csv",)),
    ("data/profiles", ("*.toml",)),
)
_SOFTWARE = ("duckdb", "jinja2", "polars", "pyarrow", "pydantic", "sqlglot")
_GENERATOR = ("faker", "numpy")


class ReleaseRefused(Exception):
    """The draft does not prove itself, so it is not published. Says every reason."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("; ".join(reasons))


def write_release(draft: Draft, out: Path, *, previous: Path | None = None) -> Path:
    """Write `<out>/<name>-<version>/`: tasks, gold rows, JSON Schemas, documents, report, manifest and checksums.

    The bytes depend on the draft, the code and `previous` alone: not on the clock, the machine or what else is in
    `out`.

    Args:
        draft: Everything to be released.
        out: Directory of releases; made if it is not there.
        previous: An earlier version, with which the change note compares.

    Returns:
        The directory of the release.

    Raises:
        InputError: This version is there already, or `out` can't be written; nothing half-written stays.
        ReleaseRefused: A yardstick is off, or the draft is not made of whole pairs.
    """
    target = out / f"{draft.name}-{draft.version}"
    if target.exists():
        raise InputError(already_there(target))
    pairs = _proven(draft)
    earlier = Release.open(previous) if previous else None
    # Beside the target, so that the rename stays on one disk; a name no release can have.
    building = out / f".{target.name}.building"
    try:
        out.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir()
        _write(draft, pairs, building, earlier)
        building.rename(target)
    except OSError as error:
        raise InputError(
            Problem(
                str(error.filename or out), f"cannot be written: {error.strerror or error}", "free it, or give --out"
            )
        ) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return target


def already_there(target: Path) -> Problem:
    """What to say of a version that is there already."""
    return Problem(
        str(target),
        "this version exists, and a published version is never overwritten",
        "give a higher --version, or another --out",
    )


def _write(draft: Draft, pairs: tuple[Pair, ...], out: Path, earlier: Release | None) -> None:
    mark = canary(draft)
    for split in Split:
        # By task id, which is a hash: so the order of rows says nothing.
        gold = sorted((row for row in draft.rows if row.split is split), key=lambda row: row.task_id)
        tasks = [row.task for row in gold]
        write_rows(Task, tasks, out / path_of(Task, split), mark)
        write_rows(GoldRow, gold, out / path_of(GoldRow, split), mark)
    for name, model in PUBLISHED.items():
        _text(out / "schemas" / f"{name}.json", json_schema(model, comment=mark))
    manifest = Manifest(
        name=draft.name,
        version=draft.version,
        schema_version=SCHEMA_VERSION,
        code_version=CODE_VERSION,
        code_sha256=code_sha256(),
        seed=draft.seed,
        licence=draft.source.kind,
        source=draft.source,
        profile=draft.profile,
        counts=facts.counts(pairs),
        drops=facts.drops_by_reason(draft.drops),
        left_out=draft.left_out,
        yardsticks=draft.yardsticks,
        shortcuts=draft.shortcuts,
        verifier=draft.verifier,
        model_check=draft.model_check,
        canary=mark,
        software={name: version(name) for name in _SOFTWARE + (_GENERATOR if draft.source.kind == "synthetic" else ())},
        files=(),
    )
    change = difference(earlier.manifest, earlier.pairs(), manifest, pairs) if earlier else None
    for name, text in documents(draft, pairs, manifest, change).items():
        _text(out / name, text)
    _text(out / "report.html", report(draft, manifest))
    parquet = [entry for entry in _entries(out) if entry.rows is not None]
    described = croissant(draft, title_of(draft), provenance(draft.source), parquet, mark)
    _text(out / "croissant.json", json.dumps(described, indent=2, ensure_ascii=False) + "\n")
    manifest = manifest.model_copy(update={"files": tuple(_entries(out))})
    _text(out / MANIFEST, json.dumps(manifest.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n")
    # `sha256sum -c` passes over a line that begins with #.
    sums = "".join(f"{entry.sha256}  {entry.path}\n" for entry in _entries(out))
    _text(out / CHECKSUMS, f"# {mark}\n{sums}")


def _proven(draft: Draft) -> tuple[Pair, ...]:
    """The pairs of a draft that may be published.

    Raises:
        ReleaseRefused: It may not.
    """
    reasons = []
    for name, due in DUE.items():
        score = draft.yardsticks.get(name)
        # A share of no tasks is NaN, which equals nothing: so it does not pass either.
        if score != due:
            reasons.append(f"{words(name)} scores {NOT_MEASURED if score is None else score}, and must score {due}")
    try:
        pairs = tuple(pairs_of(draft.rows, draft.name).values())
    except InputError as error:
        raise ReleaseRefused([*reasons, *map(str, error.problems)]) from None
    if not pairs:
        reasons.append("there are no pairs")
    # What `robustgym verify` would find fault with is not published in the first place.
    rows = tuple(row for pair in pairs for row in pair)
    reasons += [*consistency.pairs(pairs), *consistency.splits(rows), *consistency.ids(rows)]
    reasons += consistency.abstentions(draft.profile, pairs)
    if reasons:
        raise ReleaseRefused(reasons)
    return pairs


def _entries(out: Path) -> Iterator[FileEntry]:
    """Every file below, by path."""
    for path in sorted((p for p in out.rglob("*") if p.is_file()), key=lambda p: p.relative_to(out).as_posix()):
        content = path.read_bytes()
        yield FileEntry(
            path=path.relative_to(out).as_posix(),
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            rows=pq.read_metadata(path).num_rows if path.suffix == ".parquet" else None,
        )


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


@cache
def code_sha256() -> str:
    """sha256 of the code that runs, of the concept tables and of the profiles: what decides a release's bytes.

    `pipelines` only wires and is left out. Taken once: a process runs the code it has loaded, whatever is edited since.
    """
    return sha256_of_code(ROOT)


def sha256_of_code(root: Path) -> str:
    """sha256 over path and content of every file that counts as code below a root, in the order of the paths."""
    digest = hashlib.sha256()
    files = {path for folder, patterns in _CODE for pattern in patterns for path in (root / folder).rglob(pattern)}
    for name in sorted(path.relative_to(root).as_posix() for path in files):
        digest.update(f"{name} {hashlib.sha256((root / name).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
