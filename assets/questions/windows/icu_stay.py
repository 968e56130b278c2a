"""From ICU admission to ICU discharge."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="stay",
    unit=STAY,
    words="during the ICU stay",
    lo="u.intime",
    hi="u.outtime",
    start="ICU admission",
    rest="in the same ICU stay",
)
