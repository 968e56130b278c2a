"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import demo_warehouse as demo_tables
from tests.scripted_model import serve

__all__ = ["demo", "demo_warehouse", "serve"]

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def demo() -> Path:
    """Directory of the MIMIC-IV demo 2.2: `MIMIC_IV_DEMO`, or `shared/mimic-iv-demo-2.2` beside the project."""
    path = Path(os.environ.get("MIMIC_IV_DEMO", ROOT.parent / "shared" / "mimic-iv-demo-2.2"))
    if not (path / "hosp").is_dir():
        pytest.skip(f"the MIMIC-IV demo is not at {path}; set MIMIC_IV_DEMO to its directory")
    return path


@pytest.fixture(scope="session")
def demo_warehouse(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo as a warehouse, made once for all tests that read it and change nothing."""
    return demo_tables.build(demo, tmp_path_factory.mktemp("demo"))
