"""What an itemid, a code or a spelling stands for: labs, vitals, drugs, diagnosis groups and the like, as curated.

The tables lie in `data/concepts/*.csv` (docs/concepts.md says what their columns mean). Facts only; no patient's data.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from schemas.concept_models import (
    BillingGroup,
    CareUnit,
    ChartedDate,
    ClinicMeasure,
    Coded,
    Concept,
    Concepts,
    Device,
    DiagnosisGroup,
    Drug,
    DrugClass,
    Infusion,
    Ingredient,
    Lab,
    Measured,
    Output,
    Pool,
    Procedure,
    Ratio,
    Term,
    Vital,
)

__all__ = [
    "BillingGroup",
    "CareUnit",
    "ChartedDate",
    "ClinicMeasure",
    "Coded",
    "Concept",
    "Concepts",
    "Device",
    "DiagnosisGroup",
    "Drug",
    "DrugClass",
    "Infusion",
    "Ingredient",
    "Lab",
    "Measured",
    "Output",
    "Pool",
    "Procedure",
    "Ratio",
    "Term",
    "Vital",
    "load",
    "rows",
]

FOLDER = Path(__file__).parent.parent / "data" / "concepts"

C = TypeVar("C", bound=Concept)


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one curated table, every cell as text."""
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def _read(kind: type[C], name: str, key: str, renamed: Mapping[str, str] | None = None) -> dict[str, C]:
    """One table as concepts of a kind, by id; columns the kind does not declare are for people and the generator."""
    found = {}
    for row in rows(name):
        cells: dict[str, Any] = {**row, "id": row[key], "common": _common(row)}
        cells |= {new: row[old] for new, old in (renamed or {}).items()}
        concept = kind(**{field: cells[field] for field in kind.model_fields if field in cells})
        found[concept.id] = concept
    return found


def _common(row: Mapping[str, str]) -> int:
    """The demo's count of a row's concept; codes are counted per ICD version and added up."""
    for columns in (
        ("demo_patients",),
        ("demo_admissions_icd9", "demo_admissions_icd10"),
        ("demo_stays",),
        ("demo_admissions_hcfa",),
        ("demo_admissions",),
    ):
        if columns[0] in row:
            return sum(int(row[column]) for column in columns)
    return 0


@cache
def load() -> Concepts:
    """Every curated concept.

    >>> lab = load().of(Pool.LAB)["creatinine"]
    >>> lab.lay_name, lab.alternatives
    ('serum creatinine', (('umol/L', 88.4),))
    """
    infusions = _read(Infusion, "infusions", "concept", {"unit": "rate_unit"})
    drugs = _read(
        Drug,
        "drugs",
        "ingredient",
        {
            "lay_name": "ingredient",
            "drug_class": "class",
            "orders": "prescriptions_drug",
            "administrations": "emar_medication",
        },
    )
    procedures = _read(Procedure, "procedures", "group")
    dates = _read(ChartedDate, "charted_dates", "concept")
    pools: dict[Pool, Mapping[str, Concept]] = {
        Pool.LAB: _read(Lab, "labs", "concept"),
        Pool.RATIO: _read(Ratio, "ratios", "concept"),
        Pool.VITAL: _read(Vital, "vitals", "concept"),
        Pool.CLINIC: _read(ClinicMeasure, "omr", "concept"),
        Pool.OUTPUT: _read(Output, "outputs", "concept"),
        Pool.INFUSION: {id_: i for id_, i in infusions.items() if i.category == "Medications"},
        Pool.FLUID: {id_: i for id_, i in infusions.items() if i.category != "Medications"},
        Pool.ORDERED_DRUG: {id_: drug for id_, drug in drugs.items() if drug.orders},
        Pool.GIVEN_DRUG: {id_: drug for id_, drug in drugs.items() if drug.administrations},
        Pool.DRUG_CLASS: _classes(drugs),
        Pool.DIAGNOSIS: _read(DiagnosisGroup, "diagnoses", "group"),
        Pool.PROCEDURE: {id_: p for id_, p in procedures.items() if p.icd9_prefixes or p.icd10_prefixes},
        Pool.DEVICE: {
            id_: _device(p, row)
            for (id_, p), row in zip(procedures.items(), rows("procedures"), strict=True)
            if p.procedureevents_itemids
        },
        Pool.DRG: _read(BillingGroup, "drg_groups", "group", {"codes": "msdrg_family_published"}),
        Pool.HCPCS: _read(BillingGroup, "hcpcs_groups", "group"),
        Pool.CARE_UNIT: _care_units(),
        Pool.INGREDIENT: _read(Ingredient, "ingredients", "concept"),
        Pool.LINE: {id_: date for id_, date in dates.items() if date.label.endswith("Insertion Date")},
        Pool.LINE_CARE: {id_: date for id_, date in dates.items() if date.label.lower().endswith("change")},
        **_terms(),
    }
    unknown: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in rows("unknown_values"):
        key = (row["table"], row["column"])
        unknown[key] = (*unknown.get(key, ()), row["value"])
    affinity = {r["anchor"]: frozenset(f"{r['measurements']};{r['drugs']}".split(";")) for r in rows("affinity")}
    return Concepts(pools=pools, unknown=unknown, affinity=affinity)


def _device(procedure: Procedure, row: Mapping[str, str]) -> Device:
    return Device(
        id=procedure.id,
        lay_name=procedure.lay_name,
        abbreviation=procedure.abbreviation,
        common=int(row["demo_stays"]),
        itemids=procedure.procedureevents_itemids,
        labels=procedure.procedureevents_labels.replace(";", ", "),
    )


def _classes(drugs: Mapping[str, Drug]) -> dict[str, DrugClass]:
    """Classes of two ingredients or more: one alone is asked for by its name."""
    members: dict[str, list[Drug]] = {}
    for drug in drugs.values():
        if drug.orders:
            members.setdefault(drug.drug_class, []).append(drug)
    return {
        name: DrugClass(
            id=name,
            lay_name=f"{name}s",
            common=sum(drug.common for drug in group),
            members=tuple(drug.lay_name for drug in group),
            orders=tuple(spelling for drug in group for spelling in drug.orders),
        )
        for name, group in members.items()
        if len(group) > 1
    }


def _care_units() -> dict[str, CareUnit]:
    """Care units by their spelling: one group may have several, and they are different wards."""
    return {
        row["careunit"]: CareUnit(
            id=row["careunit"],
            lay_name=row["careunit"],
            common=int(row["demo_admissions"]),
            careunit=row["careunit"],
            intensive=row["demo_icustays_first"] != "0",
        )
        for row in rows("careunits")
    }


def _terms() -> dict[Pool, dict[str, Term]]:
    pools: dict[Pool, dict[str, Term]] = {}
    for row in rows("terms"):
        term = Term(id=row["term"], **{k: v for k, v in row.items() if k not in ("list", "term")})
        pools.setdefault(Pool(row["list"]), {})[term.id] = term
    return pools
