"""A gzip file put together from members that were compressed apart, one for each part of a table.

The members' bytes depend on their text alone. `isal` is quicker still, but was seen to compress the same text to other
bytes, once in many runs.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import deflate

LEVEL = 1


@dataclass(frozen=True)
class Part:
    """One member, in a file of its own."""

    path: Path


class PartWriter:
    """Gathers the text of one part and compresses it into a member: no name, no time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = bytearray()

    def write(self, data: bytes) -> None:
        """Add `data`."""
        self._text += data

    def close(self) -> Part:
        """Compress what was gathered."""
        self._path.write_bytes(deflate.gzip_compress(self._text, LEVEL))
        return Part(self._path)


def join(parts: list[Part], out: Path) -> None:
    """Put the members into one gzip file, in order, and remove them."""
    with out.open("wb") as file:
        for part in parts:
            with part.path.open("rb") as piece:
                shutil.copyfileobj(piece, file, 1 << 20)
            part.path.unlink()
