"""As an analyst specifies a figure: subject or cohort, then what to compute, in whole names."""

from __future__ import annotations

from assets.questions.wording.register import Register

REGISTER = Register(
    name="analyst",
    one="For the analysis of {whom}, determine {asked}",
    many="For the analysis, the cohort is {whom}; determine {asked}",
    noun=True,
    article="the ",
    outright=("For the analysis of {whom}: {asked}", "For the analysis, the cohort is {whom}: {asked}"),
)
