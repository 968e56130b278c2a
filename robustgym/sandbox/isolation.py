"""What keeps the agent's Python from everything else here: found out by trying, once a process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from robustgym.sandbox.inside import landlock
from robustgym.sandbox.launch import Kind, Launch, bare, bubblewrap, closed
from robustgym.sandbox.layout import layout
from robustgym.sandbox.limits import Limits
from robustgym.sandbox.process import Ended, Process


@dataclass(frozen=True)
class Isolation:
    """How the agent's Python is kept, or why there is none. A run's manifest holds it as text.

    >>> print(Isolation(Kind.OFF, "bubblewrap is not installed"))
    off: bubblewrap is not installed
    """

    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else str(self.kind)

    @property
    def on(self) -> bool:
        """Whether there is a Python tool."""
        return self.kind is not Kind.OFF

    def launch(self, limits: Limits) -> Launch:
        """How an interpreter is started under it.

        Raises:
            ValueError: There is none.
        """
        if not self.on:
            raise ValueError(str(self))
        return _STARTS[self.kind](limits)


def _bubblewrap(limits: Limits) -> Launch:
    program = shutil.which("bwrap")
    if program is None:
        raise Ended("bwrap is not installed")
    return bubblewrap(program, limits)


def _closed(limits: Limits) -> Launch:
    if not landlock.version():
        raise Ended("the kernel has no Landlock, or what runs the gym does not allow it")
    return closed(limits)


_STARTS: dict[Kind, Callable[[Limits], Launch]] = {
    Kind.BUBBLEWRAP: _bubblewrap,
    Kind.LANDLOCK: _closed,
    Kind.UNSAFE: bare,
}


def available(*, unsafe: bool = False) -> Isolation:
    """The best isolation that holds here, tried once; off, and why, where none does.

    Args:
        unsafe: Run the agent's Python with none, as whoever runs the gym. Only on a person's word.
    """
    if unsafe:
        return Isolation(Kind.UNSAFE, "asked for by the user")
    tried = [held(kind) for kind in (Kind.BUBBLEWRAP, Kind.LANDLOCK)]
    return next((found for found in tried if found.on), Isolation(Kind.OFF, "; ".join(t.detail for t in tried)))


@cache
def held(kind: Kind) -> Isolation:
    """Whether one kind of isolation can be had and holds, by a cell that tries to get out.

    Args:
        kind: `BUBBLEWRAP` or `LANDLOCK`.
    """
    if sys.platform != "linux":
        return Isolation(Kind.OFF, f"{kind} is for Linux only")
    limits = Limits()
    try:
        process = Process(_STARTS[kind](limits), limits)
        try:
            output = process.run(_ATTEMPTS, lambda _: "There is no hospital.")
        finally:
            process.close()
    except (Ended, OSError, subprocess.SubprocessError) as error:
        return Isolation(Kind.OFF, f"{kind}: {error}")
    if output.error is not None:
        return Isolation(Kind.OFF, f"{kind}: its own test failed: {output.error.strip().splitlines()[-1]}")
    escaped = json.loads(output.text)
    if escaped:
        return Isolation(Kind.OFF, f"{kind} does not hold here: {', '.join(escaped)}")
    return Isolation(kind, _detail(kind))


def _detail(kind: Kind) -> str:
    if kind is Kind.LANDLOCK:
        still = ", as root" if os.geteuid() == 0 and not layout().open_to_others() else ""
        return f"interface {landlock.version()}, seccomp, no capabilities{still}"
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin"})
    return f"{said.stdout.split()[-1] if said.stdout.split() else 'of unknown version'}, seccomp, no network, no /proc"


# Every attempt is to raise OSError. None of them changes anything where it should succeed.
_ATTEMPTS = """
import json, os, socket
attempts = {
    "files can be read": lambda: open("/etc/passwd"),
    "environments can be read": lambda: open("/proc/self/environ"),
    "the kernel's settings can be read": lambda: open("/proc/sys/kernel/ostype"),
    "files can be written": lambda: os.open("/tmp", os.O_RDWR | os.O_TMPFILE),
    "there is a network": lambda: socket.socket(),
    "there are sockets": lambda: socket.socketpair(),
    "processes can be started": lambda: os.fork() or os._exit(0),
    "programs can be run": lambda: os.execv("/bin/true", ["true"]),
    "signals can be sent": lambda: os.kill(os.getppid() or 1, 0),
}
escaped = []
for what, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    escaped.append(what)
# Polars sets some itself.
known = {"LANG", "LC_CTYPE", "TZ", "PYTHONHASHSEED", "LD_LIBRARY_PATH", "PWD", "_RJEM_MALLOC_CONF"}
escaped += [
    f"{name} is in the environment" for name in sorted(os.environ)
    if name not in known and not name.startswith(("POLARS_", "OMP_", "OPENBLAS_"))
]
print(json.dumps(escaped))
"""
