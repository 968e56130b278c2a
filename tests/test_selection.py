"""What is published of what was made: the outcomes of a cell in balance, and silence no better than chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from assets.pairs.holding_out import NOTHING
from assets.pairs.noising import Candidates
from assets.pairs.selecting import Selection, select
from robustgym import consistency
from schemas.noise import Promise
from schemas.pairs import Pair, Split
from schemas.release import Profile
from tests.made_pairs import pair

EXTENDED = Profile.load("extended").model_copy(update={"natural": 0.0})
COUNTS = st.fixed_dictionaries({promise: st.integers(0, 20) for promise in Promise})


def made(counts: Mapping[Promise, int], split: Split = Split.TEST) -> list[Pair]:
    promises = [promise for promise, n in counts.items() for _ in range(n)]
    return [pair(n, promise=promise, split=split) for n, promise in enumerate(promises)]


def chosen(pairs: list[Pair], profile: Profile = EXTENDED) -> Selection:
    return select([Candidates("target_missing", tuple(pairs), (), ())], profile, 0, NOTHING)


def outcomes(selection: Selection) -> Counter[Promise]:
    return Counter(pair.noise.promise for pair in selection.pairs)


def test_a_cell_holds_as_many_of_every_outcome() -> None:
    found = outcomes(chosen(made(dict.fromkeys(Promise, 40))))
    assert sorted(found.values()) == [9, 9, 10]
    assert found[Promise.ABSTENTION] == 9


def test_where_one_outcome_is_rare_the_other_fills_in_and_silence_does_not() -> None:
    found = outcomes(chosen(made({Promise.ABSTENTION: 40, Promise.UNCHANGED: 3, Promise.RECOMPUTED: 40})))
    assert found == {Promise.ABSTENTION: 9, Promise.UNCHANGED: 3, Promise.RECOMPUTED: 16}


def test_a_cell_stays_short_rather_than_hold_too_many_abstentions() -> None:
    selection = chosen(made({Promise.ABSTENTION: 40, Promise.UNCHANGED: 4, Promise.RECOMPUTED: 0}))
    assert outcomes(selection) == {Promise.ABSTENTION: 2, Promise.UNCHANGED: 4}
    assert ("test, Labs, patient, record", "6 of 28 pairs") in selection.short
    assert sum(drop.n for drop in selection.drops) == 38


@settings(max_examples=40, deadline=None)
@given(counts=COUNTS, split=st.sampled_from(Split))
def test_silence_is_never_better_than_chance(counts: Mapping[Promise, int], split: Split) -> None:
    selection = chosen(made(counts, split))
    assert not list(consistency.abstentions(EXTENDED, selection.pairs))
    found = outcomes(selection)
    if found.total() > 1:
        assert found[Promise.ABSTENTION] * len(Promise) <= max(found.total(), len(Promise))


@settings(max_examples=10, deadline=None)
@given(counts=COUNTS)
def test_a_release_of_abstentions_alone_is_as_it_was(counts: Mapping[Promise, int]) -> None:
    paper = EXTENDED.model_copy(update={"promises": (Promise.ABSTENTION,)})
    pairs = made({Promise.ABSTENTION: counts[Promise.ABSTENTION]})
    assert len(chosen(pairs, paper).pairs) == min(28, len(pairs))


def test_too_many_abstentions_are_found_in_a_release() -> None:
    pairs = made({Promise.ABSTENTION: 4, Promise.UNCHANGED: 4, Promise.RECOMPUTED: 0})
    assert list(consistency.abstentions(EXTENDED, pairs)) == [
        "Cell test/Labs/patient/record: 4 of 8 noise tasks are to be abstained from, at most 2 may be."
    ]
    assert not list(consistency.abstentions(EXTENDED, pairs[2:]))
