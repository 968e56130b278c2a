"""The first admission coded with a disease: codes have no time of their own, so the admission's counts."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import admissions, diagnosis_codes
from schemas.concepts import DiagnosisGroup, Pool


def _admissions(group: DiagnosisGroup) -> Stream:
    return Stream(
        target=diagnosis_codes(group),
        partner=admissions(),
        joined="y.hadm_id = x.hadm_id",
        words=Phrases(),
        time="y.admittime",
        end="y.dischtime",
    )


ANCHOR = Anchor(name="diagnosis", pool=Pool.DIAGNOSIS, event=_admissions)
