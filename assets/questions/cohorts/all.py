"""Every unit."""

from __future__ import annotations

from assets.questions.grammar import Cohort

COHORT = Cohort(name="all", pool=None, member=None, words="all {units}")
