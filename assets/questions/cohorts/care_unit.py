"""Units whose intensive care began in one care unit."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Cohort, Membership
from assets.questions.records import icu_stays
from schemas.concepts import CareUnit, Pool
from schemas.questions import Role


def _member(unit: CareUnit) -> Membership:
    stays = replace(
        icu_stays(), role=Role.COHORT, concept=f"first_careunit = '{unit.careunit}'", names=("first_careunit",)
    )
    return Membership(stays, link="stay_id")


COHORT = Cohort(
    name="care_unit",
    pool=Pool.CARE_UNIT,
    member=_member,
    words="{units} with intensive care beginning in the {cohort}",
    least=13,
    only=frozenset(
        {
            "Medical Intensive Care Unit (MICU)",
            "Surgical Intensive Care Unit (SICU)",
            "Medical/Surgical Intensive Care Unit (MICU/SICU)",
            "Trauma SICU (TSICU)",
            "Cardiac Vascular Intensive Care Unit (CVICU)",
            "Coronary Care Unit (CCU)",
        }
    ),
    units=frozenset({"admission", "stay"}),
)
