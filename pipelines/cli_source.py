"""The commands that bring a source: `synth` and `fetch-demo`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from pipelines.cli_console import as_json, pipeline, say, watch
from schemas.errors import InputError, Problem


def synth(out: Path, *, patients: int, seed: int, format: str, workers: int | None, json: bool) -> None:
    """Generate a synthetic hospital, and say what was written.

    Raises:
        InputError: There is no such format, or the hospital cannot be made there.
    """
    synthetic = pipeline("assets.synthetic")
    formats = get_args(pipeline("assets.synthetic.write").Format)
    if format not in formats:
        raise InputError(Problem(f"--format {format}", "no such format", f"use one of {', '.join(formats)}"))
    with watch("synth") as progress:
        synthetic.write_hospital(out, patients, seed, format=format, workers=workers or 2, progress=progress)
    if json:
        as_json({"directory": str(out), "patients": patients, "seed": seed, "format": format})
    else:
        say(f"Wrote a hospital of {patients:,} patients to {out}. No patient in it is real.")
        say(f"\nTry next:\n  robustgym build --source {out}")


def fetch_demo(out: Path, *, json: bool) -> None:
    """Download the demo, and say where it is."""
    from robustgym.fetch import fetch_demo as fetch

    with watch("fetch-demo") as progress:
        path = fetch(out, progress=progress)
    if json:
        as_json({"directory": str(path)})
    else:
        say(f"The MIMIC-IV demo is in {path}, its checksums agree.")
        say(f"\nTry next:\n  robustgym build --source {path}")
