"""From the first start to the last stop of norepinephrine, pauses included."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="pressor",
    unit=STAY,
    words="between the first start and the last stop of norepinephrine",
    lo="m.t0",
    hi="m.t1",
    anchor="norepinephrine",
    start="the start of norepinephrine",
)
