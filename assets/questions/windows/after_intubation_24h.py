"""The first day on the ventilator."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="ventilation",
    unit=STAY,
    words="in the 24 hours after invasive ventilation began",
    lo="m.t0",
    hi="m.t0 + INTERVAL 24 HOUR",
    anchor="ventilation",
    start="the start of invasive ventilation",
    days=1.0,
)
