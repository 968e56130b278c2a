"""The last ICU day: fit for the ward?"""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="stay",
    unit=STAY,
    words="in the last 24 hours of the ICU stay",
    lo="greatest(u.outtime - INTERVAL 24 HOUR, u.intime)",
    hi="u.outtime",
    days=1.0,
)
