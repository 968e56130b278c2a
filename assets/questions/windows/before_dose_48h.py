"""Two days before the first dose of a drug: the baseline."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="dose",
    unit=ADMISSION,
    words="in the 48 hours before the first dose of {anchor} was given, though not before admission",
    again="in the 48 hours before it (not before admission)",
    lo="greatest(m.t0 - INTERVAL 48 HOUR, u.admittime)",
    hi="m.t0",
    anchor="dose",
    days=2.0,
)
