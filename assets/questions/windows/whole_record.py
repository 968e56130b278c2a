"""Everything the hospital knows of the patient."""

from __future__ import annotations

from assets.questions.grammar import Side, Window
from assets.questions.units import PATIENT

WINDOW = Window(
    family="record",
    unit=PATIENT,
    words="",
    side=Side.ALWAYS,
    many="over the whole record",
)
