"""Curated concepts against a source's own dictionaries: what it lacks, and what it means otherwise."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from schemas.concept_models import (
    BillingGroup,
    Coded,
    Concept,
    Concepts,
    Device,
    Drug,
    DrugClass,
    Infusion,
    Lab,
    Output,
    Pool,
    Ratio,
    Vital,
)

DICTIONARY_SQL: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "lab_items": ("d_labitems", "SELECT itemid, label FROM d_labitems"),
        "items": ("d_items", "SELECT itemid, label FROM d_items"),
        "diagnosis_codes": ("d_icd_diagnoses", "SELECT icd_version, icd_code FROM d_icd_diagnoses"),
        "procedure_codes": ("d_icd_procedures", "SELECT icd_version, icd_code FROM d_icd_procedures"),
        "hcpcs_codes": ("d_hcpcs", "SELECT DISTINCT code, code FROM d_hcpcs"),
        "orders": ("prescriptions", "SELECT DISTINCT lower(trim(drug)), '' FROM prescriptions"),
        "administrations": ("emar", "SELECT DISTINCT lower(trim(medication)), '' FROM emar"),
    }
)
"""By field of `Dictionaries`: the table it is read from, and the statement."""


@dataclass(frozen=True)
class Dictionaries:
    """What a source says its items, codes and names are. A field is None where the source lacks the table."""

    lab_items: Mapping[int, str] | None = None
    """`d_labitems`: label by itemid."""
    items: Mapping[int, str] | None = None
    """`d_items`: label by itemid."""
    diagnosis_codes: tuple[tuple[int, str], ...] | None = None
    """`d_icd_diagnoses`: version and code, sorted."""
    procedure_codes: tuple[tuple[int, str], ...] | None = None
    hcpcs_codes: frozenset[str] | None = None
    orders: frozenset[str] | None = None
    """`prescriptions.drug`, folded to lower case without outer blanks."""
    administrations: frozenset[str] | None = None
    """`emar.medication`, folded likewise."""

    @classmethod
    def read(cls, run: Callable[[str], Sequence[Sequence[Any]]], tables: Collection[str]) -> Dictionaries:
        """Read them from a source.

        Args:
            run: Runs a statement and gives its rows.
            tables: The tables the source has.
        """
        rows = {name: run(sql) for name, (table, sql) in DICTIONARY_SQL.items() if table in tables}

        def codes(name: str) -> tuple[tuple[int, str], ...] | None:
            return tuple(sorted((int(v), str(c)) for v, c in rows[name])) if name in rows else None

        def names(name: str) -> frozenset[str] | None:
            return frozenset(str(row[0]) for row in rows[name]) if name in rows else None

        def labels(name: str) -> dict[int, str] | None:
            return {int(i): str(label) for i, label in rows[name]} if name in rows else None

        return cls(
            lab_items=labels("lab_items"),
            items=labels("items"),
            diagnosis_codes=codes("diagnosis_codes"),
            procedure_codes=codes("procedure_codes"),
            hcpcs_codes=names("hcpcs_codes"),
            orders=names("orders"),
            administrations=names("administrations"),
        )


@dataclass(frozen=True, order=True)
class Finding:
    """One concept that a source has not, or means otherwise."""

    pool: Pool
    concept: str
    what: str
    """`itemid 50971 is not in d_labitems`."""


@dataclass(frozen=True)
class ConceptReport:
    """What the check found."""

    checked: int
    """Concepts that could be checked."""
    lacking: tuple[Finding, ...]
    """Concepts of which the source has nothing: no question asks for them."""
    contradicting: tuple[Finding, ...]
    """Items whose label differs from the curated one: no question asks for them until somebody has looked."""

    def usable(self, concepts: Concepts) -> Concepts:
        """The concepts that questions of this source may ask for."""
        out: dict[Pool, set[str]] = {}
        for finding in (*self.lacking, *self.contradicting):
            out.setdefault(finding.pool, set()).add(finding.concept)
        return concepts.without({pool: frozenset(ids) for pool, ids in out.items()})

    def lines(self) -> list[str]:
        """The report, one line per finding."""
        return [
            *(f"{f.pool} {f.concept}: {f.what}" for f in self.lacking),
            *(f"{f.pool} {f.concept}: {f.what}" for f in self.contradicting),
        ]


def check(concepts: Concepts, dictionaries: Dictionaries) -> ConceptReport:
    """Compare curated concepts with a source's dictionaries; what has no dictionary there is taken as it is.

    >>> from schemas.concepts import load
    >>> report = check(load(), Dictionaries(lab_items={50971: "Potassium", 50983: "Natrium"}))
    >>> report.contradicting[0]
    Finding(pool=<Pool.LAB: 'lab'>, concept='sodium', what="itemid 50983 is 'Natrium' here, 'Sodium' in the table")
    >>> "potassium" in report.usable(load()).of(Pool.LAB), "sodium" in report.usable(load()).of(Pool.LAB)
    (True, False)
    """
    checked = 0
    lacking: list[Finding] = []
    contradicting: list[Finding] = []
    for pool, members in concepts.pools.items():
        for concept in members.values():
            test = _Test(concepts, dictionaries, pool)
            missing, other = test.of(concept)
            checked += test.possible
            lacking += [Finding(pool, concept.id, what) for what in missing]
            contradicting += [Finding(pool, concept.id, what) for what in other]
    return ConceptReport(checked, tuple(sorted(lacking)), tuple(sorted(contradicting)))


class _Test:
    """Checks one concept."""

    def __init__(self, concepts: Concepts, dictionaries: Dictionaries, pool: Pool) -> None:
        self.concepts = concepts
        self.known = dictionaries
        self.pool = pool
        self.possible = False

    def of(self, concept: Concept) -> tuple[list[str], list[str]]:
        """What is lacking and what contradicts."""
        match concept:
            case Lab():
                return self.items({concept.itemid: concept.label}, self.known.lab_items, "d_labitems")
            case Ratio():
                labs = self.concepts.of(Pool.LAB)
                parts = [self.of(labs[id_]) for id_ in (concept.numerator, concept.denominator) if id_ in labs]
                return [w for part in parts for w in part[0]], [w for part in parts for w in part[1]]
            case Vital() | Infusion():
                return self.items({concept.itemid: concept.label}, self.known.items, "d_items")
            case Output() | Device():
                separator = ";" if isinstance(concept, Output) else ", "
                labels = dict(zip(concept.itemids, concept.labels.split(separator), strict=True))
                return self.items(labels, self.known.items, "d_items")
            case Coded():
                diagnoses = self.pool is Pool.DIAGNOSIS
                codes = self.known.diagnosis_codes if diagnoses else self.known.procedure_codes
                return self.codes(concept, codes, "d_icd_diagnoses" if diagnoses else "d_icd_procedures")
            case Drug() if self.pool is Pool.ORDERED_DRUG:
                return self.names(concept.orders, self.known.orders, "prescriptions.drug")
            case Drug():
                return self.names(concept.administrations, self.known.administrations, "emar.medication")
            case DrugClass():
                return self.names(concept.orders, self.known.orders, "prescriptions.drug")
            case BillingGroup() if self.pool is Pool.HCPCS:
                return self.names(concept.codes, self.known.hcpcs_codes, "d_hcpcs")
        return [], []

    def items(
        self, wanted: Mapping[int, str], known: Mapping[int, str] | None, table: str
    ) -> tuple[list[str], list[str]]:
        """A group of items is lacking if all of its items are; a label must not differ for any."""
        if known is None:
            return [], []
        self.possible = True
        other = [
            f"itemid {item} is {known[item]!r} here, {label!r} in the table"
            for item, label in wanted.items()
            if item in known and _plain(known[item]) != _plain(label)
        ]
        if any(item in known for item in wanted):
            return [], other
        return [f"itemid {', '.join(map(str, wanted))} is not in {table}"], other

    def codes(self, group: Coded, known: Sequence[tuple[int, str]] | None, table: str) -> tuple[list[str], list[str]]:
        """A group of codes is lacking if no code of the dictionary begins with any of its prefixes."""
        if known is None:
            return [], []
        self.possible = True
        prefixes = [(9, p) for p in group.icd9_prefixes] + [(10, p) for p in group.icd10_prefixes]
        if any(_begins(known, version, prefix) for version, prefix in prefixes):
            return [], []
        return [f"no code of {table} begins with any of its prefixes"], []

    def names(self, wanted: Sequence[str], known: Collection[str] | None, where: str) -> tuple[list[str], list[str]]:
        """A name is lacking if the source has none of its spellings."""
        if known is None:
            return [], []
        self.possible = True
        folded = {text.strip().lower() for text in wanted} | {text.strip() for text in wanted}
        return ([], []) if any(text in known for text in folded) else ([f"no spelling of it is in {where}"], [])


def _begins(codes: Sequence[tuple[int, str]], version: int, prefix: str) -> bool:
    """Whether any of the sorted codes begins with the prefix."""
    at = bisect_left(codes, (version, prefix))
    return at < len(codes) and codes[at][0] == version and codes[at][1].startswith(prefix)


def _plain(label: str) -> str:
    return " ".join(label.lower().split())
