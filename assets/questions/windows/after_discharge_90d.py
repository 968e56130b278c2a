"""Three months after discharge: has it recovered?"""

from __future__ import annotations

from assets.questions.grammar import Side, Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="years",
    unit=ADMISSION,
    words="in the 90 days after discharge",
    lo="u.dischtime",
    hi="u.dischtime + INTERVAL 90 DAY",
    side=Side.AFTER,
    start="discharge",
    days=90.0,
    rest=", if within 90 days",
)
