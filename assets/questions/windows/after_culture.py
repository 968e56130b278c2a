"""From the first culture that grew an organism to discharge: response to an infection."""

from __future__ import annotations

from assets.questions.grammar import Window
from assets.questions.units import ADMISSION

WINDOW = Window(
    family="culture",
    unit=ADMISSION,
    words="between the first culture that grew an organism and discharge",
    lo="m.t0",
    hi="u.dischtime",
    anchor="positive_culture",
    start="collection of the first culture that grew an organism",
    rest="in the same admission",
)
