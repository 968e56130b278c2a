"""Small pieces of English: ordinals, articles, spaces."""

from __future__ import annotations

import re

ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth", 9: "ninth"}


def ordinal(n: int) -> str:
    """The ordinal as people write it.

    >>> [ordinal(n) for n in (2, 10, 11, 21, 42, 103, 112)]
    ['second', '10th', '11th', '21st', '42nd', '103rd', '112th']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return ORDINALS.get(n, f"{n}{ending}")


def with_article(noun: str) -> str:
    """The noun with "a" or "an", by its sound.

    >>> with_article("INR result"), with_article("urine record"), with_article("hour")
    ('an INR result', 'a urine record', 'an hour')
    """
    first = noun.split()[0]
    spelled = first.isupper() and first[0] in "AEFHILMNORSX" and len(first) < 5
    vowel = noun[0].lower() in "aeio" or (noun.lower().startswith(("hour", "un")) and not noun.startswith("unit"))
    return f"{'an' if vowel or spelled else 'a'} {noun}"


def tidy(text: str) -> str:
    """One space between words, none before a comma.

    >>> tidy("what was  the total , over the whole record")
    'what was the total, over the whole record'
    """
    return re.sub(r"\s+,", ",", " ".join(text.split()))
