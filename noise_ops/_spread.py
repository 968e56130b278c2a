"""Numbers that a clean and a noisy question share: how to keep them from telling which is which."""

from __future__ import annotations

from random import Random

from noise_ops.registry import NotApplicable

RARE = 5
"""From this number on every candidate is kept."""


def spread_out(number: int, rng: Random) -> None:
    """Pass over part of the candidates with a low number.

    Of a record that ends with the n-th result the clean question asks for the n-th and the noisy one for the next. Most
    records are short: without this, half of the clean questions would ask for the second, which no noisy question does.

    Args:
        number: The number of the clean question: an ordinal, a day.
        rng: The candidate's generator.

    Raises:
        NotApplicable: This candidate is passed over.

    >>> kept = 0
    >>> for seed in range(1000):
    ...     try:
    ...         spread_out(2, Random(seed))
    ...     except NotApplicable:
    ...         continue
    ...     kept += 1
    >>> 350 < kept < 450
    True
    """
    if rng.random() >= number / RARE:
        raise NotApplicable("so low a number is asked for often enough")
