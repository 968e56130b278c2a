"""The year before: baseline and history."""

from __future__ import annotations

from assets.questions.grammar import Side, Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="years",
    unit=ADMISSION,
    words="in the 365 days before the admission",
    lo="u.admittime - INTERVAL 365 DAY",
    hi="u.admittime",
    side=Side.BEFORE,
    days=365.0,
)
