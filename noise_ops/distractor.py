"""Noise operator: the question comes with words beside the point."""

from __future__ import annotations

from random import Random
from typing import Literal

from noise_ops import NotApplicable, noise_op
from schemas.noise import Noise
from schemas.questions import Question, spoken

BEFORE = {
    "polite": (
        "Hi, sorry to bother you again.",
        "Good morning, I hope you can help.",
        "Hello, when you have a minute:",
        "Thanks for your help with the other list.",
        "I know that you are busy, just one thing.",
        "Hope your shift is going well.",
    ),
    "aside": (
        "I am writing this between two meetings.",
        "My screen froze when I wanted to look it up myself.",
        "We were talking about this over lunch.",
        "The printer on our floor is down again.",
        "I am new here and still learning my way around.",
        "Our student asked me and I did not know.",
    ),
    "clinical": (
        "The relatives will be here this afternoon.",
        "Physiotherapy has been informed.",
        "The consent form is signed.",
        "Somebody has to update the white board.",
        "The pharmacist has already seen the chart.",
        "Isolation is no longer needed.",
    ),
}
AFTER = {
    "polite": ("Thank you!", "Thanks in advance.", "Much appreciated.", "No hurry.", "Many thanks.", "Thanks a lot."),
    "aside": (
        "It is for the slides, not for the chart.",
        "I will be in the office this afternoon.",
        "I need it for my own notes.",
        "A colleague of mine would like to know as well.",
        "You have helped me with such things more than once.",
        "This is not urgent at all.",
    ),
    "clinical": (
        "The night shift will want to know.",
        "Social work is involved as well.",
        "The dressing looked fine.",
        "The diet order has not changed.",
        "The interpreter comes at noon.",
        "The wristband was checked.",
    ),
}


@noise_op(
    level="query",
    promise="unchanged",
    severities={"polite": {"sort": "polite"}, "aside": {"sort": "aside"}, "clinical": {"sort": "clinical"}},
    realism=("NL-Augmenter",),
)
def distractor(question: Question, rng: Random, *, sort: Literal["polite", "aside", "clinical"] = "clinical") -> Noise:
    """Put a sentence before or behind the question that has nothing to do with it.

    People greet, thank, explain themselves, and mention whatever is on their mind. Nothing of it narrows what is asked;
    an agent that takes a remark for a condition looks for it in vain.

    Limits: no remark names a number, a time, a drug or a measurement, so none can be read as a restriction. Definitions
    and contract stay as they are.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        sort: What the sentence is about.

    Raises:
        NotApplicable: The question has no words.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> distractor(first_lactate(), Random(1), sort="polite").text.split(" What was ")[0]
        'Hi, sorry to bother you again.'
        >>> distractor(first_lactate(), Random(0)).text.split("? ")[1].split(" Answer")[0]
        'The diet order has not changed.'

        >>> distractor(first_lactate().with_(text=""), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: the question has no words
    """
    asked, small_print = spoken(question.text)
    if not asked:
        raise NotApplicable("the question has no words")
    front = rng.random() < 0.5
    remark = rng.choice((BEFORE if front else AFTER)[sort])
    return Noise(text=(f"{remark} {asked}" if front else f"{asked} {remark}") + small_print)
