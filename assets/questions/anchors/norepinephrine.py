"""Norepinephrine: from its first start to its last stop within the stay."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from assets.questions.records import infusion_runs
from schemas.concepts import Infusion, Pool, load


def _runs() -> Stream:
    infusion = load().of(Pool.INFUSION)["norepinephrine"]
    assert isinstance(infusion, Infusion)
    return Stream(
        target=infusion_runs(infusion),
        words=Phrases(value="norepinephrine"),
        time="x.starttime",
        end="x.endtime",
        definition=f"{infusion.definition} with a rate above 0",
    )


ANCHOR = Anchor(name="norepinephrine", pool=None, event=_runs)
