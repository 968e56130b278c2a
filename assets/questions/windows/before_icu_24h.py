"""The day before intensive care: what led there."""

from __future__ import annotations

from assets.questions.grammar import Side, Window
from assets.questions.units import STAY

WINDOW = Window(
    family="pre_icu",
    unit=STAY,
    words="in the 24 hours before ICU admission",
    lo="u.intime - INTERVAL 24 HOUR",
    hi="u.intime",
    side=Side.BEFORE,
    days=1.0,
)
