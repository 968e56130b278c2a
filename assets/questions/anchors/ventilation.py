"""Invasive ventilation: from its first start to its last end within the stay."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import VENTILATION_WORDS, ventilation

ANCHOR = Anchor(
    name="ventilation",
    pool=None,
    event=lambda: Stream(
        target=ventilation(),
        words=Phrases(value="invasive ventilation"),
        time="x.starttime",
        end="x.endtime",
        definition=VENTILATION_WORDS,
    ),
)
