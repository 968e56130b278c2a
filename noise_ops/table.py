"""The operators as a reader sees them: a table for the docs, one operator in full for the command line."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import Any

from noise_ops.faults import FAULTS
from noise_ops.registry import Operator, operators
from schemas.errors import InputError, Problem


def operator_table() -> str:
    """Every operator as a markdown table: name, level, promise, severities, what it does, the faults it copies.

    >>> print(operator_table().splitlines()[0])
    | operator | level | promise | severities | what it does | copies |
    """
    rows = [
        [
            f"`{operator.name}`",
            operator.level.value,
            operator.promise.value,
            _severities(operator),
            operator.summary,
            ", ".join(str(key) for key in operator.realism),
        ]
        for operator in operators().values()
    ]
    return _markdown(["operator", "level", "promise", "severities", "what it does", "copies"], rows)


def fault_table() -> str:
    """The faults that some operator copies, as a markdown table with their sources.

    >>> print(fault_table().splitlines()[2])
    | 1 | completeness | labevents.hadm_id | NULL for outpatient/ED-adjacent labs | 73.8M of 158.4M rows in v3.1 ... |
    """
    cited = {key for operator in operators().values() for key in operator.realism}
    rows = [
        [str(key), fault.dimension, fault.where, fault.what, fault.source]
        for key, fault in FAULTS.items()
        if key in cited
    ]
    return _markdown(["key", "dimension", "where", "fault", "seen in"], rows)


def describe(name: str) -> dict[str, Any]:
    """One operator in full, as JSON has it.

    Args:
        name: The operator's name.

    Raises:
        InputError: There is no such operator.

    >>> described = describe("time_inversion")
    >>> described["level"], described["severities"]["half"]
    ('value', {'parameters': {'share': 0.5}, 'promise': 'recomputed'})
    """
    operator = operators().get(name)
    if operator is None:
        known = list(operators())
        near = [other for other in known if name in other] or get_close_matches(name, known) or known
        raise InputError(
            Problem(f"operator `{name}`", "there is none of that name", f"choose one of {', '.join(near)}")
        )
    faults = {str(key): FAULTS[key] for key in operator.realism}
    return {
        "name": operator.name,
        "level": operator.level.value,
        "promise": operator.promise.value,
        "severities": {
            severity: {"parameters": dict(strength.parameters), "promise": operator.promise_of(severity).value}
            for severity, strength in operator.severities.items()
        },
        "summary": operator.summary,
        "description": inspect.getdoc(operator.function),
        "realism": {key: f"{fault.where}: {fault.what} ({fault.source})" for key, fault in faults.items()},
        "file": operator.file,
        "version": operator.version,
    }


def _severities(operator: Operator) -> str:
    """The names of the severities, those with a promise of their own followed by it."""
    return ", ".join(
        name if operator.promise_of(name) is operator.promise else f"{name} ({operator.promise_of(name)})"
        for name in operator.severities
    )


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
