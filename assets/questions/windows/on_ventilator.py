"""From the first start to the last end of invasive ventilation, pauses included."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="ventilation",
    unit=STAY,
    words="between the first start and the last end of invasive ventilation",
    lo="m.t0",
    hi="m.t1",
    anchor="ventilation",
    start="the start of invasive ventilation",
    rest="before its last end",
)
