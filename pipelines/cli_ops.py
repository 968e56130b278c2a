"""The commands `ops list`, `ops show` and `ops new`: what the noise operators say of themselves, and one more."""

from __future__ import annotations

from noise_ops import _skeleton, operators
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


def new_operator(name: str, level: str, *, json: bool) -> None:
    """Write the file of a new operator and say what to do with it.

    Raises:
        InputError: The name cannot be one or is taken, or there is no such level.
    """
    path = _skeleton.write(name, level)
    if json:
        as_json({"name": name, "level": level, "file": str(path)})
        return
    say(f"{path}: an operator that works. Say in it what is in capitals, and make it do what yours does.")
    say(f"  python -m pytest {path} tests/test_every_noise_op.py -k {name}")
    say(f"  robustgym ops show {name}")
    say("docs/write_an_operator.md goes through it.")
