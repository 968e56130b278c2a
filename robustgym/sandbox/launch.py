"""How an interpreter is started: in bubblewrap, as a plain process that closes itself in, or open."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from robustgym.sandbox.inside import landlock
from robustgym.sandbox.layout import NOT_STANDARD, layout, links
from robustgym.sandbox.limits import Limits


class Kind(StrEnum):
    """What keeps the agent's Python from everything else, best first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    UNSAFE = "none (unsafe)"
    OFF = "off"


@dataclass(frozen=True)
class Launch:
    """Everything about the start of an interpreter that depends on how it is kept."""

    command: tuple[str, ...]
    """What starts the interpreter, and the interpreter."""
    packages: str
    """The folder its program is found in."""
    setting: dict[str, Any]
    """What it is told first: see `inside.start.close_in`."""
    environment: dict[str, str]
    paths: tuple[tuple[str, str], ...] = ()
    """Paths of this machine it can come to know, and what is shown of them."""
    counts_threads: bool = True
    """Whether the kernel keeps it from starting too many threads."""


_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    # Sets come in the same order whenever a cell is run again.
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
}
"""All of its environment: nothing of the gym's, which may hold a key of a model's endpoint."""

PACKAGES = Path("/packages")
"""Where a sandbox with a root of its own has them."""

_users = itertools.count()


def _user() -> int:
    """An id that owns nothing, for one interpreter: limits of threads are counted by user."""
    return 61_184 + (os.getpid() * 16 + next(_users)) % 4_000


def bubblewrap(program: str, limits: Limits) -> Launch:
    """In namespaces of its own, with a root of nothing but the interpreter, read-only, and no /proc.

    Args:
        program: Path of `bwrap`.
        limits: What the interpreter may use.
    """
    found, root = layout(), os.geteuid() == 0
    inner = Path("/python")
    executable = inner / "bin" / found.executable.name
    home = found.standard.relative_to(found.prefix) if found.standard.is_relative_to(found.prefix) else None
    standard = inner / (home or Path("lib") / found.standard.name)
    # Made first, or bwrap makes them so that only its own user may enter.
    folders = (inner, inner / "bin", inner / "lib", standard.parent, PACKAGES, Path("/etc"), Path("/usr"))
    mounts = [part for folder in dict.fromkeys(folders) for part in ("--perms", "0755", "--dir", str(folder))]
    for folder in found.system:
        # Where /lib is a link to /usr/lib it is one inside as well.
        mounts += ["--symlink", os.readlink(folder), str(folder)] if folder.is_symlink() else _bind(folder)
    if Path("/etc/ld.so.cache").exists():
        mounts += _bind(Path("/etc/ld.so.cache"))
    for path in found.pythons():
        mounts += _cover(str(path))
    mounts += _bind(found.executable, executable)
    for library in found.shared:
        mounts += _bind(library, inner / "lib" / library.name)
    mounts += _bind(found.standard, standard)
    for name in NOT_STANDARD:
        if (found.standard / name).is_dir():
            mounts += _cover(str(standard / name))
    for package in found.packages:
        mounts += _bind(package, PACKAGES / package.name)
    # Root is not asked for a namespace of users: there it would still be root to the files it owns. It becomes
    # nobody inside instead, and needs these two for it.
    who = ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") if root else ("--unshare-user",)
    apart = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    environment = _ENVIRONMENT | {"LD_LIBRARY_PATH": str(inner / "lib")}
    command = (
        program,
        *apart,
        *who,
        "--die-with-parent",
        "--new-session",
        "--hostname",
        "box",
        *mounts,
        "--remount-ro",
        "/",
        "--chdir",
        "/",
        "--clearenv",
        *(part for name, value in environment.items() for part in ("--setenv", name, value)),
        "--",
        str(executable),
    )
    setting = {
        "path": [str(standard), str(standard / "lib-dynload"), str(PACKAGES)],
        "limits": _limits(limits) | {"NPROC": limits.threads},
        "characters": limits.characters,
        "user": _user() if root else None,
        "parent": None,  # bwrap sees to it
        # A second line behind the mounts, where the kernel has it.
        "read": ["/"] if landlock.version() else None,
        "refuse": True,
    }
    # bwrap itself starts with no environment, too: it would be there to read, were /proc ever mounted.
    return Launch(command, str(PACKAGES), setting, environment={})


def closed(limits: Limits) -> Launch:
    """A plain process that gives up files with Landlock and system calls with seccomp, before it imports anything.

    Args:
        limits: What the interpreter may use.
    """
    found, folder = layout(), links()
    read = [folder, "/etc/ld.so.cache", *found.standard_entries(), *found.shared, *found.system_entries()]
    become_another = os.geteuid() == 0 and found.open_to_others()
    setting = {
        "limits": _limits(limits) | ({"NPROC": limits.threads} if become_another else {}),
        "user": _user() if become_another else None,
        "read": [str(path) for path in (*read, *found.packages)],
        "refuse": True,
    }
    return _plain(setting, folder, limits, counts_threads=become_another)


def bare(limits: Limits) -> Launch:
    """A plain process that may do what the gym may do, but for its limits and its environment.

    Args:
        limits: What the interpreter may use.
    """
    return _plain({"limits": _limits(limits), "user": None, "read": None, "refuse": False}, links(), limits)


def _plain(setting: dict[str, Any], folder: Path, limits: Limits, *, counts_threads: bool = False) -> Launch:
    found = layout()
    setting |= {
        "path": [str(folder / name) for name in ("standard", "standard/lib-dynload", "packages")],
        "characters": limits.characters,
        "parent": os.getpid(),
    }
    places = {folder: "/python", found.standard: "/python/standard", found.prefix: "/python"}
    places |= {package.parent: "/python/packages" for package in found.packages}
    # The longest first: one may lie in another.
    paths = sorted(((str(path), shown) for path, shown in places.items()), key=lambda pair: (-len(pair[0]), pair))
    command = (str(found.executable),)
    return Launch(command, str(folder / "packages"), setting, _ENVIRONMENT, tuple(paths), counts_threads)


def _limits(limits: Limits) -> dict[str, int]:
    """Limits by the name of the resource."""
    return {
        "AS": limits.memory,
        "CPU": limits.cpu,
        "STACK": 8 << 20,
        # No file is written, whatever else should fail.
        "FSIZE": 0,
        "CORE": 0,
        "NOFILE": 64,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
    }


def _bind(path: Path, inner: Path | None = None) -> list[str]:
    return ["--ro-bind", str(path), str(inner or path)]


def _cover(inner: str) -> list[str]:
    """An empty folder in place of what is there."""
    return ["--tmpfs", inner, "--remount-ro", inner]
