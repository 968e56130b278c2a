"""The first intravenous furosemide of the stay, bolus or infusion."""

from __future__ import annotations

from assets.questions.grammar import Anchor, Phrases, Stream
from schemas.questions import Role, Selection

FUROSEMIDE = 221794
"""Furosemide (Lasix), in `inputevents`."""

ANCHOR = Anchor(
    name="furosemide",
    pool=None,
    event=lambda: Stream(
        target=Selection(
            name="",
            role=Role.ANCHOR,
            table="inputevents",
            concept=f"itemid = {FUROSEMIDE}",
            support="amount > 0 AND statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
            label="intravenous furosemide",
            value=("amount",),
            time=("starttime",),
        ),
        words=Phrases(value="intravenous furosemide"),
        time="x.starttime",
        end="x.starttime",
        definition=f"input item {FUROSEMIDE} (Furosemide (Lasix)) with an amount above 0",
    ),
)
