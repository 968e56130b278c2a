"""The words of the grammar, found by folder."""

from __future__ import annotations

from functools import cache

from assets.questions.grammar import Aggregator, Anchor, Cohort, Condition, Kind, Selector, Window
from assets.questions.registry import words


@cache
def windows() -> dict[str, Window]:
    """Windows by name."""
    return words("windows", Window)


@cache
def anchors() -> dict[str, Anchor]:
    """Anchor events by name."""
    return words("anchors", Anchor)


@cache
def conditions() -> dict[str, Condition]:
    """Conditions by name."""
    return words("conditions", Condition)


@cache
def selectors() -> dict[str, Selector]:
    """Selectors by name."""
    return words("selectors", Selector)


@cache
def kinds() -> dict[str, Kind]:
    """Kinds by name."""
    return words("kinds", Kind, alone=False)


@cache
def cohorts() -> dict[str, Cohort]:
    """Cohorts by name."""
    return words("cohorts", Cohort)


@cache
def aggregators() -> dict[str, Aggregator]:
    """Aggregators by name."""
    return words("aggregators", Aggregator)
