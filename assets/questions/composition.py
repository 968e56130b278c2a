"""Proposes templates for the catalogue: from the whole space of legal ones, those that show most pairs of words anew.

    python -m assets.questions.composition            counts the legal templates of each cell
    python -m assets.questions.composition 20         proposes 20 for each cell, with the text of an example

What it proposes is read, one by one, against the question in docs/questions.md; what passes goes into `catalogue.txt`,
and what doesn't becomes a line of the tables in `fitting.py` or a rule of `legality.py`, with its reason.

The choice is pairwise covering, as in test design: again and again the template that shows most pairs of words not yet
shown (kind with window, window with selector, selector with aggregator …), each kind weighed by how often it was taken.
Ties go by sha256 of the template's id.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, product

from assets.questions import vocabulary
from assets.questions.asking import ask
from assets.questions.catalogue import catalogue
from assets.questions.describing import example
from assets.questions.fitting import COMPARED, fits, fitting, lifting
from assets.questions.legality import measure_problems, population_problems
from assets.questions.template import Template
from schemas.questions import Intent, Scope

DRAWN = 400
"""Templates of each kind among which the choice is made."""


def measures(intent: Intent) -> Iterator[Template]:
    """Every legal question about one patient of an intent: kind × window (or two) × selector × condition."""
    for kind in vocabulary.kinds().values():
        if kind.intent is not intent:
            continue
        uses = fitting().get(kind.name, {})
        windows = [(window,) for window in sorted(uses)] + [pair for pair in COMPARED if set(pair) <= set(uses)]
        selectors = sorted(frozenset().union(*uses.values()))
        for pair, selector, condition in product(windows, selectors, ("", *vocabulary.conditions())):
            if not all(fits(kind.name, window, selector) for window in pair):
                continue
            template = Template(
                intent, Scope.PATIENT, kind.name, pair[0], selector, pair[1] if len(pair) > 1 else "", condition
            )
            if not measure_problems(template):
                yield template


@cache
def space(intent: Intent, scope: Scope) -> tuple[Template, ...]:
    """All legal templates of a cell, sorted by id."""
    found = []
    for one in measures(intent):
        if scope is Scope.PATIENT:
            if not population_problems(one):
                found.append(one)
            continue
        asked = lifting().get(one.kind_name, ())
        cohorts = sorted(frozenset().union(*(lift.cohorts for lift in asked)))
        aggregators = sorted(frozenset().union(*(lift.aggregators for lift in asked)))
        for cohort, aggregator in product(cohorts, aggregators):
            lifted = Template(
                intent,
                scope,
                one.kind_name,
                one.window_name,
                one.selector_name,
                one.versus,
                one.condition_name,
                cohort,
                aggregator,
            )
            if not population_problems(lifted):
                found.append(lifted)
    return tuple(sorted(found, key=lambda t: t.id))


def cover(templates: Sequence[Template], size: int, first: Iterable[Template] = ()) -> list[Template]:
    """A choice of templates in which as many pairs of words as possible occur.

    Args:
        templates: All legal ones.
        size: How many to choose.
        first: Those that are in it anyway.
    """
    shown: set[tuple[str, str]] = set()
    taken: Counter[str] = Counter()
    chosen: list[Template] = []

    def take(template: Template) -> None:
        chosen.append(template)
        shown.update(_pairs(template))
        taken.update(_words(template))

    for template in first:
        take(template)
    left = _drawn(set(templates) - set(chosen))
    while left and len(chosen) < size:
        best = max(left, key=lambda t: _worth(t, shown, taken))
        left.remove(best)
        take(best)
    return sorted(chosen, key=lambda t: t.id)


def _drawn(templates: Iterable[Template]) -> list[Template]:
    """A few hundred of each kind, in sha256 order: a kind with many windows and selectors crowds out none with few."""
    ordered = sorted(templates, key=lambda t: hashlib.sha256(t.id.encode()).hexdigest())
    seen: Counter[str] = Counter()
    kept = []
    for template in ordered:
        seen[template.kind_name] += 1
        if seen[template.kind_name] <= DRAWN:
            kept.append(template)
    return kept


def _worth(template: Template, shown: set[tuple[str, str]], taken: Counter[str]) -> float:
    fresh = sum(pair not in shown for pair in _pairs(template))
    worn = sum(taken[word] for word in _words(template)[:3])
    return (1 + fresh) / (6 + worn + taken[f"kind {template.kind_name}"])


@cache
def _words(template: Template) -> tuple[str, ...]:
    named = (
        ("kind", template.kind_name),
        ("window", template.window_name + template.versus),
        ("selector", template.selector_name),
        ("condition", template.condition_name),
        ("cohort", template.cohort_name),
        ("aggregator", template.aggregator_name),
    )
    return tuple(f"{role} {word}" for role, word in named if word)


@cache
def _pairs(template: Template) -> tuple[tuple[str, str], ...]:
    return tuple(combinations(_words(template), 2))


def proposed(intent: Intent, scope: Scope, n: int) -> list[Template]:
    """Templates that would show most pairs of words the catalogue does not show yet, sorted by id."""
    have = [t for t in catalogue() if (t.intent, t.scope) == (intent, scope)]
    chosen = cover(space(intent, scope), len(have) + n, have)
    return [template for template in chosen if template not in have]


def main(arguments: Sequence[str]) -> None:
    """Count the space, or propose so many templates for each cell."""
    for intent, scope in product(Intent, Scope):
        if not arguments:
            print(f"{intent:14}{scope:12}{len(space(intent, scope)):8,}")
            continue
        for template in proposed(intent, scope, int(arguments[0])):
            print(template.id, ask(template, example(template)).text, sep="\n", end="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
