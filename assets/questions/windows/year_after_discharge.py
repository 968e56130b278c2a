"""The year after discharge: return, recovery, death. `patients.dod` is censored a year after the last discharge."""

from __future__ import annotations

from assets.questions.grammar import Side, Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="years",
    unit=ADMISSION,
    words="in the 365 days after discharge",
    lo="u.dischtime",
    hi="u.dischtime + INTERVAL 365 DAY",
    side=Side.AFTER,
    start="discharge",
    days=365.0,
    rest=", if within 365 days",
)
