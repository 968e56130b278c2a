"""The first culture that grew an organism."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import positive_cultures

ANCHOR = Anchor(
    name="positive_culture",
    pool=None,
    event=lambda: Stream(
        target=positive_cultures(),
        words=Phrases(value="a culture that grew an organism"),
        time="x.charttime",
        end="x.charttime",
        definition="a microbiology record with an organism other than 'CANCELLED' and a time of collection",
    ),
)
