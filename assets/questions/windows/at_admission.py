"""The admission as one thing: for what it has once (age, billing level, principal code)."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="moment",
    unit=ADMISSION,
    words="at the admission",
    lo="u.admittime",
    hi="u.dischtime",
    single=True,
    start="admission",
    many="",
    rest=", if during the admission",
)
