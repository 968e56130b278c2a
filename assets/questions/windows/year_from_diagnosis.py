"""The year from the beginning of the first admission coded with a disease: its natural course."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import PATIENT

WINDOW = Window(
    family="record",
    unit=PATIENT,
    words="in the 365 days from the first admission coded with {anchor}",
    lo="m.t0",
    hi="m.t0 + INTERVAL 365 DAY",
    anchor="diagnosis",
    start="the first admission coded with {anchor}",
    days=365.0,
    rest=", if within 365 days",
)
