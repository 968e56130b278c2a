"""Which records of the large tables population questions read, so that many questions share one scan.

`benchmarks/gold.py` measures how much that saves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from schemas.questions import Question

T = TypeVar("T")

LARGE = frozenset(
    {
        "chartevents",
        "datetimeevents",
        "emar",
        "emar_detail",
        "ingredientevents",
        "inputevents",
        "labevents",
        "pharmacy",
        "poe",
        "prescriptions",
    }
)
"""Tables that are worth extracting from; the others are read whole in no time."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Scan:
    """The records that some questions can reach, by table, and the columns they name."""

    tests: Mapping[str, tuple[str, ...]]
    """Predicates over the table's own columns; a record that meets none of them is read by no selection."""
    words: frozenset[str]
    """Every word of the statements; a column that is not among them is read by none."""


def grouped(
    items: Iterable[T],
    questions: Callable[[T], Sequence[Question]],
    texts: Callable[[T], Collection[str]] = lambda item: (),
) -> Iterator[tuple[Scan, list[T]]]:
    """Groups whose statements can all be answered from one extract, each with what the extract must hold.

    Args:
        items: What needs answering, in any order; a group keeps it.
        questions: The questions of an item.
        texts: SQL beside the questions' own that names columns: what an overlay edits.
    """
    by_tables: defaultdict[tuple[str, ...], list[T]] = defaultdict(list)
    for item in items:
        shared = set.intersection(*(set(tests_of(question)) for question in questions(item)))
        by_tables[tuple(sorted(shared))].append(item)
    for tables, members in sorted(by_tables.items(), key=lambda group: group[0]):
        asked = [question for member in members for question in questions(member)]
        found = [tests_of(question) for question in asked]
        statements = [question.reference_sql for question in asked]
        statements += [selection.sql for question in asked for selection in question.selections]
        statements += [text for member in members for text in texts(member)]
        yield (
            Scan(
                tests={table: tuple(sorted(set().union(*(tests[table] for tests in found)))) for table in tables},
                words=frozenset(word for statement in statements for word in _WORD.findall(statement)),
            ),
            members,
        )


def tests_of(question: Question) -> dict[str, set[str]]:
    """The concept tests of a question's selections (routes included), by large table.

    A table that some selection reads without a concept test is read whole, and left out.
    """
    tests: defaultdict[str, set[str]] = defaultdict(set)
    for selection in question.selections:
        if selection.table in LARGE:
            tests[selection.table].add(selection.concept)
    return {table: found for table, found in tests.items() if "TRUE" not in found}
