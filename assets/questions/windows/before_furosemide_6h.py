"""Six hours before the first intravenous furosemide."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="diuretic",
    unit=STAY,
    words="in the 6 hours before the first intravenous furosemide",
    again="in the 6 hours before it",
    lo="m.t0 - INTERVAL 6 HOUR",
    hi="m.t0",
    anchor="furosemide",
    days=0.25,
)
