"""The command `validate-verifier`. It needs nothing of the pipeline, unless the source is still to be staged."""

from __future__ import annotations

from pathlib import Path

import typer

from pipelines.cli_console import as_json, say, watch
from pipelines.cli_release import warehouse_of
from robustgym.release import Release


def validate_verifier(release: Path, *, source: Path | None, python: bool, json: bool) -> None:
    """Print how often the verifier is wrong about submissions whose verdict is known.

    Raises:
        InputError: There is no such release, or not the hospital it was made from.
        typer.Exit: With code 1, if the verifier accepts anything falsely, or rejects too much.
    """
    from robustgym.environment import its_warehouse
    from robustgym.hospital import Hospital
    from robustgym.sandbox import Stock
    from robustgym.validating import Told, validate

    opened = Release.open(release)
    with watch("validate-verifier") as progress:
        warehouse = its_warehouse(opened, warehouse_of(source, progress) if source else None)
        with Hospital.open(warehouse) as hospital, Stock() as stock:
            isolation = stock.isolation
            tried = python and isolation.on
            found = validate(opened.rows, hospital, progress, stock=stock if tried else None)
    if json:
        as_json(found.model_dump(mode="json") | {"ok": found.ok, "python": tried})
    else:
        say(Told(found))
        if python and not isolation.on:
            say(f"Evidence in Python was not tried: {isolation.detail}.")
    if not found.ok:
        raise typer.Exit(1)
