"""The last two days: is the patient ready for home?"""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="hospital",
    unit=ADMISSION,
    words="in the last 48 hours of the admission",
    lo="greatest(u.dischtime - INTERVAL 48 HOUR, u.admittime)",
    hi="u.dischtime",
    days=2.0,
)
