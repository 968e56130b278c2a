"""Random draws that give the same bytes on every machine.

Each table of each block of patients has a counter-based generator of its own, keyed by a hash of (seed, table, block):
nothing depends on the number of workers or on what was drawn elsewhere. Between the bits and the data there are only
+, −, ×, ÷ and look-up tables, because `exp` and `log` differ in the last digit between C libraries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import sha256
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger[Any]]
Floats = npt.NDArray[np.floating[Any]]
Singles = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]

_SLOTS = 65536
_PER_UNIT = 1024
_EXP_REACH = 8

# Rounded well above the last digit, so that no difference between C libraries survives into the table.
_NORMAL: Singles = np.array(
    [round(NormalDist().inv_cdf((i + 0.5) / _SLOTS), 6) for i in range(_SLOTS)], dtype=np.float32
)
_EXPONENTIAL: Singles = np.array([round(-math.log((i + 0.5) / _SLOTS), 6) for i in range(_SLOTS)], dtype=np.float32)
_EXP: Floats = np.array(
    [float(f"{math.exp(i / _PER_UNIT):.9g}") for i in range(-_EXP_REACH * _PER_UNIT, _EXP_REACH * _PER_UNIT + 1)]
)


def exp(x: AnyArray) -> Floats:
    """The number e to the power of `x`, from a table in steps of 1/1024; beyond ±8 the value at ±8.

    >>> [round(float(v), 4) for v in exp(np.array([0.0, 1.0, -99.0]))]
    [1.0, 2.7183, 0.0003]
    """
    reach = _EXP_REACH * _PER_UNIT
    steps = np.clip(np.rint(x * _PER_UNIT), -reach, reach).astype(np.int32)
    return np.asarray(_EXP[steps + reach])


_EXP32 = _EXP.astype(np.float32)


def exp32(x: Singles) -> Singles:
    """`exp` in single precision, for the largest tables."""
    steps = np.rint(x * np.float32(_PER_UNIT)).astype(np.int32)
    reach = _EXP_REACH * _PER_UNIT
    return np.asarray(_EXP32[np.clip(steps, -reach, reach) + reach])


class Draws:
    """The random numbers of one table in one block of patients.

    >>> Draws(1, "labevents", 0).below(3, 10).tolist() == Draws(1, "labevents", 0).below(3, 10).tolist()
    True
    >>> Draws(1, "labevents", 0).below(3, 10**6).tolist() == Draws(1, "labevents", 1).below(3, 10**6).tolist()
    False
    """

    def __init__(self, seed: int, name: str, block: int) -> None:
        key = int.from_bytes(sha256(f"{seed}|{name}|{block}".encode()).digest()[:16], "little")
        self._bits = np.random.Philox(key=key)

    def bits16(self, n: int) -> npt.NDArray[np.uint16]:
        """`n` numbers from 0 to 65535."""
        return self._bits.random_raw((n + 3) // 4).view(np.uint16)[:n]

    def bits32(self, n: int) -> npt.NDArray[np.uint32]:
        """`n` numbers from 0 to 2³² − 1."""
        return self._bits.random_raw((n + 1) // 2).view(np.uint32)[:n]

    def uniform(self, n: int) -> Floats:
        """`n` numbers in [0, 1)."""
        return self.bits32(n) * (1.0 / 4294967296.0)

    def chance(self, n: int, probability: AnyArray | float) -> Bools:
        """`n` times yes with the given probability, or with one probability each."""
        return np.asarray(self.uniform(n) < probability)

    def normal(self, n: int) -> Singles:
        """`n` standard normal numbers, from 65,536 quantiles."""
        return _NORMAL[self.bits16(n)]

    def exponential(self, n: int) -> Singles:
        """`n` exponential numbers of mean 1, at most 11.8."""
        return _EXPONENTIAL[self.bits16(n)]

    def below(self, n: int, k: AnyArray | int) -> Ints:
        """`n` whole numbers from 0 to k − 1."""
        return ((self.bits32(n).astype(np.uint64) * np.asarray(k, np.uint64)) >> np.uint64(32)).astype(np.int64)

    def between(self, n: int, low: float, high: float) -> Floats:
        """`n` numbers in [low, high)."""
        return low + (high - low) * self.uniform(n)


class Choice:
    """A draw among weighted alternatives: one look-up each.

    >>> Choice([3, 1]).of(np.array([0, 49_151, 49_152], np.uint16)).tolist()
    [0, 0, 1]
    """

    def __init__(self, weights: Sequence[float]) -> None:
        upto = np.cumsum(np.asarray(weights, dtype=np.float64))
        edges = np.rint(upto / upto[-1] * _SLOTS).astype(np.int64)
        self._slot = np.searchsorted(edges, np.arange(_SLOTS), side="right").astype(np.int32)

    def of(self, bits: npt.NDArray[np.uint16]) -> npt.NDArray[np.int32]:
        """The alternative that each 16-bit number stands for."""
        return self._slot[bits]

    def draw(self, rng: Draws, n: int) -> npt.NDArray[np.int32]:
        """`n` alternatives, as positions in the list of weights."""
        return self._slot[rng.bits16(n)]


class GroupedChoice:
    """A draw within a group: which form of this drug, which code of this diagnosis. 1,024 slots each.

    A group without alternatives gives −1.
    """

    _WIDTH = 1024

    def __init__(self, weights: Sequence[Sequence[tuple[int, float]]]) -> None:
        slots = np.full((len(weights), self._WIDTH), -1, dtype=np.int32)
        for row, alternatives in enumerate(weights):
            if alternatives:
                upto = np.cumsum(np.array([weight for _, weight in alternatives], dtype=np.float64))
                edges = np.rint(upto / upto[-1] * self._WIDTH).astype(np.int64)
                positions = np.searchsorted(edges, np.arange(self._WIDTH), side="right")
                slots[row] = np.array([value for value, _ in alternatives], dtype=np.int32)[positions]
        self._slots = slots.ravel()

    def draw(self, rng: Draws, group: AnyArray) -> npt.NDArray[np.int32]:
        """One alternative of each `group`."""
        return self._slots[group.astype(np.int32) * self._WIDTH + (rng.bits16(len(group)) >> 6)]


class Fixed:
    """Standard normal numbers that belong to keys: the same key, the same number, in whichever table it is asked for.

    One hash of 64 bits serves four salts in a row.
    """

    def __init__(self, key: AnyArray) -> None:
        self._key = key.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        self._hashed: tuple[int, npt.NDArray[np.uint16]] | None = None

    def normal(self, salt: int) -> Singles:
        """The number of each key for this `salt`."""
        if self._hashed is None or self._hashed[0] != salt // 4:
            h = self._key + np.uint64(((salt // 4 + 1) * 0xD1B54A32D192ED03) & (2**64 - 1))
            h ^= h >> np.uint64(29)
            h *= np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(32)
            self._hashed = (salt // 4, h.view(np.uint16).reshape(-1, 4))
        return _NORMAL[self._hashed[1][:, salt % 4]]


def mix(key: AnyArray, salt: int) -> Singles:
    """One standard normal number for each key."""
    return Fixed(key).normal(salt)


def spread(lengths: AnyArray, starts: AnyArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Like `within`, for the largest tables: the group of each row, and its place in the group beyond `starts`.

    >>> [a.tolist() for a in spread(np.array([2, 0, 1]), np.array([10, 20, 30]))]
    [[0, 0, 2], [10, 11, 30]]
    """
    group = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    offset = (starts - (np.cumsum(lengths) - lengths)).astype(np.int32)
    return group, offset[group] + np.arange(len(group), dtype=np.int32)


def within(lengths: AnyArray) -> tuple[Ints, Ints]:
    """For groups of the given lengths laid end to end: the group of each row, and the row's place in it.

    >>> [a.tolist() for a in within(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    group = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    return group, np.arange(len(group)) - starts[group]
