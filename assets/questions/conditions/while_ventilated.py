"""While the patient was on invasive ventilation."""

from __future__ import annotations

from assets.questions.grammar import Condition, Phrases, Stream
from assets.questions.records import VENTILATION_WORDS, ventilation

CONDITION = Condition(
    name="while_ventilated",
    pool=None,
    during=lambda: Stream(
        target=ventilation(),
        words=Phrases(value="invasive ventilation"),
        time="x.starttime",
        end="x.endtime",
        definition=VENTILATION_WORDS,
    ),
    words="while on invasive ventilation",
)
