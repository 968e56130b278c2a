"""Which code made a release: the one place that knows a version and a date, so that no build reads the clock."""

from __future__ import annotations

CODE_VERSION = "0.1.0"
"""Version of the package; the same as in `pyproject.toml`."""

RELEASED = "2026-11-29"
"""Day of this code version. A release is dated by its code: the same code makes the same bytes on any day."""

SCHEMA_VERSION = "2"
"""Layout of a release. A reader refuses another one; it changes with the MAJOR version of every release."""
