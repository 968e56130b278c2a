"""While the patient was in intensive care."""

from __future__ import annotations

from assets.questions.grammar import Condition, Phrases, Stream
from assets.questions.records import icu_stays

CONDITION = Condition(
    name="while_in_icu",
    pool=None,
    during=lambda: Stream(target=icu_stays(), words=Phrases(), time="x.intime", end="x.outtime"),
    words="while in intensive care",
)
