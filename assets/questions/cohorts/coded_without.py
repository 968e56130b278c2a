"""Units coded with one disease and not with another: to isolate the first."""

from __future__ import annotations

from assets.questions.cohorts import coded
from assets.questions.grammar import Cohort
from schemas.concepts import Pool

COHORT = Cohort(
    name="coded_without",
    pool=Pool.DIAGNOSIS,
    member=coded.member,
    words="{units} coded with {cohort} but not with {cohort_not}",
    barred=True,
    least=15,
)
