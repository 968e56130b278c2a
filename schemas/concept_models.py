"""What a question can be about, as typed models: labs, vitals, drugs, diagnosis groups and the like."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from schemas.answers import Frozen


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
    INGREDIENT = "ingredient"
    """What infusions and feeds bring with them: water, calories, protein."""
    LINE = "line"
    """Lines and tubes whose insertion date nurses chart."""
    LINE_CARE = "line_care"
    """Care of lines and wounds whose time nurses chart: dressing, tubing and cap changes."""
    INPUT_CATEGORY = "input_category"
    ICU_SERVICE = "icu_service"
    """Categories of the procedures recorded in the ICU."""
    LAB_SECTION = "lab_section"
    PREPARATION = "preparation"
    """How the pharmacy prepares a drug."""
    ORDER_DETAIL = "order_detail"
    SERVICE = "service"


class Concept(Frozen):
    """One thing a question can be about."""

    id: str
    lay_name: str
    """What a clinician calls it; unambiguous within its pool."""
    abbreviation: str = ""
    """What is said and scribbled at the bedside, unambiguous within its pool; empty where people say the whole name."""
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
    factor: Number = None
    """What the quotient is multiplied by, to be in the unit: 100 where the denominator is a percentage."""
    why: str = ""


class Vital(Measured):
    """An item of `chartevents`."""

    itemid: int
    label: str
    category: str = ""

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


class Ingredient(Measured):
    """An item of `ingredientevents`."""

    itemid: int
    label: str

    @property
    def definition(self) -> str:
        """`ingredient item 226060 (Calories)`."""
        return f"ingredient item {self.itemid} ({self.label})"


class ChartedDate(Concept):
    """An item of `datetimeevents`: a time that nurses chart."""

    itemid: int
    label: str

    @property
    def definition(self) -> str:
        """`date item 224288 (Arterial line Insertion Date)`."""
        return f"date item {self.itemid} ({self.label})"


class Drug(Concept):
    """An ingredient, with every spelling of it that counts; flushes, eye drops and creams are left out."""

    drug_class: str
    orders: Spellings = ()
    """`prescriptions.drug`."""
    administrations: Spellings = ()
    """`emar.medication`."""
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

        >>> from schemas.concepts import load
        >>> load().without({Pool.LAB: frozenset(["lactate"])}).of(Pool.LAB).get("lactate") is None
        True
        """
        kept = {
            pool: {id_: concept for id_, concept in concepts.items() if id_ not in lacking.get(pool, frozenset())}
            for pool, concepts in self.pools.items()
        }
        return self.model_copy(update={"pools": kept})
