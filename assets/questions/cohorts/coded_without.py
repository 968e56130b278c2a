"""Units coded with one disease and not with another: to isolate the first."""

from __future__ import annotations

from assets.questions.cohorts import coded
from assets.questions.grammar import Cohort
from schemas.concepts import Pool

CONFOUNDERS = frozenset(
    {
        "chronic_kidney_disease",
        "end_stage_renal_disease",
        "diabetes",
        "heart_failure",
        "copd",
        "cirrhosis",
        "metastatic_cancer",
        "leukemia",
        "lymphoma",
        "sepsis",
        "do_not_resuscitate",
        "palliative_care",
    }
)
"""Diseases that are set apart because they explain what is asked by themselves."""

COHORT = Cohort(
    name="coded_without",
    pool=Pool.DIAGNOSIS,
    member=coded.member,
    words="{units} coded with {cohort} but not with {cohort_not}",
    barred=CONFOUNDERS,
    least=15,
)
