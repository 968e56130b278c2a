"""What an itemid, a code or a spelling stands for: labs, vitals, drugs, diagnosis groups and the like, as curated.

The tables lie in `data/concepts/*.csv` (docs/concepts.md says what their columns mean). Facts only; no patient's data.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field

from schemas.answers import Frozen

FOLDER = Path(__file__).parent.parent / "data" / "concepts"


def _split(separator: str) -> BeforeValidator:
    """Cells that hold a list: its parts, outer blanks kept (270 drug strings of the demo end in one)."""
    return BeforeValidator(lambda cell: tuple(cell.split(separator)) if isinstance(cell, str) and cell else cell or ())


Texts = Annotated[tuple[str, ...], _split(";")]
Spellings = Annotated[tuple[str, ...], _split("|")]
Items = Annotated[tuple[int, ...], _split(";")]
Number = Annotated[float | None, BeforeValidator(lambda cell: None if cell == "" else cell)]


def _codes(cell: str | tuple[str, ...]) -> tuple[str, ...]:
    """Codes of a cell, ranges written out, leading zeros kept.

    >>> _codes("064-066, 280"), _codes("99217;99218")
    (('064', '065', '066', '280'), ('99217', '99218'))
    """
    if isinstance(cell, tuple):
        return cell
    found: list[str] = []
    for part in cell.replace(",", ";").split(";"):
        first, _, last = part.strip().partition("-")
        found += [f"{n:0{len(first)}}" for n in range(int(first), int(last) + 1)] if last else [first]
    return tuple(found)


class Pool(StrEnum):
    """The sorts of concept a slot of a question can ask for. A slot's value is the id of a concept of its pool."""

    LAB = "lab"
    RATIO = "ratio"
    VITAL = "vital"
    CLINIC = "clinic"
    OUTPUT = "output"
    INFUSION = "infusion"
    FLUID = "fluid"
    """Infusions by volume: fluids, blood products."""
    ORDERED_DRUG = "ordered_drug"
    GIVEN_DRUG = "given_drug"
    DRUG_CLASS = "drug_class"
    DIAGNOSIS = "diagnosis"
    PROCEDURE = "procedure"
    DEVICE = "device"
    """Procedures that run for a time in the ICU, from `procedureevents`."""
    DRG = "drg"
    HCPCS = "hcpcs"
    CARE_UNIT = "care_unit"
    SPECIMEN = "specimen"
    ORDER_TYPE = "order_type"
    DESTINATION = "destination"
    ADMISSION_TYPE = "admission_type"
    AGE = "age"
    DRG_LEVEL = "drg_level"


class Concept(Frozen):
    """One thing a question can be about."""

    id: str
    lay_name: str
    """What a clinician calls it; unambiguous within its pool."""
    common: int = 0
    """How many patients, stays or admissions of the open demo have it: cohorts and anchors are common ones."""

    @property
    def definition(self) -> str:
        """Which records count as it, for the question's small print; empty where the name says it."""
        return ""


class Measured(Concept):
    """A concept with a number: unit, decimals, plausible range, and the side on which it is worrying."""

    unit: str = ""
    decimals: int = 0
    plausible_low: Number = None
    plausible_high: Number = None
    range_source: str = ""
    worse: str = "high"
    """`high` or `low`: on which side a value worries."""
    threshold: Number = None
    """A limit worth asking about; not a diagnosis."""
    alt_unit: str = ""
    """Another unit the field reports it in."""
    alt_factor: Number = None
    """Value in `alt_unit` = value in `unit` times this."""
    alt_source: str = ""

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """Other units, with the factor that converts to them."""
        return ((self.alt_unit, self.alt_factor),) if self.alt_unit and self.alt_factor else ()


class Lab(Measured):
    """A laboratory item: one itemid of `d_labitems`, named by method and specimen."""

    itemid: int
    label: str
    fluid: str
    category: str
    synonyms: Texts = ()
    followed: Annotated[bool, BeforeValidator(lambda cell: cell in (True, "yes"))] = False
    """Whether it is measured often enough in acute care for its course to mean something."""
    chartevents_copies: Items = ()
    """itemids under which nurses' charts repeat the result."""
    same_label_itemids: Items = ()
    """Twins: other items of the same label, by another method or from another specimen."""

    @property
    def units(self) -> tuple[str, ...]:
        """Accepted spellings of the unit; none where the item has no unit by nature (INR)."""
        return tuple(unit for unit in self.unit.split(";") if unit)

    @property
    def definition(self) -> str:
        """`laboratory item 50971 (Potassium, Blood, Chemistry)`."""
        return f"laboratory item {self.itemid} ({self.label}, {self.fluid}, {self.category})"


class Ratio(Measured):
    """The quotient of two laboratory items of one specimen."""

    numerator: str
    denominator: str
    why: str = ""


class Vital(Measured):
    """An item of `chartevents`."""

    itemid: int
    label: str
    category: str = ""
    param_type: str = ""
    measured_by: str = ""

    @property
    def definition(self) -> str:
        """`charted item 220045 (Heart Rate)`."""
        return f"charted item {self.itemid} ({self.label})"


class ClinicMeasure(Measured):
    """A clinic measurement of `omr`."""

    result_name: str
    part: Number = None
    """Which half of a text like `120/80`, from 1; None where the text is one number."""

    @property
    def definition(self) -> str:
        """`the outpatient record's 'Weight (Lbs)'`."""
        half = {None: "", 1.0: "the first number of ", 2.0: "the second number of "}[self.part]
        return f"{half}the outpatient record's '{self.result_name}'"


class Output(Measured):
    """A group of `outputevents` items."""

    itemids: Items
    labels: str = ""
    source: str = ""

    @property
    def definition(self) -> str:
        """`output items 226559, 226560 …`."""
        return ("output items " if len(self.itemids) > 1 else "output item ") + ", ".join(map(str, self.itemids))


class Infusion(Measured):
    """An item of `inputevents`, with the unit of its rate (`unit`) and of its amount."""

    itemid: int
    label: str
    category: str
    rate_unit: str = ""
    amount_unit: str = ""
    plausible_high_rate: Number = None

    @property
    def definition(self) -> str:
        """`input item 221906 (Norepinephrine)`."""
        return f"input item {self.itemid} ({self.label})"


class Drug(Concept):
    """An ingredient, with every spelling of it that counts; flushes, eye drops and creams are left out."""

    drug_class: str
    atc4: str = ""
    orders: Spellings = ()
    """`prescriptions.drug`."""
    administrations: Spellings = ()
    """`emar.medication`."""
    inputevents_itemids: Items = ()
    excluded_names: Spellings = ()
    dose_unit: str = ""
    alt_unit: str = ""
    alt_factor: Number = None
    alt_source: str = ""

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """Other units of its dose, with the factor that converts to them."""
        return ((self.alt_unit, self.alt_factor),) if self.alt_unit and self.alt_factor else ()


class DrugClass(Concept):
    """All ingredients of a class."""

    members: tuple[str, ...]
    orders: tuple[str, ...]

    @property
    def definition(self) -> str:
        """`furosemide, torsemide`: the ingredients."""
        return ", ".join(self.members)


class Coded(Concept):
    """A group of ICD codes: prefixes by version, never a code without its version."""

    icd9_prefixes: Texts = ()
    icd10_prefixes: Texts = ()

    @property
    def definition(self) -> str:
        """`an ICD-9 code beginning with 428 or an ICD-10 code beginning with I50`."""
        parts = (("an ICD-9", self.icd9_prefixes), ("an ICD-10", self.icd10_prefixes))
        return " or ".join(f"{version} code beginning with {', '.join(p)}" for version, p in parts if p)


class DiagnosisGroup(Coded):
    """Diagnosis codes of one disease."""


class Procedure(Coded):
    """Procedure codes of one intervention, and the ICU's own items for it."""

    procedureevents_itemids: Items = ()
    procedureevents_labels: str = ""


class Device(Concept):
    """An intervention that runs for a time in the ICU."""

    itemids: Items
    labels: str

    @property
    def definition(self) -> str:
        """`procedure item 225792 (Invasive Ventilation)`."""
        return f"procedure item{'s' * (len(self.itemids) > 1)} {', '.join(map(str, self.itemids))} ({self.labels})"


class BillingGroup(Concept):
    """Billing codes of one service: HCFA diagnosis-related groups or HCPCS codes."""

    codes: Annotated[tuple[str, ...], BeforeValidator(lambda cell: _codes(cell))]
    """Codes as text; `870-872` in the table stands for three."""

    @property
    def definition(self) -> str:
        """`code G0378`."""
        return ("codes " if len(self.codes) > 1 else "code ") + ", ".join(self.codes)


class CareUnit(Concept):
    """A care unit, with its spelling in `transfers` and `icustays`."""

    careunit: str
    intensive: bool = False
    """Whether intensive care stays begin there."""

    @property
    def definition(self) -> str:
        """The unit's name as recorded."""
        return f"care unit '{self.careunit}'"


class Term(Concept):
    """A category, with the spellings that mean it in one column."""

    table: str
    column: str
    values: Texts

    @property
    def definition(self) -> str:
        """`spec_type_desc 'URINE'`."""
        return f"{self.column} {' or '.join(repr(value) for value in self.values)}"


class Concepts(Frozen):
    """Every curated concept by pool and id, the spellings that mean "unknown", and what belongs with what."""

    pools: Mapping[Pool, Mapping[str, Concept]]
    unknown: Mapping[tuple[str, str], tuple[str, ...]] = Field(default_factory=dict)
    """Spellings of "not known" by (table, column)."""
    affinity: Mapping[str, frozenset[str]] = Field(default_factory=dict)
    """What is worth asking beside a disease, drug or infusion: names by name (affinity.csv)."""

    def of(self, pool: Pool) -> Mapping[str, Concept]:
        """The concepts of a pool, by id, in the table's order."""
        return self.pools.get(pool, {})

    def together(self, anchor: Concept, other: Concept) -> bool:
        """Whether a clinician would name both in one question; anything goes beside what has no entry."""
        return anchor.lay_name not in self.affinity or other.lay_name in self.affinity[anchor.lay_name]

    def without(self, lacking: Mapping[Pool, frozenset[str]]) -> Concepts:
        """The concepts a source has.

        >>> load().without({Pool.LAB: frozenset(["lactate"])}).of(Pool.LAB).get("lactate") is None
        True
        """
        kept = {
            pool: {id_: concept for id_, concept in concepts.items() if id_ not in lacking.get(pool, frozenset())}
            for pool, concepts in self.pools.items()
        }
        return self.model_copy(update={"pools": kept})


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
