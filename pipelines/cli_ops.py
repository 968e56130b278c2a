"""The commands `ops list` and `ops show`: what the noise operators say of themselves."""

from __future__ import annotations

import inspect
from typing import Any

from noise_ops import Operator, operators
from noise_ops.faults import FAULTS
from pipelines.cli_console import as_json, say
from schemas.errors import InputError, Problem


def list_operators(*, json: bool) -> None:
    """Print every operator: name, level, promise, severities, and what it does to the record."""
    found = operators()
    if json:
        as_json([_described(operator) for operator in found.values()])
        return
    width = max(len(name) for name in found)
    level = ""
    for operator in found.values():
        if operator.level != level:
            say(f"{operator.level} level" if not level else f"\n{operator.level} level")
            level = operator.level
        say(f"  {operator.name:<{width}}  {operator.promise:<10}  {operator.summary}")


def show_operator(name: str, *, json: bool) -> None:
    """Print one operator in full.

    Raises:
        InputError: There is none of that name.
    """
    found = operators()
    if name not in found:
        near = [known for known in found if name in known] or list(found)
        raise InputError(Problem(f"operator {name}", "there is none of that name", f"choose one of {', '.join(near)}"))
    operator = found[name]
    if json:
        as_json(_described(operator) | {"doc": inspect.getdoc(operator.function)})
        return
    say(f"{operator.name}: {operator.level} level, promises {operator.promise}, {operator.file}")
    say()
    say(inspect.getdoc(operator.function) or "")
    say()
    say("Severities")
    for severity, strength in operator.severities.items():
        values = ", ".join(f"{k}={v!r}" for k, v in strength.parameters.items()) or "no parameters"
        say(f"  {severity}: {values}; promises {operator.promise_of(severity)}")
    say()
    say("Real faults it copies")
    for key in operator.realism:
        fault = FAULTS[key]
        say(f"  {key}: {fault.where}: {fault.what} ({fault.source})")


def _described(operator: Operator) -> dict[str, Any]:
    return {
        "name": operator.name,
        "level": operator.level,
        "promise": operator.promise,
        "severities": {
            name: {"parameters": dict(severity.parameters), "promise": operator.promise_of(name)}
            for name, severity in operator.severities.items()
        },
        "realism": list(operator.realism),
        "summary": operator.summary,
        "file": operator.file,
        "version": operator.version,
    }
