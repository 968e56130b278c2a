"""Which words a clinician would combine with a kind: three tables, each line with its reason where it isn't plain.

`fitting.csv`: a kind, windows, and the selectors that go with each of these windows.
`lifting.csv`: the same, with the cohorts and aggregators that a population may be asked by.
`concepts_asked.csv`: a kind, windows and selectors that only some concepts go with, or all but some.

A word there is a window or a selector, or a family of them, so that a new window or selector goes with the kinds that
name its family; `*` is all, `-word` takes one away. General rules, which hold for every kind, are in `legality.py`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assets.questions import vocabulary
from schemas.concepts import load

HERE = Path(__file__).parent

COMPARED: tuple[tuple[str, str], ...] = (
    ("last_24h_of_stay", "first_24h_of_stay"),
    ("last_48h_of_admission", "first_24h_of_admission"),
    ("after_dose_48h", "before_dose_48h"),
    ("after_furosemide_6h", "before_furosemide_6h"),
    ("after_ventilation_24h", "on_ventilator"),
    ("after_intubation_24h", "before_icu_24h"),
    ("after_discharge_90d", "year_before_admission"),
    ("year_after_discharge", "year_before_admission"),
)
"""Two windows of one unit worth comparing: the later, then the earlier."""


@dataclass(frozen=True)
class Lift:
    """What a population may be asked of one kind."""

    windows: frozenset[str]
    selectors: frozenset[str]
    cohorts: frozenset[str]
    aggregators: frozenset[str]


@dataclass(frozen=True)
class Limit:
    """Windows and selectors that only some concepts of a kind go with."""

    windows: frozenset[str]
    selectors: frozenset[str]
    only: bool
    concepts: frozenset[str]


@cache
def fitting() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """By kind and window: the selectors that go with them. A kind without a line is never asked about.

    Raises:
        ValueError: The table names a kind, a window or a selector that does not exist; the message says in which line.
    """
    found: dict[str, dict[str, frozenset[str]]] = {}

    def take(row: dict[str, str]) -> None:
        named = _selectors(row["selectors"])
        uses = found.setdefault(row["kind"], {})
        for window in _windows(row["windows"]):
            uses[window] = uses.get(window, frozenset()) | named

    _each("fitting.csv", take)
    return found


def fits(kind: str, window: str, selector: str) -> bool:
    """Whether this selector goes with this window for a kind."""
    return selector in fitting().get(kind, {}).get(window, ())


@cache
def lifting() -> Mapping[str, tuple[Lift, ...]]:
    """By kind: what a population may be asked. A kind without a line is asked of patients alone.

    Raises:
        ValueError: The table names a word that does not exist; the message says in which line.
    """
    found: dict[str, list[Lift]] = {}

    def take(row: dict[str, str]) -> None:
        found.setdefault(row["kind"], []).append(
            Lift(
                windows=_windows(row["windows"]),
                selectors=_selectors(row["selectors"]),
                cohorts=_named(row["cohorts"], dict.fromkeys(vocabulary.cohorts(), "")),
                aggregators=_named(row["aggregators"], dict.fromkeys(vocabulary.aggregators(), "")),
            )
        )

    _each("lifting.csv", take)
    return {kind: tuple(lifts) for kind, lifts in found.items()}


def lifts(kind: str, windows: Collection[str], selector: str, cohort: str, aggregator: str) -> bool:
    """Whether a population is asked this."""
    return any(
        set(windows) <= lift.windows
        and selector in lift.selectors
        and cohort in lift.cohorts
        and aggregator in lift.aggregators
        for lift in lifting().get(kind, ())
    )


@cache
def _limits() -> Mapping[str, tuple[Limit, ...]]:
    """By kind: which concepts go with which windows and selectors. A blank in a concept's id is written `*`."""
    found: dict[str, list[Limit]] = {}

    def take(row: dict[str, str]) -> None:
        word, *concepts = row["concepts"].split()
        if word not in ("only", "not"):
            raise ValueError(f"`{word}`: begin the list of concepts with `only` or `not`")
        pool = vocabulary.kinds()[row["kind"]].pool
        named = frozenset(concept.replace("*", " ") for concept in concepts)
        if unknown := named - (frozenset(load().of(pool)) if pool else frozenset()):
            raise ValueError(f"{', '.join(sorted(unknown))}: no concept of {row['kind']}; see data/concepts")
        found.setdefault(row["kind"], []).append(
            Limit(
                windows=_windows(row["windows"]),
                selectors=_selectors(row["selectors"]),
                only=word == "only",
                concepts=named,
            )
        )

    _each("concepts_asked.csv", take)
    return {kind: tuple(limits) for kind, limits in found.items()}


def asked_of(kind: str, windows: Collection[str], selector: str, concept: str) -> bool:
    """Whether a kind's concept is asked for in these windows with this selector.

    >>> asked_of("procedure", ["whole_record"], "days_with", "hip_fracture_repair")
    False
    """
    return all(
        (concept in limit.concepts) is limit.only
        for limit in _limits().get(kind, ())
        if selector in limit.selectors and not limit.windows.isdisjoint(windows)
    )


def _each(file: str, take: Callable[[dict[str, str]], None]) -> None:
    """Hand over each row of a table.

    Raises:
        ValueError: A row is wrong; the message says in which line and what could stand there.
    """
    with (HERE / file).open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened)
        for row in rows:
            try:
                if row["kind"] not in vocabulary.kinds():
                    raise ValueError(f"{row['kind']}: no kind; there are {', '.join(vocabulary.kinds())}")
                take(row)
            except ValueError as error:
                raise ValueError(f"assets/questions/{file}, line {rows.line_num}: {error}") from None


def _windows(words: str) -> frozenset[str]:
    return _named(words, {name: window.family for name, window in vocabulary.windows().items()})


def _selectors(words: str) -> frozenset[str]:
    return _named(words, {name: selector.family for name, selector in vocabulary.selectors().items()})


def _named(words: str, families: Mapping[str, str]) -> frozenset[str]:
    """Names, families, `*` and `-name` as names."""
    asked = words.split()
    without = {word[1:] for word in asked if word.startswith("-")}
    asked = [word for word in asked if not word.startswith("-")]
    unknown = [word for word in (*asked, *without) if word not in (*families, *families.values(), "*")]
    if unknown:
        known = sorted({*families, *families.values()} - {""})
        raise ValueError(f"{', '.join(unknown)}: neither a word nor a family; there are {', '.join(known)}")
    return frozenset(
        name
        for name, family in families.items()
        if (name in asked or family in asked or "*" in asked) and name not in without
    )
