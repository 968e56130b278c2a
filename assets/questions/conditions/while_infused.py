"""While an infusion was running."""

from __future__ import annotations

from assets.questions.grammar import Condition, Phrases, Stream
from assets.questions.records import infusion_runs
from schemas.concepts import Infusion, Pool


def _runs(infusion: Infusion) -> Stream:
    return Stream(target=infusion_runs(infusion), words=Phrases(), time="x.starttime", end="x.endtime")


CONDITION = Condition(
    name="while_infused",
    pool=Pool.INFUSION,
    during=_runs,
    words="while the {condition} was running",
    # Infusions that change what is measured beside them.
    only=frozenset(
        {"norepinephrine", "phenylephrine", "propofol", "insulin_regular", "heparin", "fentanyl_concentrate"}
    ),
)
