"""From admission to discharge; emergency hours before `admittime` are not part of it."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="hospital",
    unit=ADMISSION,
    words="during the admission",
    lo="u.admittime",
    hi="u.dischtime",
    start="admission",
    rest="in the same admission",
)
