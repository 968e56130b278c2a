"""The first admission coded with a disease, as one moment."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import PATIENT

WINDOW = Window(
    family="moment",
    unit=PATIENT,
    words="at the first admission coded with {anchor}",
    lo="m.t0",
    hi="m.t0 + INTERVAL 365 DAY",
    anchor="diagnosis",
    single=True,
    start="the first admission coded with {anchor}",
    rest=", if within 365 days",
)
