"""Finds the words of the grammar in their folders: a new file is a new word."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import TypeVar

from assets.questions.grammar import Window

T = TypeVar("T")


def modules(folder: str) -> Iterator[ModuleType]:
    """Every module of a folder of words, by name; those that begin with an underscore are helpers."""
    package = importlib.import_module(f"assets.questions.{folder}")
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        if not found.name.startswith("_"):
            yield importlib.import_module(f"{package.__name__}.{found.name}")


def words(folder: str, sort: type[T], *, alone: bool = True) -> dict[str, T]:
    """The words of one folder, by name.

    Args:
        folder: `selectors`, `windows`, `kinds`, …
        sort: What they are.
        alone: Whether a file holds one word that bears its name.

    Raises:
        TypeError: A file holds no word, or one of another name. The message says which file and what to do.
    """
    found: dict[str, T] = {}
    for module in modules(folder):
        file = module.__name__.rpartition(".")[2]
        here = [_named(word, file) for word in vars(module).values() if isinstance(word, sort)]
        names = [getattr(word, "name", "") for word in here]
        if not here or (alone and names != [file]):
            raise TypeError(f"assets/questions/{folder}/{file}.py holds {names}; give it one word named `{file}`")
        for name, word in zip(names, here, strict=True):
            if found.setdefault(name, word) is not word:
                raise TypeError(f"assets/questions/{folder}/{file}.py: the name `{name}` is taken")
    return dict(sorted(found.items()))


def _named(word: T, file: str) -> T:
    """The word under its name: a window is data alone and takes the name of its file."""
    return replace(word, name=file) if isinstance(word, Window) else word
