"""The tables that describe the others: items, codes, providers, caregivers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from assets.synthetic.columns import ARROW, table, whole, words
from assets.synthetic.draws import AnyArray
from assets.synthetic.provider import caregiver_ids, provider_ids
from assets.synthetic.word_lists import rows
from schemas.tables import TABLES


def _copied(name: str, source: str) -> pa.Table:
    """A dictionary shipped as it is: the empty cell is NULL, codes stay text."""
    data = rows(source)
    columns = {}
    for column in TABLES[name].columns:
        texts = pa.array([row[column.name] or None for row in data], pa.string())
        columns[column.name] = texts.cast(ARROW[column.type])
    return table(name, columns)


def _icd(name: str, source: str) -> pa.Table:
    data = rows(source)
    return table(
        name,
        {
            "icd_code": words([row["icd_code"] for row in data]),
            "icd_version": whole(np.array([int(row["icd_version"]) for row in data])),
            "long_title": words([row["long_title"] for row in data]),
        },
    )


def _providers(count: int) -> pa.Table:
    return table("provider", {"provider_id": provider_ids(count)})


def _caregivers(count: int) -> pa.Table:
    known: AnyArray = np.sort(caregiver_ids(count))
    return table("caregiver", {"caregiver_id": whole(known)})


DICTIONARIES: dict[str, Callable[[], pa.Table]] = {
    "d_labitems": lambda: _copied("d_labitems", "labitems"),
    "d_items": lambda: _copied("d_items", "items"),
    "d_hcpcs": lambda: _copied("d_hcpcs", "hcpcs"),
    "d_icd_diagnoses": lambda: _icd("d_icd_diagnoses", "icd_diagnoses"),
    "d_icd_procedures": lambda: _icd("d_icd_procedures", "icd_procedures"),
}
"""The dictionaries that every hospital shares."""


def dictionaries(providers: int, caregivers: int) -> dict[str, pa.Table]:
    """All describing tables of a hospital with so many providers and caregivers."""
    tables = {name: make() for name, make in DICTIONARIES.items()}
    return tables | {"provider": _providers(providers), "caregiver": _caregivers(caregivers)}
