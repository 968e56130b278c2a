"""From arrival, the emergency department included: where the path through the hospital begins."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="hospital",
    unit=ADMISSION,
    words="between arrival (emergency department included) and discharge",
    lo="least(coalesce(u.edregtime, u.admittime), u.admittime)",
    hi="u.dischtime",
    start="arrival",
    early=True,
)
