"""Units with invasive ventilation in the ICU."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Cohort, Membership
from assets.questions.records import VENTILATION_WORDS, ventilation
from schemas.questions import Role

COHORT = Cohort(
    name="ventilated",
    pool=None,
    member=lambda: Membership(replace(ventilation(), role=Role.COHORT), link="stay_id"),
    words="{units} with invasive ventilation",
    definition=("invasive ventilation", VENTILATION_WORDS),
    units=frozenset({"admission", "stay"}),
)
