"""The decorator that makes a function of `kinds/` a word of the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assets.questions.grammar import Kind, Stream
from schemas.concepts import Pool
from schemas.questions import Intent


def kind(
    intent: Intent, pool: Pool | None = None, *, least: int = 0, only: Iterable[str] = ()
) -> Callable[[Callable[..., Stream]], Kind]:
    """Make a kind of a function from a concept of the pool to its stream. Its name is the function's.

    Args:
        intent: What questions about it are about.
        pool: The concepts it can be about; None where the function takes none.
        least: How often the demo must have a concept for it to be asked about.
        only: Ids of the concepts it can be about, where not the entire pool.
    """

    def make(stream: Callable[..., Stream]) -> Kind:
        return Kind(name=stream.__name__, intent=intent, pool=pool, stream=stream, least=least, only=frozenset(only))

    return make
