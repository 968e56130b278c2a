"""The files a closed-in process may open: some to read, none to write. Needs no privilege, only Linux 5.13 or newer.

Landlock says nothing of what is not opened: that a file exists can still be found out.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls, the same on every machine."""

_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights over files the kernel knows, by the version of its interface."""


def version() -> int:
    """The version of the kernel's interface; 0 where Landlock is not to be had."""
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


def read_only(paths: Iterable[str]) -> int:
    """Let this process open nothing but these files and what is in these folders, and only to read, for good.

    Also keeps it from connecting and from sending signals, where the kernel's Landlock can.

    Args:
        paths: Files and folders. What does not exist is passed over.

    Returns:
        The version of the kernel's interface.

    Raises:
        OSError: Landlock is not to be had.
    """
    known = version()
    if not known:
        raise OSError("the kernel has no Landlock, or what runs this process does not allow it")
    files = (1 << _RIGHTS[min(known, max(_RIGHTS))]) - 1
    network, scope = (3 if known >= 4 else 0), (3 if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", files, network, scope), 24)
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(size), 0)
    for path in paths:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = _READ_FILE | _READ_FOLDER if os.path.isdir(path) else _READ_FILE
        rule = ctypes.create_string_buffer(struct.pack("<Qi", rights, place), 12)
        _call(_ADD, ruleset, 1, rule, 0)
        os.close(place)
    _libc().prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    _call(_RESTRICT, ruleset, 0)
    os.close(ruleset)
    return known


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: object) -> int:
    libc = _libc()
    result = int(libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
