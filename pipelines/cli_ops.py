"""The commands `ops list` and `ops show`: what the noise operators say of themselves."""

from __future__ import annotations

from noise_ops import operators
from noise_ops.table import describe
from pipelines.cli_console import as_json, say


def list_operators(*, json: bool) -> None:
    """Print every operator: name, level, promise, and what it does to the record; as JSON, each in full."""
    found = operators()
    if json:
        as_json([describe(name) for name in found])
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
    told = describe(name)
    if json:
        as_json(told)
        return
    say(f"{told['name']}: {told['level']} level, promises {told['promise']}, {told['file']}")
    say()
    say(told["description"])
    say()
    say("Severities")
    for severity, strength in told["severities"].items():
        values = ", ".join(f"{k}={v!r}" for k, v in strength["parameters"].items()) or "no parameters"
        say(f"  {severity}: {values}; promises {strength['promise']}")
    say()
    say("Real faults it copies")
    for key, fault in told["realism"].items():
        say(f"  {key}: {fault}")
