"""Units with any result of a laboratory item beyond its threshold."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Cohort, Membership
from assets.questions.records import lab_results
from assets.questions.sql import number
from schemas.concepts import Lab, Pool
from schemas.questions import Role


def _member(lab: Lab) -> Membership:
    results = lab_results(lab)
    beyond = f"valuenum {'>' if lab.worse == 'high' else '<'} {number(lab.threshold or 0)}"
    results = replace(results, role=Role.COHORT, support=f"{results.support} AND {beyond}")
    return Membership(results, link="subject_id", more="c.charttime >= {start} AND c.charttime < {end}")


ALARMING = frozenset(
    {
        "potassium",
        "sodium",
        "creatinine",
        "lactate",
        "ph_blood",
        "glucose",
        "hemoglobin",
        "platelets",
        "bilirubin_total",
        "inr",
        "pco2",
        "bicarbonate",
    }
)
"""Results that change what is done at once; a raised basophil count makes no cohort."""

COHORT = Cohort(
    name="abnormal_lab",
    pool=Pool.LAB,
    member=_member,
    words="{units} with any {cohort} {cohort_beyond}",
    only=ALARMING,
    units=frozenset({"admission", "stay"}),
)
