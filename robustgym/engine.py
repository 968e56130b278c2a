"""The database engine with every way out shut: no file, network, extension or setting is in a statement's reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb


def closed_off(attach: Path | None = None, *, threads: int = 1, memory_limit: str = "1GB") -> duckdb.DuckDBPyConnection:
    """A database in memory that can reach nothing but the file it was given.

    Args:
        attach: A DuckDB file to read as `w`, read-only.
        threads: Threads per statement.
        memory_limit: As DuckDB writes it. A single value can exceed it.
    """
    settings: dict[str, Any] = {
        "threads": threads,
        "memory_limit": memory_limit,
        "preserve_insertion_order": True,
        # The folder for spilt data is silently open to statements as soon as one is set.
        "temp_directory": "",
        "python_enable_replacements": False,
        "autoload_known_extensions": False,
        "autoinstall_known_extensions": False,
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        # Error messages suggest names from this many schemas.
        "catalog_error_max_schemas": 1,
    }
    connection = duckdb.connect(config=settings)
    if attach is not None:
        quoted = str(attach).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS w (READ_ONLY)")
    # The machine's own time zone must not show in a result.
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    # No allowed folder or path either: with one, COPY TO can overwrite the warehouse's own files.
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
