"""Staging: from a directory in PhysioNet's layout to typed, sorted parquet. Plain functions; Dagster wraps them.

`source` finds the files, `read_csv` and `read_parquet` make frames of them, `order` sorts what may not fit into
memory, `write` writes equal records as equal bytes, `staged` puts it together and remembers.
"""

from __future__ import annotations

from assets.staging.source import Source, find_source
from assets.staging.staged import Progress, StagedTable, stage, stage_table

__all__ = ["Progress", "Source", "StagedTable", "find_source", "stage", "stage_table"]
