"""Rates, intervals and comparisons, held against enumeration and against cases whose answer is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustgym.metrics import Metric, Moved, compare, metrics, pass_at_k, pass_hat_k, slices, transitions
from robustgym.metrics.comparing import holm, mcnemar
from robustgym.metrics.intervals import Ratio, Resampler
from robustgym.metrics.rates import ALL, MEANS
from robustgym.metrics.tallies import Tally, tallies
from schemas.noise import Level, Promise
from schemas.pairs import Condition, Split
from schemas.questions import Intent, Scope
from schemas.runs import EpisodeRecord, Stop, TaskFacts
from schemas.verdicts import Outcome, Transcript, Verdict

RIGHT = {Condition.CLEAN: Outcome.CORRECT, Condition.NOISE: Outcome.ABSTAINED_RIGHTLY}
WRONG = {Condition.CLEAN: Outcome.ABSTAINED_WRONGLY, Condition.NOISE: Outcome.WRONG}


def episode(
    pair: int, condition: Condition, trial: int, outcome: Outcome, *, patient: int | None = None, template: str = "t"
) -> EpisodeRecord:
    """An episode of a pair that ended so."""
    task = f"{2 * pair + (condition is Condition.NOISE):016x}"
    return EpisodeRecord(
        task_id=task,
        trial=trial,
        facts=TaskFacts(
            pair_id=f"p{pair}",
            condition=condition,
            split=Split.TEST,
            intent=list(Intent)[pair % 6],
            scope=Scope.PATIENT if patient is not None else Scope.POPULATION,
            level=Level.VALUE,
            operator="value_null",
            severity="all",
            origin="injected",
            promise=Promise.ABSTENTION,
            template=template,
            answerable=condition is Condition.CLEAN,
            subject_ids=() if patient is None else (patient,),
            subgroup={} if patient is None else {"sex": "F" if patient % 2 else "M"},
        ),
        transcript=Transcript(task_id=task),
        verdict=Verdict(task_id=task, outcome=outcome, reason="so it ended"),
        stop=Stop.SUBMITTED,
        turns=3,
        invalid_calls=1,
        seconds=0.5,
    )


def run(successes: Sequence[tuple[bool, bool]], trials: int = 1) -> tuple[Tally, ...]:
    """A run over pairs, each with its clean and its noise task right or wrong, in every trial the same."""
    return tallies(
        episode(
            pair, condition, trial, (RIGHT if right else WRONG)[condition], patient=pair // 2, template=f"t{pair % 3}"
        )
        for pair, both in enumerate(successes)
        for condition, right in zip(Condition, both, strict=True)
        for trial in range(trials)
    )


def named(found: Sequence[Metric]) -> dict[str, Metric]:
    return {m.name if m.condition == ALL else f"{m.name}_{m.condition}": m for m in found}


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_and_pass_hat_k_count_the_draws(case: tuple[int, int, int]) -> None:
    n, c, k = case
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert isclose(pass_at_k(n, c, k), sum(map(any, draws)) / len(draws))
    assert isclose(pass_hat_k(n, c, k), sum(map(all, draws)) / len(draws))


@pytest.mark.parametrize(("n", "c", "k"), [(2, 1, 3), (2, 3, 1), (2, 1, 0), (0, 0, 1)])
def test_a_chance_of_what_was_not_run_is_refused(n: int, c: int, k: int) -> None:
    for chance in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="number of episodes"):
            chance(n, c, k)


def test_rates_are_what_one_counts_by_hand() -> None:
    tasks = run([(True, True), (True, False), (False, False), (True, False)], trials=2)
    found = named(metrics(tasks, Resampler(tasks, "by hand"), k=2))
    assert found["success_clean"].value == 0.75
    assert found["success_noise"].value == 0.25
    assert found["success"].value == 0.5
    assert found["robustness_gap"].value == 0.5
    assert found["pair_success"].value == 0.25
    assert found["pass_hat_2_clean"].value == 0.75
    assert found["over_abstention"].value == 0.25
    assert found["unsupported_answers"].value == 0.75
    assert found["evidence_rate"].value == 1.0
    assert found["invalid_calls"].value == 1.0
    assert (found["success_clean"].n, found["success_clean"].episodes) == (4, 8)
    assert found["cost"].value is None
    assert found["cost"].n == 0


def test_what_was_not_judged_is_neither_right_nor_wrong() -> None:
    right = episode(0, Condition.CLEAN, 0, Outcome.CORRECT)
    unjudged = episode(0, Condition.CLEAN, 1, Outcome.UNJUDGED)
    failed = episode(0, Condition.CLEAN, 2, Outcome.NO_ANSWER).model_copy(update={"stop": Stop.FAILED})
    tasks = tallies([right, unjudged, failed])
    found = named(metrics(tasks, Resampler(tasks, "unjudged")))
    assert found["success"].value == 1.0
    assert found["unjudged"].value == pytest.approx(2 / 3)


def test_a_pair_succeeds_where_both_of_its_tasks_do_in_one_trial() -> None:
    outcomes = {Condition.CLEAN: (True, False), Condition.NOISE: (False, True)}
    tasks = tallies(
        episode(0, condition, trial, (RIGHT if right else WRONG)[condition])
        for condition, trials in outcomes.items()
        for trial, right in enumerate(trials)
    )
    assert named(metrics(tasks, Resampler(tasks, "pairs")))["pair_success"].value == 0.0


def test_the_transition_table_counts_pairs_by_what_both_tasks_came_to() -> None:
    tasks = run([(True, True), (True, False), (True, False), (False, True), (False, False)], trials=2)
    found = {t.way: (t.value, t.pairs, t.trials) for t in transitions(tasks, Resampler(tasks, "ways"))}
    assert found == {
        Moved.ROBUST: (0.2, 5, 2),
        Moved.BROKEN: (0.4, 5, 4),
        Moved.ONLY_NOISE: (0.2, 5, 2),
        Moved.NEITHER: (0.2, 5, 2),
    }
    # A pair of which one task could not be judged goes no way.
    assert transitions(tasks[:1], Resampler(tasks[:1], "half"))[0].value is None


def test_an_episode_told_twice_counts_once() -> None:
    first = episode(0, Condition.CLEAN, 0, Outcome.WRONG)
    again = episode(0, Condition.CLEAN, 0, Outcome.CORRECT)
    [task] = tallies([first, again])
    assert (task.n, task.c) == (1, 1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30), st.text(max_size=5))
def test_intervals_hold_their_value_and_come_out_the_same(successes: list[tuple[bool, bool]], name: str) -> None:
    tasks = run(successes)
    found = metrics(tasks, Resampler(tasks, name, draws=200))
    assert found == metrics(tuple(reversed(tasks)), Resampler(tasks, name, draws=200))
    for metric in found:
        if metric.low is not None and metric.high is not None:
            assert metric.value is not None
            assert metric.low <= metric.high
            assert metric.low >= -1
            assert metric.high <= 1 or metric.name in MEANS


def test_what_was_never_seen_may_still_happen() -> None:
    """Ten of ten patients right: a success rate of 69% would still do that in one of 40 cases."""
    tasks = tallies(episode(i, Condition.CLEAN, 0, Outcome.CORRECT, patient=i, template=f"t{i}") for i in range(10))
    found = named(metrics(tasks, Resampler(tasks, "all right")))
    assert found["success"].high == 1.0
    assert found["success"].low == pytest.approx(0.6915, abs=1e-4)
    assert found["no_answer"].low == 0.0
    assert found["no_answer"].high == pytest.approx(0.3085, abs=1e-4)
    assert found["invalid_calls"].low == 1.0  # a mean, not a share


def test_questions_of_two_patients_tell_less_than_those_of_forty() -> None:
    """Twenty questions to one patient say little of the next one."""

    def width(patients: int) -> float:
        outcomes = [RIGHT[Condition.CLEAN]] * 20 + [WRONG[Condition.CLEAN]] * 20
        tasks = tallies(
            episode(i, Condition.CLEAN, 0, outcome, patient=i * patients // 40, template=f"t{i}")
            for i, outcome in enumerate(outcomes)
        )
        metric = named(metrics(tasks, Resampler(tasks, "wide")))["success"]
        assert metric.low is not None
        assert metric.high is not None
        return metric.high - metric.low

    assert width(patients=2) > 1.5 * width(patients=40)


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Patients differ (success 0.3 or 0.9); 95% intervals of 60 drawn runs cover 0.6 in at least 85%."""
    rng = np.random.default_rng(7)
    covered = 0
    for round_ in range(60):
        records = []
        for patient in range(40):
            chance = 0.9 if rng.random() < 0.5 else 0.3
            for question in range(3):
                right = rng.random() < chance
                records.append(
                    episode(
                        3 * patient + question,
                        Condition.CLEAN,
                        0,
                        (RIGHT if right else WRONG)[Condition.CLEAN],
                        patient=patient,
                        template=f"t{3 * patient + question}",
                    )
                )
        tasks = tallies(records)
        ratio = Ratio([t.task_id for t in tasks], [float(t.c) for t in tasks], [1.0] * len(tasks))
        interval = Resampler(tasks, f"coverage {round_}", draws=300).interval(ratio)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 0.6 <= interval.high
    assert covered >= 51


@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_is_the_sign_test(only_one: int, only_other: int) -> None:
    n, seen = only_one + only_other, abs(only_one - only_other)
    outcomes = [bin(i).count("1") for i in range(2**n)] if n <= 12 else []
    if outcomes:
        far = sum(abs(2 * ones - n) >= seen for ones in outcomes)
        assert isclose(mcnemar(only_one, only_other), far / 2**n)
    assert mcnemar(only_one, only_other) == mcnemar(only_other, only_one)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_only_makes_p_values_larger_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(after >= before and after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    assert all(adjusted[a] <= adjusted[b] for a, b in pairwise(order))


def test_equal_runs_do_not_differ_and_opposite_ones_do() -> None:
    good, bad = run([(True, True)] * 20, trials=2), run([(False, False)] * 20, trials=2)
    same = compare({"a": good, "b": good}, k=2)
    assert {c.p_adjusted for c in same} == {1.0}
    apart = compare({"a": good, "b": bad}, k=2)
    assert [comparison.condition for comparison in apart] == ["clean", "clean", "noise", "noise"]
    for comparison in apart:
        assert comparison.difference == 1.0
        assert comparison.p < 0.01
        assert comparison.p_adjusted >= comparison.p
        assert comparison.tasks == 20


def test_runs_that_share_no_task_are_not_compared() -> None:
    one = run([(True, True)])
    other = tuple(replace(task, task_id=f"f{task.task_id[1:]}") for task in run([(True, True)]))
    assert compare({"a": one, "b": other}) == ()


def test_slices_hold_every_task_once() -> None:
    tasks = run([(True, False)] * 7)
    found: dict[str, list[str]] = {}
    for name, _, some in slices(tasks):
        assert some
        found.setdefault(name, []).extend(task.task_id for task in some)
    assert {"intent", "scope", "level", "operator", "origin", "register", "split", "sex"} <= set(found)
    for held in found.values():
        assert sorted(held) == [task.task_id for task in tasks]
