"""Six hours after the first intravenous furosemide: the response to a diuretic."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import STAY

WINDOW = Window(
    family="diuretic",
    unit=STAY,
    words="in the 6 hours after the first intravenous furosemide",
    lo="m.t0",
    hi="m.t0 + INTERVAL 6 HOUR",
    anchor="furosemide",
    start="the first intravenous furosemide",
    days=0.25,
)
