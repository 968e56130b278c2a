"""Noise operator: the question names a year of the real calendar."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.questions import Question

COLLECTED = range(2008, 2023)
"""Years in which the patients of MIMIC-IV, up to version 3.1, were admitted."""


@noise_op(level="query", promise="abstention", severities={"all": {}}, realism=(37, 38))
def calendar_real(question: Question, rng: Random) -> Noise:
    """Ask about a calendar year in which the data were really collected.

    Every patient's dates are shifted into a future of their own, so "in 2015" matches nothing, and no two patients
    share a calendar. Who knows that MIMIC-IV covers 2008 to 2022 asks so all the same. `anchor_year_group` narrows a
    patient down to three years, never to one.

    Limits: no hospital could support it, as the shift is part of the publication; evidence is a look at the columns of
    the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No record of the question has a time.

    Examples:
        >>> from schemas.examples import median_glucose
        >>> question = median_glucose()
        >>> question.parameters.get("calendar_year"), calendar_real(question, Random(0)).parameters
        (None, {'calendar_year': 2021})

        >>> calendar_real(question.with_(selections=()), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: nothing in the question has a time
    """
    if not any(selection.time for selection in question.selections):
        raise NotApplicable("nothing in the question has a time")
    return Noise(parameters={"calendar_year": rng.choice(COLLECTED)}, schema_evidence=evidence_tables(question))
