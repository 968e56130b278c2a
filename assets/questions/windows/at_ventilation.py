"""The start of invasive ventilation as one moment."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="moment",
    unit=STAY,
    words="at the start of invasive ventilation",
    lo="m.t0",
    hi="m.t1",
    anchor="ventilation",
    single=True,
    start="the start of invasive ventilation",
    rest=", if before its last end",
)
