"""The worker's own program: it opens the hospital, gives up every right it has, and serves statements."""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# Imported before anything is given up: what is imported later finds no files.
import pyarrow as pa
import pyarrow.compute

from robustgym.guard import Refused
from robustgym.hospital import Hospital
from robustgym.sandbox.inside import landlock, start
from robustgym.sandbox.layout import layout
from robustgym.session import Session
from robustgym.warehouse import Warehouse
from schemas.errors import InputError
from schemas.overlays import Overlay

_ROOM = 1 << 30
"""Bytes of address space beyond the engine's memory limit, which single values can exceed."""

_NOBODY = 65_534

_WARM = (
    "SELECT 1, 'a', 1.5::DECIMAL(4, 1), TIMESTAMP '2150-01-01', TIMESTAMPTZ '2150-01-01', DATE '2150-01-01', "
    "TIME '10:00', INTERVAL 3 DAY, [1], {'a': 1}, MAP {'a': 1}, 'x'::BLOB, '1'::BIT, 1::HUGEINT, "
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID",
    "SELECT x FROM patients",
    "SHOW TABLES",
    "SELECT TIMESTAMPTZ '2150-01-01' AT TIME ZONE 'Asia/Tokyo', 'x'::INTEGER",
)
"""Statements that make the engine's and Python's libraries load what they load when first needed."""


def main(pipe: str, parent: str) -> None:
    """Serve until the pipe ends, or the gym does.

    Args:
        pipe: File descriptor of the pipe, as a text.
        parent: Process id of the gym, as a text.
    """
    connection = Connection(int(pipe))
    try:
        opening = json.loads(connection.recv_bytes())
        # DuckDB has threads of its own, and what is taken from one thread is not taken from the others: so before it.
        kept_by = _give_up(opening["file"])
        threading.Thread(target=_end_with, args=(int(parent),), daemon=True).start()
        hospital = _open(opening)
        _limit_memory(opening["memory"])
        kept_by += _give_up_files()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the gym is to be told
        connection.send_bytes(json.dumps({"failed": f"{type(error).__name__}: {error}"[:2000]}).encode())
        return
    connection.send_bytes(json.dumps({"kept_by": ", ".join(kept_by) or "nothing but limits here"}).encode())
    _serve(connection, hospital)


def _open(opening: dict[str, Any]) -> Hospital:
    warehouse = Warehouse(Path(opening["warehouse"]), dict.fromkeys(opening["tables"], ()))
    memory = f"{opening['memory']}MiB"
    file = Path(opening["file"])
    hospital = Hospital(warehouse, file, threads=1, memory_limit=memory, seconds=opening["seconds"])
    with hospital.session() as session:
        for statement in _WARM:
            session.show(statement)
            session.arrow(statement)
    return hospital


def _serve(connection: Connection, hospital: Hospital) -> None:
    sessions: dict[int, Session] = {}
    while True:
        try:
            request = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        for number in request["close"]:
            if closed := sessions.pop(number, None):
                closed.close()
        content = b""
        try:
            reply: dict[str, Any]
            if request["do"] == "read":
                read = hospital.guard.read(request["sql"])
                reading = {"lists_tables": read.lists_tables}
                reply = {"reading": reading | {"tables": sorted(read.tables), "looks_at": sorted(read.looks_at)}}
            else:
                session = sessions.get(request["session"])
                if "open" in request or session is None:
                    session = sessions[request["session"]] = _opened(hospital, request["open"])
                if request["do"] == "show":
                    reply = {"shown": session.show(request["sql"], request["rows"]).as_dict()}
                else:
                    found = session.arrow(request["sql"])
                    content = b"" if isinstance(found, str) else _stream(found)
                    reply = {"content": bool(content), "error": found if isinstance(found, str) else None}
        except Refused as refused:
            reply = {"refused": str(refused)}
        except InputError as error:
            reply = {"problems": [[problem.where, problem.what, problem.do] for problem in error.problems]}
        except Exception as error:  # noqa: BLE001 - a fault of the gym's must not pass for the statement's
            reply = {"fault": f"{type(error).__name__}: {error}"}
        connection.send_bytes(json.dumps(reply).encode())
        if content:
            connection.send_bytes(content)
        if hospital.broken:
            # Another process takes over; its sessions are not to pay for what one statement did.
            return


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def _opened(hospital: Hospital, opening: dict[str, Any]) -> Session:
    overlay = Overlay.model_validate(opening["overlay"])
    return hospital.session(overlay, placebo=opening["placebo"], row_ids=opening["row_ids"], only=opening["only"])


def _give_up(file: str) -> list[str]:
    """Give up the user, all files but the hospital and libraries, and system calls that reach beyond this process.

    Returns:
        What could be given up, in words.
    """
    found = layout()
    nothing: dict[str, Any] = {"limits": {}, "user": None, "parent": None, "read": None, "refuse": False}
    start.close_in(nothing | {"limits": {"FSIZE": 0, "CORE": 0}})
    given = []
    needed = (Path(file), found.executable, found.standard, *found.packages)
    if hasattr(os, "setresuid") and os.geteuid() == 0 and all(map(_open_to_others, needed)):
        start.close_in(nothing | {"user": _NOBODY})
        given.append("nobody")
    libraries = [*found.system, *found.shared, found.standard, *(p for p in sys.path if p.endswith("-packages"))]
    # The engine asks the kernel how much memory it may use.
    kernel = ("/proc/self/cgroup", "/proc/self/statm", "/proc/meminfo", "/sys/fs/cgroup")
    read = [file, *kernel, "/usr/share/zoneinfo", "/etc/ld.so.cache", *map(str, libraries)]
    steps = {"landlock": nothing | {"read": read}, "seccomp": nothing | {"refuse": True}}
    return given + [name for name, setting in steps.items() if _holds(lambda s=setting: start.close_in(s))]  # type: ignore[misc]


def _give_up_files() -> list[str]:
    """Give up the rest: the hospital is open, the libraries are loaded."""
    return ["no files"] if _holds(lambda: landlock.read_only([])) else []


def _holds(give_up: Callable[[], object]) -> bool:
    if sys.platform != "linux":
        return False
    try:
        give_up()
    except OSError:
        return False
    return True


def _open_to_others(path: Path) -> bool:
    """Whether a user who owns nothing can read it."""
    return all(folder.stat().st_mode & 0o1 for folder in path.parents) and bool(path.stat().st_mode & 0o4)


def _limit_memory(engine: int) -> None:
    """End the address space above what is in use and what the engine may take."""
    if sys.platform != "linux":
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (engine << 20) + _ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _end_with(parent: int) -> None:
    """End this process when the gym has ended, whatever it is at."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
