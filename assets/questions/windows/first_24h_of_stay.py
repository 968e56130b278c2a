"""The first ICU day: what severity scores look at."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="stay",
    unit=STAY,
    words="in the first 24 hours of the ICU stay",
    lo="u.intime",
    hi="least(u.intime + INTERVAL 24 HOUR, u.outtime)",
    start="ICU admission",
    days=1.0,
    rest="within the first 24 hours",
)
