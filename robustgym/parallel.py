"""Independent pieces of work side by side, in processes that each have the hospital open.

The statements of a build are short: planning one costs more than running it, and two threads of one process plan no
faster than one (docs/decisions/0007). The processes are started once and serve whatever follows.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TypeVar

from robustgym.hospital import Hospital
from schemas.errors import InputError, Problem

A = TypeVar("A")
B = TypeVar("B")

WORKERS = min(4, os.cpu_count() or 1)
"""How many there are decides the time a build takes, and nothing else."""

_pools: dict[int, ProcessPoolExecutor] = {}
_open: dict[Path, Hospital] = {}


def side_by_side(
    work: Callable[[Hospital, A], B], items: Sequence[A], hospital: Hospital, *, chunk: int = 1
) -> Iterator[B]:
    """The results of independent pieces of work on a hospital, in the order of the items, each as soon as it is known.

    Args:
        work: A function of a module, given the hospital and an item; both it and the items are sent to processes.
        items: What to work on.
        hospital: The hospital. The processes open it themselves.
        chunk: Items sent at a time: more, where each is done in no time.

    Raises:
        InputError: A process was ended from outside.
        Exception: What the first item raised whose work failed.
    """
    workers = WORKERS
    if workers < 2 or len(items) < 2:
        yield from (work(hospital, item) for item in items)
        return
    there = partial(_there, work, hospital.warehouse.path.resolve())
    finished = False
    try:
        yield from _pool(workers).map(there, items, chunksize=chunk)
        finished = True
    except BrokenProcessPool:
        what = "one was ended from outside, most likely because memory ran out"
        do = "free memory and run it again, or say --threads 1"
        raise InputError(Problem("worker processes", what, do)) from None
    finally:
        if not finished:
            # Work that nobody waits for any more would hold up what comes next.
            _pools.pop(workers).shutdown(wait=False, cancel_futures=True)


def use(workers: int) -> None:
    """Use so many processes from now on; 1 works without any.

    Args:
        workers: At least 1.
    """
    global WORKERS
    WORKERS = workers


def _pool(workers: int) -> ProcessPoolExecutor:
    if workers not in _pools:
        # Not forked: the engine's threads would not come along.
        spawn = multiprocessing.get_context("spawn")
        _pools[workers] = ProcessPoolExecutor(workers, mp_context=spawn, initializer=_begin, initargs=(os.getpid(),))
    return _pools[workers]


def _there(work: Callable[[Hospital, A], B], path: Path, item: A) -> B:
    """Work on an item in this process."""
    if path not in _open:
        for other in list(_open):
            _open.pop(other).close()
        _open[path] = Hospital.open(path)
    return work(_open[path], item)


def _begin(parent: int) -> None:
    """End this process with the one that started it, however that ends: a killed build leaves nothing behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
