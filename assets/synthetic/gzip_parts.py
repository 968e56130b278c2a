"""One gzip stream put together from parts that were compressed apart, as pigz does it.

Every reader sees a single member with one header and one checksum; the bytes depend on the parts, not on who
compressed them or when.
"""

from __future__ import annotations

import shutil
import struct
from dataclasses import dataclass
from pathlib import Path

from isal import isal_zlib

LEVEL = 1
_HEADER = b"\x1f\x8b\x08\x00" + struct.pack("<L", 0) + b"\x04\xff"
"""No name, no time, unknown system."""
_END = b"\x03\x00"


@dataclass(frozen=True)
class Part:
    """A compressed piece in a file of its own."""

    path: Path
    crc: int
    size: int
    """Bytes before compression."""


class PartWriter:
    """Compresses text into one part."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._stream = isal_zlib.compressobj(level=LEVEL, wbits=-15)
        self._crc = 0
        self._size = 0

    def write(self, data: bytes) -> None:
        """Add `data`."""
        self._file.write(self._stream.compress(data))
        self._crc = isal_zlib.crc32(data, self._crc)
        self._size += len(data)

    def close(self) -> Part:
        """Finish on a byte boundary, so that another part can follow."""
        self._file.write(self._stream.flush(isal_zlib.Z_FULL_FLUSH))
        self._file.close()
        return Part(self._path, self._crc, self._size)


def join(parts: list[Part], out: Path) -> None:
    """Put the parts into one gzip file, in order, and remove them."""
    crc = size = 0
    with out.open("wb") as file:
        file.write(_HEADER)
        for part in parts:
            with part.path.open("rb") as piece:
                shutil.copyfileobj(piece, file, 1 << 20)
            crc = isal_zlib.crc32_combine(crc, part.crc, part.size)
            size += part.size
            part.path.unlink()
        file.write(_END + struct.pack("<LL", crc & 0xFFFFFFFF, size & 0xFFFFFFFF))
