"""Units of patients of an age or older when the unit began. Masked ages (91 for above 89) are old enough for any."""

from __future__ import annotations

from assets.questions.grammar import Cohort, Membership
from schemas.concepts import Pool, Term
from schemas.questions import Role, Selection


def _member(limit: Term) -> Membership:
    people = Selection(
        name="",
        role=Role.COHORT,
        table="patients",
        support="anchor_age >= 0 AND anchor_year IS NOT NULL",
        label="age",
        value=("anchor_age",),
    )
    years = f"c.anchor_age + date_part('year', {{start}}) - c.anchor_year >= {limit.id}"
    return Membership(people, link="subject_id", more=years)


COHORT = Cohort(
    name="aged",
    pool=Pool.AGE,
    member=_member,
    words="{units} of patients aged {cohort}",
    units=frozenset({"admission", "stay"}),
)
