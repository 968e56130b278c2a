"""What a hospital offers to those who only read it: the same here, or in another process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, Self

from robustgym.shown import ROWS, Shown
from schemas.overlays import Overlay

if TYPE_CHECKING:
    import pyarrow as pa

    from robustgym.guard import Reading

CLEAN = Overlay()


class Reader(Protocol):
    """One reader's view of a hospital. It serves one statement at a time."""

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables it can read."""
        ...

    def show(self, sql: str, rows: int = ROWS) -> Shown:
        """What an agent sees of a statement: refused unless the guard knows it, capped, its errors scrubbed."""
        ...

    def arrow(self, sql: str) -> pa.Table | str:
        """The result of an agent's statement for a program, whole; or the text of the error."""
        ...

    def close(self) -> None:
        """Give it up, and everything temporary in it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Judge(Protocol):
    """Says which statements may run."""

    def read(self, sql: str) -> Reading:
        """What a statement reads.

        Raises:
            robustgym.guard.Refused: It may not run.
        """
        ...


class Source(Protocol):
    """A hospital that many read at once: opened in this process (`Hospital`), or in others (`workers.Pool`)."""

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables that are there."""
        ...

    @property
    def guard(self) -> Judge:
        """The guard that agents' statements pass."""
        ...

    def session(
        self,
        overlay: Overlay = CLEAN,
        *,
        placebo: bool = False,
        row_ids: bool = False,
        only: Mapping[str, str] | None = None,
    ) -> Reader:
        """A view of the hospital under an overlay (see `Hospital.session`).

        Raises:
            InputError: The overlay does not fit the hospital. Values are checked when a table is first read.
        """
        ...
