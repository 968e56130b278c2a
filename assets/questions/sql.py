"""Small pieces of SQL that many parts share: lists, exact hours, stable rounding, one value or none."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.concepts import Coded
from schemas.questions import literal


def listed(values: Iterable[str | int]) -> str:
    """A list for IN.

    >>> listed(["a", "b's"]), listed([1])
    ("('a', 'b''s')", '(1)')
    """
    return f"({', '.join(literal(value) for value in values)})"


def folded(column: str, spellings: Iterable[str]) -> str:
    """Is the text one of these, whatever its case and outer blanks?

    270 drug strings of the demo end in a blank.

    >>> folded("drug", ["Aspirin", "aspirin ", "Aspirin EC"])
    "lower(trim(drug)) IN ('aspirin', 'aspirin ec')"
    """
    return f"lower(trim({column})) IN {listed(dict.fromkeys(text.strip().lower() for text in spellings))}"


def between(expression: str, low: float | None, high: float | None) -> str:
    """Is the number within its plausible range?

    >>> between("valuenum", 0.1, 15.0), between("value", None, 5.0)
    ('valuenum BETWEEN 0.1 AND 15', 'value <= 5')
    """
    if low is None or high is None:
        return f"{expression} >= {number(low)}" if low is not None else f"{expression} <= {number(high or 0)}"
    return f"{expression} BETWEEN {number(low)} AND {number(high)}"


def number(value: float) -> str:
    """A number as people write it.

    >>> number(15.0), number(0.1)
    ('15', '0.1')
    """
    return f"{value:g}"


def coded(group: Coded) -> str:
    """Does the row's code belong to the group? A prefix counts only in its own ICD version."""
    versions = ((9, group.icd9_prefixes), (10, group.icd10_prefixes))
    tests = (
        f"(icd_version = {version} AND ({' OR '.join(f'starts_with(icd_code, {literal(p)})' for p in prefixes)}))"
        for version, prefixes in versions
        if prefixes
    )
    return f"({' OR '.join(tests)})"


def hours(start: str, end: str) -> str:
    """Hours between two times, to the second: counting minute borders would be off by up to one minute."""
    return f"(date_diff('second', {start}, {end}) / 3600.0)"


def rounded(expression: str, decimals: int) -> str:
    """The number to its last reported digit, whatever the order in which an engine added floats up.

    Two sums of the same numbers can differ in their last bits and fall on both sides of a rounding border; the inner
    rounding puts them together first.

    >>> rounded("avg(v)", 1)
    'round(round(CAST(avg(v) AS DOUBLE), 9), 1)'
    """
    return f"round(round(CAST({expression} AS DOUBLE), 9), {decimals})"


def single(column: str) -> str:
    """The one value all rows agree on; NULL where they differ, since no single answer is right then."""
    return f"CASE WHEN count(DISTINCT {column}) = 1 THEN min({column}) END"
