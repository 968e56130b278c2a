"""The curated concepts, held against the dictionaries of a source: what it lacks, and what it calls otherwise.

A concept that a source lacks would make questions nobody there could ask, and an item that it calls otherwise questions
about something else. Items are looked up in their dictionary; what has none (drug names, care units, billing groups)
among the values of its own column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from robustgym.hospital import Hospital, Session
from schemas.concepts import (
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
    Output,
    Pool,
    Ratio,
    Term,
    Vital,
)
from schemas.tables import TABLES, ColumnType


@dataclass(frozen=True)
class Lacking:
    """A concept that no question of this source asks for: it does not have it, or means something else by it."""

    pool: Pool
    id: str
    lay_name: str
    why: str


@dataclass(frozen=True)
class Renamed:
    """An item that this source's dictionary calls otherwise than the curated table does."""

    pool: Pool
    id: str
    itemid: int
    curated: str
    here: str


@dataclass(frozen=True)
class ConceptCheck:
    """What a source has of the curated concepts."""

    curated: Mapping[Pool, int]
    """How many concepts each pool has."""
    lacking: tuple[Lacking, ...]
    renamed: tuple[Renamed, ...]

    def left(self, concepts: Concepts) -> Concepts:
        """The concepts this source has."""
        ids: defaultdict[Pool, set[str]] = defaultdict(set)
        for concept in self.lacking:
            ids[concept.pool].add(concept.id)
        return concepts.without({pool: frozenset(found) for pool, found in ids.items()})


def check_concepts(concepts: Concepts, hospital: Hospital) -> ConceptCheck:
    """Hold every curated concept against the source.

    Args:
        concepts: All curated concepts.
        hospital: The staged source.
    """
    lacking: list[Lacking] = []
    renamed: list[Renamed] = []
    with hospital.session() as session:
        source = _Dictionaries(session)
        for pool, found in concepts.pools.items():
            for concept in found.values():
                others = [Renamed(pool, concept.id, *other) for other in source.renamed(concept)]
                renamed += others
                # Until somebody has looked, nobody knows whether it is the same thing under another name.
                because = [f"itemid {o.itemid} is '{o.here}' here, '{o.curated}' in the curated table" for o in others]
                if why := source.why_lacking(pool, concept) or "; ".join(because):
                    lacking.append(Lacking(pool, concept.id, concept.lay_name, why))
    labs = {lack.id for lack in lacking if lack.pool is Pool.LAB}
    for ratio in concepts.of(Pool.RATIO).values():
        if isinstance(ratio, Ratio) and (gone := sorted(labs & {ratio.numerator, ratio.denominator})):
            lacking.append(Lacking(Pool.RATIO, ratio.id, ratio.lay_name, f"the source lacks {' and '.join(gone)}"))
    return ConceptCheck({pool: len(found) for pool, found in concepts.pools.items()}, tuple(lacking), tuple(renamed))


class _Dictionaries:
    """What a source can name: items with their labels, codes by version, and the values of text columns."""

    def __init__(self, session: Session) -> None:
        self._tables = session.tables
        self._session = session
        self._values: dict[tuple[str, str], frozenset[str]] = {}
        self._by_version: dict[str, Mapping[int, list[str]]] = {}

    def why_lacking(self, pool: Pool, concept: Concept) -> str:
        """Why the source does not have a concept; empty if it does."""
        match concept:
            case Lab():
                return self._items(self.labs, "d_labitems", [concept.itemid])
            case Vital() | Infusion() | Ingredient() | ChartedDate():
                return self._items(self.items, "d_items", [concept.itemid])
            case Output() | Device():
                return self._items(self.items, "d_items", concept.itemids)
            case Coded():
                table = "d_icd_diagnoses" if isinstance(concept, DiagnosisGroup) else "d_icd_procedures"
                codes = self._codes(table)
                wanted = ((9, concept.icd9_prefixes), (10, concept.icd10_prefixes))
                found = any(code.startswith(p) for version, ps in wanted for p in ps for code in codes.get(version, ()))
                return "" if found else self._without(table, "no code of the group")
            case Drug():
                table, column = ("emar", "medication") if pool is Pool.GIVEN_DRUG else ("prescriptions", "drug")
                return self._spelling(table, column, concept.administrations if table == "emar" else concept.orders)
            case DrugClass():
                return self._spelling("prescriptions", "drug", concept.orders)
            case BillingGroup():
                table, column = ("drgcodes", "drg_code") if pool is Pool.DRG else ("hcpcsevents", "hcpcs_cd")
                return self._spelling(table, column, concept.codes)
            case ClinicMeasure():
                return self._spelling("omr", "result_name", (concept.result_name,))
            case CareUnit():
                return self._spelling("transfers", "careunit", (concept.careunit,))
            # Ages and severities of a DRG are limits to compare with, not spellings to look up.
            case Term() if TABLES[concept.table][concept.column].type is ColumnType.TEXT:
                return self._spelling(concept.table, concept.column, concept.values)
            case _:
                return ""

    def renamed(self, concept: Concept) -> Iterator[tuple[int, str, str]]:
        """Items of a concept that bear another label here: itemid, curated label, label here."""
        known, curated = self.items, dict[int, str]()
        match concept:
            case Lab():
                known, curated = self.labs, {concept.itemid: concept.label}
            case Vital() | Infusion() | Ingredient() | ChartedDate():
                curated = {concept.itemid: concept.label}
            case Output():
                curated = dict(zip(concept.itemids, concept.labels.split(";"), strict=True))
            case Device():
                curated = dict(zip(concept.itemids, concept.labels.split(", "), strict=True))
        for itemid, label in curated.items():
            here = known.get(itemid, label)
            if here.strip().casefold() != label.strip().casefold():
                yield itemid, label, here

    @cached_property
    def labs(self) -> Mapping[int, str]:
        """Labels of `d_labitems`."""
        return self._labels("d_labitems")

    @cached_property
    def items(self) -> Mapping[int, str]:
        """Labels of `d_items`."""
        return self._labels("d_items")

    def _labels(self, table: str) -> Mapping[int, str]:
        if table not in self._tables:
            return {}
        _, rows = self._session.fetch(f"SELECT itemid, coalesce(label, '') FROM {table}")
        return dict(rows)

    def _items(self, known: Mapping[int, str], table: str, itemids: tuple[int, ...] | list[int]) -> str:
        return "" if any(itemid in known for itemid in itemids) else self._without(table, "no such item")

    def _codes(self, table: str) -> Mapping[int, list[str]]:
        if table not in self._by_version:
            codes: defaultdict[int, list[str]] = defaultdict(list)
            if table in self._tables:
                _, rows = self._session.fetch(f"SELECT icd_version, icd_code FROM {table}")
                for version, code in rows:
                    codes[version].append(code.strip())
            self._by_version[table] = codes
        return self._by_version[table]

    def _spelling(self, table: str, column: str, spellings: tuple[str, ...]) -> str:
        if (table, column) not in self._values and table in self._tables:
            _, rows = self._session.fetch(f"SELECT DISTINCT {column}::VARCHAR FROM {table} WHERE {column} IS NOT NULL")
            self._values[table, column] = frozenset(value for (value,) in rows)
        found = self._values.get((table, column), frozenset()).intersection(spellings)
        return "" if found else self._without(table, f"no {column} spelt so")

    def _without(self, table: str, reason: str) -> str:
        return f"{reason} in {table}" if table in self._tables else f"the source has no {table}"
