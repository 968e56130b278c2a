"""The first dose of a drug, by the administration record."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import GIVEN_WORDS, doses_given
from schemas.concepts import Drug, Pool


def _doses(drug: Drug) -> Stream:
    return Stream(
        target=doses_given(drug),
        words=Phrases(counts=f"doses charted as {GIVEN_WORDS}"),
        time="x.charttime",
        end="x.charttime",
    )


ANCHOR = Anchor(
    name="dose",
    pool=Pool.GIVEN_DRUG,
    event=_doses,
    # Drugs whose effect on a result or a drain a clinician would look for.
    only=frozenset({"furosemide", "vancomycin", "heparin", "metoprolol", "insulin", "potassium chloride", "morphine"}),
)
