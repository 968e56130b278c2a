"""The ICU admission as one moment."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="moment",
    unit=STAY,
    words="at ICU admission",
    lo="u.intime",
    hi="u.outtime",
    single=True,
    start="ICU admission",
    rest=", if during the ICU stay",
)
