"""From registration in the emergency department until leaving it: before any treatment on a ward."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="emergency",
    unit=ADMISSION,
    words="in the emergency department before the admission",
    lo="u.edregtime",
    hi="u.edouttime",
    start="registration in the emergency department",
    given="u.edregtime IS NOT NULL AND u.edouttime IS NOT NULL",
    days=1.0,
    early=True,
)
