"""Identifiers that look drawn at random, are unique in the whole hospital, and need no list of those in use.

A patient's number decides them, so a block can be generated alone.
"""

from __future__ import annotations

from assets.synthetic.draws import AnyArray, Ints

BLOCK = 1024
"""Patients in a block, the unit of generation."""

MOST_PATIENTS = 366_000
"""The largest hospital: beyond it the seven digits after the first no longer suffice."""

MOST_ADMISSIONS = 27
"""Admissions, and ICU stays, that one patient can have."""

_PRIME7 = 9_999_991
_PRIME8 = 99_999_989


def _scatter(number: AnyArray, prime: int, seed: int) -> Ints:
    """A bijection of 0 … prime − 1: neighbours land far apart."""
    factor = 4_242_421 + 2 * (seed % 1_000_003)
    return (number * factor + 1_234_567) % prime


def subject_ids(patient: AnyArray, jitter: AnyArray) -> Ints:
    """Eight digits from 10,000,032 on, rising with the patient's number. `jitter`: 0–26."""
    return 10_000_032 + 27 * patient + jitter


def hadm_ids(patient: AnyArray, nth: AnyArray, seed: int) -> Ints:
    """20,000,000 to 29,999,990."""
    return 20_000_000 + _scatter(patient * MOST_ADMISSIONS + nth, _PRIME7, seed)


def stay_ids(patient: AnyArray, nth: AnyArray, seed: int) -> Ints:
    """30,000,000 to 39,999,990."""
    return 30_000_000 + _scatter(patient * MOST_ADMISSIONS + nth, _PRIME7, seed + 1)


def in_block(block: int, row: AnyArray, seed: int) -> Ints:
    """Eight digits that look random and are unique: orders, specimens.

    Raises:
        OverflowError: A block holds more rows than there are numbers for.
    """
    if len(row) and int(row.max()) >= 270_000:
        raise OverflowError(f"block {block} needs more than 270,000 numbers")
    return _scatter(block * 270_000 + row, _PRIME8, seed) + 1


def transfer_ids(block: int, row: AnyArray, seed: int) -> Ints:
    """30,000,000 to 39,999,990, unique as long as a block holds no more than 27,000 rows."""
    return 30_000_000 + _scatter(block * 27_000 + row, _PRIME7, seed + 2)


def running(block: int, row: AnyArray, capacity: int) -> Ints:
    """Rising numbers with gaps between the blocks; `capacity` is the most rows that a block can hold."""
    return block * capacity + row + 1
