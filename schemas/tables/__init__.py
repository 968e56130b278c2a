"""MIMIC-IV's 31 tables, v2.2 to v3.1, declared once.

Staging, the synthetic hospital, expectations, the agent's schema tool, JSON Schema and the data dictionary all read
this declaration.
"""

from __future__ import annotations

from schemas.tables.hosp import HOSP
from schemas.tables.icu import ICU
from schemas.tables.model import Column, ColumnType, ForeignKey, Table

TABLES: dict[str, Table] = {table.name: table for table in (*HOSP, *ICU)}
"""Every table by name: the 22 of `hosp`, then the 9 of `icu`."""

__all__ = ["TABLES", "Column", "ColumnType", "ForeignKey", "Table"]
