"""Only what can be shown is published: an abstention that no agent could prove would be nobody's success."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from assets.pairs.asking import Progress
from assets.pairs.evidencing import evidences
from assets.pairs.selecting import Selection
from robustgym.hospital import Hospital
from robustgym.parallel import side_by_side
from schemas.noise import Promise
from schemas.pairs import Pair
from schemas.release import Drop

REASON = "no evidence: neither the reference nor the witness shows what takes the support away"


def proven(
    choose: Callable[[frozenset[str]], Selection], hospital: Hospital, progress: Progress | None = None
) -> Selection:
    """Choose pairs, and choose again without those that the oracle cannot prove, until it proves them all.

    Args:
        choose: Makes the selection without the pairs of these ids.
        hospital: The clean hospital.
        progress: Told how far it has come.
    """
    shown: dict[str, bool] = {}
    unproven: dict[str, Pair] = {}
    while True:
        chosen = choose(frozenset(unproven))
        fresh = {
            pair.noise.pair_id: pair
            for pair in chosen.pairs
            if pair.noise.promise is Promise.ABSTENTION and pair.noise.pair_id not in shown
        }
        tasks = [pair.noise for pair in fresh.values()]
        for row, evident in zip(tasks, side_by_side(evidences, tasks, hospital, chunk=8), strict=True):
            shown[row.pair_id] = evident
            if progress:
                progress("proving abstentions", len(shown), len(shown) + len(tasks))
        unproven |= {name: pair for name, pair in fresh.items() if not shown[name]}
        if all(shown[name] for name in fresh):
            break
    counted = Counter(
        (row.intent, row.scope, row.template, row.operator, row.severity)
        for row in (pair.clean for pair in unproven.values())
    )
    drops = tuple(
        Drop(stage="selection", intent=i, scope=s, template=t, operator=o, severity=v, reason=REASON, n=n)
        for (i, s, t, o, v), n in sorted(counted.items())
    )
    return replace(chosen, drops=(*chosen.drops, *drops))
