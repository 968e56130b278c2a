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
from typing import TypeVar

from robustgym.hospital import Hospital, Opening
from schemas.errors import InputError, Problem

A = TypeVar("A")
B = TypeVar("B")

WORKERS = min(4, os.cpu_count() or 1)
"""How many there are decides the time a build takes, and nothing else."""

_pool: tuple[int, ProcessPoolExecutor] | None = None
_open: tuple[Opening, Hospital] | None = None
"""In a worker: the hospital it has open."""


def side_by_side(
    work: Callable[[Hospital, A], B], items: Sequence[A], hospital: Hospital, *, chunk: int = 1
) -> Iterator[B]:
    """The results of independent pieces of work on a hospital, in the order of the items, each as soon as it is known.

    A script of one's own that comes here must do so below `if __name__ == "__main__":`, for the processes import it.

    Args:
        work: A function of a module, given the hospital and an item; both it and the items are sent to processes.
        items: What to work on.
        hospital: The hospital. The processes open it themselves, as it was opened here.
        chunk: Items sent at a time: more, where each is done in no time.

    Raises:
        InputError: A process ended before its work was done.
        Exception: What the first item raised whose work failed.
    """
    if WORKERS < 2 or len(items) < 2:
        yield from (work(hospital, item) for item in items)
        return
    finished = False
    try:
        yield from _processes().map(partial(_there, work, hospital.opening), items, chunksize=chunk)
        finished = True
    except BrokenProcessPool:
        what = "one ended before its work was done, from want of memory or because a script has no main guard"
        do = "free memory (each may take 2 GB), or use one process: build --threads 1, or robustgym.parallel.use(1)"
        raise InputError(Problem("worker processes", what, do)) from None
    finally:
        if not finished:
            # Work that nobody waits for any more would hold up what comes next.
            _give_up()


def use(workers: int) -> None:
    """Use so many processes from now on; 1 works without any.

    Args:
        workers: At least 1.
    """
    global WORKERS
    WORKERS = workers


def _processes() -> ProcessPoolExecutor:
    global _pool
    if _pool is None or _pool[0] != WORKERS:
        _give_up()
        # Not forked: the engine's threads would not come along.
        spawn = multiprocessing.get_context("spawn")
        _pool = WORKERS, ProcessPoolExecutor(WORKERS, mp_context=spawn, initializer=_begin, initargs=(os.getpid(),))
    return _pool[1]


def _give_up() -> None:
    global _pool
    if _pool is not None:
        _pool[1].shutdown(wait=False, cancel_futures=True)
        _pool = None


def _there(work: Callable[[Hospital, A], B], opening: Opening, item: A) -> B:
    """Work on an item in this process."""
    global _open
    if _open is None or _open[0] != opening:
        if _open is not None:
            _open[1].close()
        _open = opening, opening.again()
    return work(_open[1], item)


def _begin(parent: int) -> None:
    """End this process with the one that started it, however that ends: a killed build leaves nothing behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
