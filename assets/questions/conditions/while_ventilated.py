"""While the patient was on invasive ventilation."""

from __future__ import annotations

from assets.questions.grammar import Condition, Phrases, Stream
from assets.questions.records import ventilation

CONDITION = Condition(
    name="while_ventilated",
    pool=None,
    during=lambda: Stream(target=ventilation(), words=Phrases(), time="x.starttime", end="x.endtime"),
    words="while on invasive ventilation",
)
