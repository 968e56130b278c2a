"""What the oracle cannot prove is not published: it is chosen again without it, and said to be left out."""

from __future__ import annotations

from pathlib import Path

from assets.pairs.evidencing import evidences
from assets.pairs.proving import REASON, proven
from assets.pairs.selecting import Selection
from robustgym.hospital import Hospital
from schemas.noise import Promise
from schemas.overlays import Overlay
from schemas.pairs import Pair
from tests.tiny_release import publish


def test_a_pair_that_cannot_be_shown_is_left_out_and_counted(tmp_path: Path) -> None:
    release, warehouse = publish(tmp_path)
    pairs = release.pairs()
    good = next(p for p in pairs if p.clean.subject_ids)
    # Nothing lies over the hospital: what is said to be gone is still there.
    vain = {"pair_id": "vain", "overlay": Overlay(), "promise": Promise.ABSTENTION}
    bad = Pair(good.clean.model_copy(update=vain), good.noise.model_copy(update=vain))
    asked: list[frozenset[str]] = []

    def choose(without: frozenset[str]) -> Selection:
        asked.append(without)
        return Selection(pairs=tuple(p for p in (good, bad) if p.clean.pair_id not in without), drops=(), short=())

    with Hospital.open(warehouse) as hospital:
        assert evidences(hospital, good.noise)
        chosen = proven(choose, hospital)
    assert chosen.pairs == (good,)
    assert asked == [frozenset(), frozenset({"vain"})]
    [drop] = chosen.drops
    assert (drop.reason, drop.n, drop.operator) == (REASON, 1, good.clean.operator)
