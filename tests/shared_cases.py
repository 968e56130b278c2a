"""Cases that lie beside the project and are not part of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "guard"


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one file, or a visible skip if it is not there."""
    file = FOLDER / name
    if not file.is_file():
        pytest.skip(f"the shared cases are not at {file}")
    if file.suffix == ".json":
        found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
        return found
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
