"""Noise operator: the question is worded as people word it in a hurry."""

from __future__ import annotations

from random import Random
from typing import Literal

from noise_ops import NotApplicable, noise_op
from noise_ops._words import abbreviated, branded, misspelt, renamed, reordered
from schemas.noise import Noise
from schemas.questions import Question, spoken

Way = Literal["reordered", "typo", "typos", "abbreviated", "renamed", "brand"]


@noise_op(
    level="query",
    promise="unchanged",
    severities={
        "reordered": {"way": "reordered"},
        "typo": {"way": "typo"},
        "abbreviated": {"way": "abbreviated"},
        "renamed": {"way": "renamed"},
        "brand": {"way": "brand"},
        "typos": {"way": "typos"},
    },
    realism=("EHR-ChatQA", "Dr.Spider", "NL-Augmenter", "Damerau"),
)
def surface(question: Question, rng: Random, *, way: Way = "typos") -> Noise:
    """Misspell, abbreviate, rename or reorder the words of the question; what it asks stays.

    Questions are typed on the ward with one hand, in the abbreviations of notes, under brand names, and with what
    matters first. Nothing on record changes, nor does the answer.

    Limits: numbers, ids and the small print (definitions, contract) are never touched. A misspelt word keeps its first
    letter, as nearly all do, and short words are spared: they would become other words.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        way: What is done to the words. `typos` misspells three.

    Raises:
        NotApplicable: The question has no word that could be treated so.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> question = first_lactate()
        >>> question.text[:26], surface(question, Random(0), way="typo").text[:27]
        ('What was the first lactate', 'What was the first laactate')

        >>> surface(question, Random(0), way="brand")
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no word of the question could be written so
    """
    asked, small_print = spoken(question.text)
    match way:
        case "typo" | "typos":
            said = misspelt(asked, 1 if way == "typo" else 3, rng)
        case "abbreviated":
            said = abbreviated(asked)
        case "renamed":
            said = renamed(asked)
        case "brand":
            said = branded(asked)
        case "reordered":
            said = reordered(asked)
    if said == asked:
        raise NotApplicable("no word of the question could be written so")
    return Noise(text=said + small_print)
