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


SPOKEN_AS_WORDS = frozenset({"MAP", "MICU", "NICU", "SICU"})
"""Abbreviations that are read as words; others are spelled, so that an M or an S begins with a vowel."""


def with_article(noun: str) -> str:
    """The noun with "a" or "an", by its sound.

    >>> [with_article(noun) for noun in ("INR result", "urine record", "hour", "ultrasound", "NT-proBNP", "MAP")]
    ['an INR result', 'a urine record', 'an hour', 'an ultrasound', 'an NT-proBNP', 'a MAP']
    """
    return f"{'an' if _begins_with_vowel(noun) else 'a'} {noun}"


def _begins_with_vowel(noun: str) -> bool:
    first = re.split(r"[\s/-]", noun)[0]
    if re.fullmatch(r"[A-Z][A-Z0-9]+", first) and first not in SPOKEN_AS_WORDS:
        return first[0] in "AEFHILMNORSX"
    word = first.lower()
    if word.startswith("u"):
        return not re.match(r"u[^aeiou][aeiou]", word)  # "unit", "urine", but "ultrasound", "upper"
    return word.startswith(("a", "e", "i", "o", "hour", "8", "11", "18")) and not word.startswith(("eu", "one"))


def clipped(text: str) -> str:
    """The text as in notes: no "the", and hours as h.

    >>> clipped("first K in the first 24 hours of the ICU stay")
    'first K in first 24 h of ICU stay'
    """
    return re.sub(r"\b(\d+) hours?\b", r"\1 h", re.sub(r"\bthe ", "", text))


def tidy(text: str) -> str:
    """One space between words, none before a comma, no comma at the end; statistics of statistics spelled out.

    >>> tidy("what was  the total , over the whole record,")
    'what was the total, over the whole record'
    >>> tidy("the mean mean cuff blood pressure")
    'the mean of the mean cuff blood pressure'
    """
    spaced = re.sub(r"[\s,]*,", ",", " ".join(text.split())).rstrip(",")
    return re.sub(r"\b(mean|median) \1\b", r"\1 of the \1", spaced)


def spelled_out(spellings: tuple[str, ...]) -> str:
    """Spellings of a drug, each once.

    >>> spelled_out(("Aspirin", "aspirin ", "Aspirin EC"))
    "'Aspirin', 'Aspirin EC' (upper or lower case)"
    """
    folded_ = {text.strip().lower(): text.strip() for text in reversed(spellings)}
    return ", ".join(f"'{text}'" for text in reversed(folded_.values())) + " (upper or lower case)"
