"""From the last ICU discharge to leaving the hospital: is the ward safe?"""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="ward",
    unit=ADMISSION,
    words="between the last ICU discharge and hospital discharge",
    lo="m.t1",
    hi="u.dischtime",
    anchor="intensive_care",
    start="the last ICU discharge",
    rest="in the same admission",
)
