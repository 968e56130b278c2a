"""Two days after the first dose of a drug: effect or harm."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="dose",
    unit=ADMISSION,
    words="in the 48 hours after the first dose of {anchor} was given, though not after discharge",
    lo="m.t0",
    hi="least(m.t0 + INTERVAL 48 HOUR, u.dischtime)",
    anchor="dose",
    start="the first dose of {anchor}",
    days=2.0,
    rest="within 48 hours",
)
