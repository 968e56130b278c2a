"""What a refused statement's author is told: why, and what to do instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from robustgym.guard.words import CHANCE, CLOCK, FUNCTIONS

NO_SAMPLE = "Sampling is not available, because it can't be repeated; use ORDER BY hash(subject_id) LIMIT n."
NO_PARAMETERS = "Parameters (?, $1, $name) can't be bound here; write the values into the statement."
NO_CLOCK = "there is no wall clock or user here; the question states its own anchor."
TOO_DEEP = "The statement nests too deeply; split it into WITH queries."


def tables(known: Collection[str]) -> str:
    """Which tables there are."""
    return "The tables are: " + ", ".join(sorted(known)) + "."


def no_table(name: str, known: Collection[str]) -> str:
    """There is no such table.

    >>> no_table("labevent", ["labevents", "patients"])
    "There is no table 'labevent'. Did you mean labevents? The tables are: labevents, patients."
    """
    near = difflib.get_close_matches(name.lower(), sorted(known), n=1)
    return f"There is no table {name[:60]!r}. " + (f"Did you mean {near[0]}? " if near else "") + tables(known)


def no_function(name: str) -> str:
    """There is no such function, or not here.

    >>> no_function("now")
    'now() is not available: there is no wall clock or user here; the question states its own anchor.'
    >>> no_function("date_dif")
    'The function date_dif() is not available. Did you mean date_diff()?'
    """
    if name in CLOCK:
        return f"{name}() is not available: {NO_CLOCK}"
    if name in CHANCE:
        instead = "quantile_cont()" if "quantile" in name else "hash(subject_id) for a fixed order"
        return f"{name}() is not available, because it can't be repeated exactly; use {instead}."
    near = difflib.get_close_matches(name, sorted(FUNCTIONS), n=1)
    return f"The function {name[:40]}() is not available." + (f" Did you mean {near[0]}()?" if near else "")


def no_query(node: str) -> str:
    """A node that is no query stands where one should."""
    word = node.split("_")[0]
    if word in {"INSERT", "UPDATE", "DELETE", "COPY", "MERGE"}:
        return f"{word} inside WITH is not available: the hospital is read-only."
    return f"{node[:40]} is not available."


def unparsed(message: str, bare: str) -> str:
    """The engine could not take the statement apart, or it is no SELECT.

    Args:
        message: The engine's message.
        bare: The statement without comments.
    """
    if "expression depth" in message:
        return TOO_DEEP
    if "Only SELECT" not in message:
        return "Syntax error: " + message.removeprefix("Parser Error: ")
    word = (bare.split(None, 1) or [""])[0].upper()[:40]
    if re.search(r"\bpivot\b", bare, re.IGNORECASE):
        return "PIVOT needs its columns listed: PIVOT t ON flag IN ('a', 'b') USING count(*)."
    if word == "EXPLAIN":
        return "EXPLAIN is not available. Run the SELECT itself; narrow it by subject_id if it is slow."
    what = word or "This statement"
    return f"{what} is not available: the hospital is read-only. Use SELECT, WITH, DESCRIBE or SHOW TABLES."
