"""Products kept on disk between steps: written once, read back while what they were made from has not changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from isal import igzip
from pydantic import TypeAdapter

T = TypeVar("T")


@dataclass(frozen=True)
class Product(Generic[T]):
    """A value, where it lies, the hash of its content, and whether it was there already."""

    value: T
    path: Path
    content: str
    """sha256 of the uncompressed JSON."""
    reused: bool


def made(path: Path, key: str, kind: type[T], make: Callable[[], T]) -> Product[T]:
    """The product at `path` if it was made from `key`; else make it and keep it there.

    Args:
        path: Where it is kept, as gzipped JSON; beside it lies a file of the same name with the suffix `.key`.
        key: Names everything it depends on: code, configuration, the content of what goes into it.
        kind: Its type, a dataclass or a pydantic model.
        make: Makes it.
    """
    stamp = path.with_name(path.name + ".key")
    adapter = TypeAdapter(kind)
    if path.is_file() and stamp.is_file():
        packed = path.read_bytes()
        was, content, file = (*stamp.read_text().splitlines(), "", "", "")[:3]
        # The file's own hash guards against one that was cut short or edited.
        if was == key and file == hashlib.sha256(packed).hexdigest():
            text: bytes = igzip.decompress(packed)  # type: ignore[no-untyped-call]
            return Product(adapter.validate_json(text), path, content, reused=True)
    value = make()
    text = adapter.dump_json(value)
    content, packed = hashlib.sha256(text).hexdigest(), igzip.compress(text, mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    _write(path, packed)
    _write(stamp, f"{key}\n{content}\n{hashlib.sha256(packed).hexdigest()}\n".encode())
    return Product(value, path, content, reused=False)


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)
