"""The first day: what was found and done on arrival."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="hospital",
    unit=ADMISSION,
    words="in the first 24 hours of the admission",
    lo="u.admittime",
    hi="least(u.admittime + INTERVAL 24 HOUR, u.dischtime)",
    start="admission",
    days=1.0,
    rest="within the first 24 hours",
)
