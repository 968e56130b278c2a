"""What a model wrote, as it can be kept: models write unpaired surrogates, and lists in lists in lists."""

from __future__ import annotations

from typing import Any

DEEPEST = 50
"""Lists and objects within each other that are kept. No tool takes any, so nothing that is run is lost."""


def writable(value: Any, deepest: int = DEEPEST) -> Any:
    r"""A JSON value that can be written as UTF-8, and read again without deep recursion.

    >>> writable({"answer": ["\ud800", 2.5]})
    {'answer': ['?', 2.5]}
    >>> writable([[["x"]]], deepest=2)
    [['…']]
    """
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case list() | dict() if deepest == 0:
            return "…"
        case list():
            return [writable(item, deepest - 1) for item in value]
        case dict():
            return {writable(key): writable(item, deepest - 1) for key, item in value.items()}
        case _:
            return value
