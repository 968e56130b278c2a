"""Intensive care within an admission: from the first ICU admission to the last ICU discharge."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import icu_stays

ANCHOR = Anchor(
    name="intensive_care",
    pool=None,
    event=lambda: Stream(target=icu_stays(), words=Phrases(), time="x.intime", end="x.outtime"),
)
