"""Which records of the large tables a population question reads, so that questions on one concept share one scan.

`benchmarks/gold.py` measures how much that saves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.questions import Question

LARGE = frozenset(
    {
        "chartevents",
        "datetimeevents",
        "diagnoses_icd",
        "emar",
        "emar_detail",
        "ingredientevents",
        "inputevents",
        "labevents",
        "microbiologyevents",
        "omr",
        "outputevents",
        "pharmacy",
        "poe",
        "poe_detail",
        "prescriptions",
        "procedureevents",
    }
)
"""Tables that are worth extracting from; the others are read whole in no time."""


@dataclass(frozen=True)
class Scan:
    """The records that a question's selections can reach, by table."""

    tests: Mapping[str, tuple[str, ...]]
    """Predicates over the table's own columns; a record that meets none of them is read by no selection."""

    @property
    def key(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Equal for questions that can share one extract."""
        return tuple(sorted(self.tests.items()))


def scan_of(question: Question) -> Scan:
    """The scan of a question, from the concept tests of its selections (routes included).

    A table that some selection reads without a concept test is read whole.
    """
    tests: defaultdict[str, set[str]] = defaultdict(set)
    for selection in question.selections:
        if selection.table in LARGE:
            tests[selection.table].add(selection.concept)
    return Scan({table: tuple(sorted(found)) for table, found in sorted(tests.items()) if "TRUE" not in found})
