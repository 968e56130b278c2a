"""Which templates are done again: the catalogue, and random ones from the grammar, by the words they are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random

from assets.questions import Template
from assets.questions.legality import problems
from assets.questions.vocabulary import aggregators, anchors, cohorts, conditions, kinds, selectors, windows
from schemas.questions import Scope
from tests.recompute.aggregators import AGGREGATORS
from tests.recompute.cohorts import COHORTS
from tests.recompute.kinds import KINDS
from tests.recompute.selectors import SELECTORS
from tests.recompute.windows import ANCHORS, CONDITIONS, WINDOWS

DIMENSIONS: Mapping[str, tuple[Callable[[], Mapping[str, object]], Mapping[str, object]]] = {
    "kind": (kinds, KINDS),
    "window": (windows, WINDOWS),
    "anchor": (anchors, ANCHORS),
    "condition": (conditions, CONDITIONS),
    "selector": (selectors, SELECTORS),
    "cohort": (cohorts, COHORTS),
    "aggregator": (aggregators, AGGREGATORS),
}
"""By dimension: the words of the grammar, and those that are done again here."""

Word = tuple[str, str]
"""`("selector", "trend")`; a comparison of two windows is `("comparison", "")`."""


def vocabulary() -> list[Word]:
    """Every word of the grammar, and the comparison."""
    return [*((sort, name) for sort, (found, _) in DIMENSIONS.items() for name in found()), ("comparison", "")]


def words_of(template: Template) -> set[Word]:
    """The words that a template is made of."""
    names = [
        ("kind", template.kind_name),
        ("selector", template.selector_name),
        ("condition", template.condition_name),
        ("cohort", template.cohort_name),
        ("aggregator", template.aggregator_name),
        *(("window", window.name) for window in template.windows),
        *(("anchor", window.anchor) for window in template.windows),
    ]
    return {(sort, name) for sort, name in names if name} | ({("comparison", "")} if template.versus else set())


def in_order(templates: Iterable[Template], seed: str) -> list[Template]:
    """The templates in an order that only their ids and the seed decide."""
    return sorted(templates, key=lambda t: hashlib.sha256(f"{seed}|{t.id}".encode()).hexdigest())


def points(tries: int, seed: str, word: Word | None = None) -> Iterator[Template]:
    """Random points of the grammar that have a meaning, also where nobody would combine their words.

    Args:
        tries: How many points are looked at; about one in twenty has a meaning.
        seed: Which points.
        word: One that they all have; without it, any.
    """
    for number in range(tries):
        rng = Random(int(hashlib.sha256(f"{seed}|{word}|{number}".encode()).hexdigest(), 16))
        template = _point(rng, *(word or ("", "")))
        if all(problem.startswith("nobody ") for problem in problems(template)):
            yield template


def _point(rng: Random, sort: str, fixed: str) -> Template:
    """One point, which may have no meaning."""

    def name(of: str, words: Iterable[str], likely: float = 1.0) -> str:
        chance, choice = rng.random(), rng.choice(sorted(words))
        return fixed if of == sort else choice if chance < likely else ""

    window = name("window", windows())
    if sort == "anchor":
        window = rng.choice(sorted(w.name for w in windows().values() if w.anchor == fixed))
    siblings = [w.name for w in windows().values() if w.unit is windows()[window].unit and w.name != window]
    kind = kinds()[name("kind", kinds())]
    population = sort in ("cohort", "aggregator") or (rng.random() < 0.4 and sort != "condition")
    return Template(
        intent=kind.intent,
        scope=Scope.POPULATION if population else Scope.PATIENT,
        kind_name=kind.name,
        window_name=window,
        selector_name=name("selector", selectors()),
        versus=name("", siblings, 1.0 if sort == "comparison" else 0.15) if siblings else "",
        condition_name=name("condition", conditions(), 0.1),
        cohort_name=name("cohort", cohorts()) if population else "",
        aggregator_name=name("aggregator", aggregators()) if population else "",
    )


def missing() -> list[str]:
    """What is to be added so that every word of the grammar is done again, one sentence each."""
    files: Mapping[str, Sequence[str]] = {
        "kind": ("the file of its subject", "a function of its name under `@kind`"),
        "window": ("windows.py", "an entry of WINDOWS"),
        "anchor": ("windows.py", "an entry of ANCHORS"),
        "condition": ("windows.py", "an entry of CONDITIONS"),
        "selector": ("selectors.py", "a function of its name under `@selector`"),
        "cohort": ("cohorts.py", "an entry of COHORTS"),
        "aggregator": ("aggregators.py", "an entry of AGGREGATORS"),
    }
    said = []
    for sort, (words, again) in DIMENSIONS.items():
        file, what = files[sort]
        said += [
            f"the {sort} `{name}` is not done again: add {what} to tests/recompute/{file}, written from its English"
            for name in sorted(words().keys() - again.keys())
        ]
        said += [
            f"the {sort} `{name}` of tests/recompute is no word of the grammar: remove it"
            for name in sorted(again.keys() - words().keys())
        ]
    return said
