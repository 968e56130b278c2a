"""The interpreter's beginning: it closes itself in, imports what cells work with, then runs one cell after another.

Everything that takes rights away happens before the first import of a library: later there are threads, and what is
taken from one thread is not taken from the others.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import traceback
from typing import Any

from . import landlock, seccomp


def main(incoming: int, outgoing: int) -> None:
    """Take the first line as what to close and where packages are, say `ready`, and run cells until the pipe ends.

    Args:
        incoming: File descriptor to read from.
        outgoing: File descriptor to write to.
    """
    # Not among the arguments of the process, where an agent would read paths of the machine.
    reader, writer = os.fdopen(incoming, "rb", buffering=1 << 16), os.fdopen(outgoing, "wb", buffering=0)
    setting = json.loads(reader.readline())
    os.dup2(1, 2)  # what a library writes to stderr goes where stdout goes: nowhere
    try:
        close_in(setting)
        sys.path[:] = setting["path"]
        from .cells import Cells

        cells = Cells(reader, writer, setting["characters"])
    except BaseException:
        writer.write(json.dumps({"failed": traceback.format_exc()[-4000:]}).encode() + b"\n")
        raise
    writer.write(b'{"ready": true}\n')
    cells.serve()
    os._exit(0)  # at once: there is nothing to be saved


def close_in(setting: dict[str, Any]) -> None:
    """Give up what a cell has no need of.

    Args:
        setting: `limits` by name of the resource, `user` to become if any, `parent` to end with if any, `read` the
            paths that Landlock leaves if it is to be used, and whether to `refuse` system calls.

    Raises:
        OSError: Something could not be given up; the process must not go on.
    """
    for name, most in setting["limits"].items():
        _limit(getattr(resource, f"RLIMIT_{name}", None), most)
    libc = ctypes.CDLL(None, use_errno=True)
    if setting["user"] is not None:
        os.setgroups([])
        os.setresgid(setting["user"], setting["user"], setting["user"])
        os.setresuid(setting["user"], setting["user"], setting["user"])
    if setting["parent"] is not None and sys.platform == "linux":
        libc.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL: after the user changed, which would unset it
        if os.getppid() != setting["parent"]:
            raise OSError("the gym is gone")
    if setting["read"] is not None:
        landlock.read_only(setting["read"])
    if setting["refuse"]:
        give_up_capabilities(libc)
        seccomp.refuse()


def _limit(resource_: int | None, most: int) -> None:
    if resource_ is None:
        return
    _, hard = resource.getrlimit(resource_)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(resource_, (most, most))
    except ValueError:
        # macOS has no limit of the address space.
        if sys.platform == "linux":
            raise


def give_up_capabilities(libc: ctypes.CDLL) -> None:
    """Every capability, so that root is a user like any other, but for the files it owns.

    Args:
        libc: The C library.

    Raises:
        OSError: It is not allowed.
    """
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing):
        raise OSError(ctypes.get_errno(), "capabilities could not be given up")
