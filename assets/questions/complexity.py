"""How complex the reference of each template is: as compiled, and as a person would have written it."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import mean, median

import sqlglot

from assets.questions.compiler import compiled
from assets.questions.components import Components, base_tables, components, skeleton
from assets.questions.normalising import folded
from assets.questions.template import Template

MANY_TABLES = 3
"""From this many base tables on a question is said to join many."""

MEASURED_BY_HAND = {"by_hand": 22.4, "compiled": 57.6, "normalised": 36.1}
"""Mean components of twelve references, one per cell, that were also written by hand (tests/written_by_hand.py)."""

ALONE = 40
"""Templates counted in less time than it takes to start a second process."""


@dataclass(frozen=True)
class Complexity:
    """What the reference of one template is made of. Fillings differ in literals alone."""

    compiled: Components
    """Of the statement as it is run."""
    normalised: Components
    """Of the same without what only the compiler needs (`assets.questions.normalising`). The figure to compare."""
    tables: tuple[str, ...]
    """Base tables it reads, sorted."""
    skeleton: str
    """The normalised statement with its literals masked."""


def complexity(template: Template) -> Complexity:
    """The complexity of a template, from its example.

    >>> found = complexity(Template.parse("labs-patient-lab-icu_stay-highest"))
    >>> found.compiled.total > found.normalised.total, found.tables
    (True, ('icustays', 'labevents'))
    """
    ids = {column: number for number, column in enumerate(template.unit.ids, 1)} if template.scope == "patient" else {}
    sql = compiled(template, template.example, ids).sql
    tree = sqlglot.parse_one(sql, read="duckdb")
    whole, tables = components(tree), tuple(sorted(base_tables(tree)))
    plain = folded(tree)
    return Complexity(whole, components(plain), tables, skeleton(plain))


def complexities(templates: Sequence[Template], processes: int | None = None) -> Iterator[Complexity]:
    """The complexity of many templates, in their order, each as soon as it is known.

    Args:
        templates: Which.
        processes: How many to use; by default all processors. A few templates are counted here and now.
    """
    processes = processes or os.cpu_count() or 1
    if len(templates) <= ALONE or processes == 1:
        yield from map(complexity, templates)
        return
    # Not forked: whoever calls may hold a hospital open in threads.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
        yield from pool.map(_of_id, [template.id for template in templates], chunksize=8)


def _of_id(id_: str) -> Complexity:
    return complexity(Template.parse(id_))


@dataclass(frozen=True)
class Summary:
    """Complexity of a set of templates. Never one of its figures alone."""

    templates: int
    compiled: float
    """Mean components as compiled."""
    normalised: float
    """Mean components as normalised."""
    median: float
    """Median of the same."""
    tables: float
    """Mean number of base tables."""
    many_tables: float
    """Share of the templates over three or more."""
    skeletons: int
    """Different structures."""


def summary(found: Iterable[Complexity]) -> Summary:
    """The figures that are published, of at least one template."""
    found = list(found)
    normal = [one.normalised.total for one in found]
    return Summary(
        templates=len(found),
        compiled=mean(one.compiled.total for one in found),
        normalised=mean(normal),
        median=median(normal),
        tables=mean(len(one.tables) for one in found),
        many_tables=mean(len(one.tables) >= MANY_TABLES for one in found),
        skeletons=len({one.skeleton for one in found}),
    )
