"""Result values: as text the way the laboratory prints them, and as the number the text stands for.

A value is kept as its place in one long list, so that text and number always agree, and so that a table of millions
of rows holds small integers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from assets.synthetic.columns import ArrowColumn, real, words
from assets.synthetic.draws import AnyArray, Bools, Floats

_MOST = (60_000, 20_000, 20_000, 10_000)
"""How many steps are kept with 0, 1, 2 and 3 decimals."""
_BEGIN = tuple(int(sum(_MOST[:decimals])) for decimals in range(len(_MOST)))
_SCALE = np.array([1.0, 10.0, 100.0, 1000.0], dtype=np.float32)
_LEAST = -60


class Values:
    """Numbers of up to three decimals, whole negative numbers down to −60, and a list of texts."""

    def __init__(self, texts: list[str], number_of: dict[str, float] | None = None) -> None:
        printed = [f"{step / 10**d:.{d}f}" for d, most in enumerate(_MOST) for step in range(most)]
        numbers = [step / 10**d for d, most in enumerate(_MOST) for step in range(most)]
        self._negative = len(printed)
        printed += [str(number) for number in range(_LEAST, 0)]
        numbers += [float(number) for number in range(_LEAST, 0)]
        self._first_text = len(printed)
        known = number_of or {}
        self.text = {text: self._first_text + i for i, text in enumerate(texts)}
        self._texts = words(printed + texts)
        first: dict[str, int] = {}
        # A text such as `5` stands where the number 5 stands: parquet wants every word of a column once.
        self._once = np.array([first.setdefault(text, place) for place, text in enumerate(printed + texts)], np.int32)
        self._numbers = np.array(numbers + [known.get(text, np.nan) for text in texts])
        self._begin = np.array(_BEGIN, dtype=np.int32)
        self._last = np.array(_MOST, dtype=np.int32) - 1

    def of(self, value: AnyArray, decimals: AnyArray) -> AnyArray:
        """Places of numbers rounded to so many decimals; what is too large for the list becomes its largest."""
        steps = np.rint(value * _SCALE[decimals]).astype(np.int32)
        place = self._begin[decimals] + np.clip(steps, 0, self._last[decimals])
        below = steps < 0
        if below.any():
            place[below] = self._negative + np.clip(np.rint(value[below]), _LEAST, -1).astype(np.int32) - _LEAST
        return np.asarray(place, dtype=np.int32)

    def number(self, place: AnyArray) -> Floats:
        """The numbers; NaN for a text that is none."""
        return self._numbers[place]

    def texts(self, place: AnyArray, null: Bools | None = None) -> ArrowColumn:
        """The column `value`."""
        # Only the values in use: writing a hundred thousand others would cost more than the rows.
        used = np.flatnonzero(np.bincount(place, minlength=len(self._texts)))
        once, position = np.unique(self._once[used], return_inverse=True)
        narrow = np.zeros(len(self._texts), np.int16 if len(used) < 32_768 else np.int32)
        narrow[used] = position
        codes = pa.array(narrow[place], mask=null)
        return pa.DictionaryArray.from_arrays(codes, self._texts.take(once), safe=False)

    def doubles(self, place: AnyArray, null: Bools | None = None) -> ArrowColumn:
        """The column `valuenum`."""
        numbers = self._numbers[place]
        missing = np.isnan(numbers)
        return real(numbers, missing if null is None else missing | null)
