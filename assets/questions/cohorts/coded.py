"""Units coded with a disease."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from assets.questions.records import diagnosis_codes
from schemas.concepts import DiagnosisGroup, Pool


def member(group: DiagnosisGroup) -> Membership:
    """Diagnosis codes of the admission, or of any admission of the patient."""
    return Membership(diagnosis_codes(group), link="hadm_id")


COHORT = Cohort(name="coded", pool=Pool.DIAGNOSIS, member=member, words="{units} coded with {cohort}", least=15)
