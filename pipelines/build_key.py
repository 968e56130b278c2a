"""Whether a build has anything to do: a key of all it depends on, told without reading a table or importing Dagster."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

from assets.graph.plan import Plan
from assets.graph.publish import sums
from assets.graph.versions import code_of, key_of
from assets.release.write import code_sha256
from assets.staging import Source, ledger
from robustgym.endpoint import Endpoint

_LIBRARIES = ("duckdb", "jinja2", "polars", "pyarrow", "pydantic", "sqlglot")


def build_key(plan: Plan, source: Source) -> str:
    """Key of everything a build depends on: the source's files as they look from outside, settings, code, libraries.

    Args:
        plan: The build.
        source: Its source, found.
    """
    endpoint = Endpoint.of()
    return key_of(
        files={table: ledger.state(path) for table, path in source.files.items()},
        kind=[source.kind, source.version],
        profile=plan.profile.model_dump(mode="json"),
        seed=plan.seed,
        version=plan.version,
        out=str(plan.out.resolve()),
        code=[code_sha256(), code_of("assets/synthetic") if plan.patients else None],
        libraries={name: version(name) for name in _LIBRARIES},
        model=[endpoint.host, endpoint.model] if endpoint else None,
    )


def standing(plan: Plan, key: str) -> dict[str, Any] | None:
    """The summary of the release that was made from the same, if it stands as it was written; else None."""
    try:
        noted: dict[str, Any] = json.loads(_note(plan).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return None
    found = sums(Path(noted["summary"]["release"]))
    return noted["summary"] if noted["key"] == key and found is not None and found == noted["sums"] else None


def remember(plan: Plan, key: str, summary: dict[str, Any]) -> None:
    """Note that the build of this key is done, with the summary that was printed."""
    note = _note(plan)
    partial = note.with_suffix(".partial")
    partial.write_text(
        json.dumps({"key": key, "sums": sums(Path(summary["release"])), "summary": summary}), encoding="utf-8"
    )
    os.replace(partial, note)


def _note(plan: Plan) -> Path:
    return plan.work / "built.json"
