"""The day after the ventilator: did extubation succeed?"""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="ventilation",
    unit=STAY,
    words="in the 24 hours after invasive ventilation ended",
    lo="m.t1",
    hi="m.t1 + INTERVAL 24 HOUR",
    anchor="ventilation",
    start="the end of invasive ventilation",
    days=1.0,
)
