"""As an abstractor's sheet lists what to look up: clipped, abbreviated, the chart first."""

from __future__ import annotations

from assets.questions.wording.register import Register

REGISTER = Register(
    name="chart_review",
    one="Chart review, {whom}: {asked}",
    many="Chart review, {whom}: {asked}",
    unit="{patient}, {noun} {id}",
    noun=True,
    check="yes or no, {measure} {when}",
    brief=True,
    clipped=True,
)
