"""The first culture that grew an organism."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import positive_cultures

ANCHOR = Anchor(
    name="positive_culture",
    pool=None,
    event=lambda: Stream(target=positive_cultures(), words=Phrases(), time="x.charttime", end="x.charttime"),
)
