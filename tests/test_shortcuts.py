"""What a classifier may learn from a question before it reads a record: nothing, where only the record is at fault."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random

import pytest

from assets.validation.shortcuts import GROUPS, LEAST, broken, shortcuts
from assets.validation.visible import NUMBERS, visible
from schemas.noise import Level
from schemas.pairs import Condition, GoldRow, Split, Task
from schemas.release import Shortcut
from tests.made_pairs import POTASSIUM, pair

Ask = Callable[[Random, int], str]
Ids = Callable[[str, Condition], str]


def admission(rng: Random, first: int = 20_000_000) -> str:
    return str(rng.randrange(first, first + 9_999_999))


def same(rng: Random, n: int) -> str:
    return f"What was the first potassium of admission {admission(rng)}? Sort {n % 7}."


def hashed(name: str, condition: Condition) -> str:
    return hashlib.sha256(f"{name}{condition}".encode()).hexdigest()[:16]


def release(
    level: Level, operator: str, clean: Ask = same, noise: Ask | None = None, ids: Ids = hashed
) -> list[GoldRow]:
    """Seventy-two pairs of one operator, a third of them to test with; without `noise` both tasks ask the same."""
    rows: list[GoldRow] = []
    for n in range(72):
        rng = Random(n)
        asked = clean(rng, n)
        other = noise(rng, n) if noise else asked
        two = pair(
            n,
            question=asked,
            noise={"question": other},
            split=Split.TRAIN if n % 3 else Split.TEST,
            level=level,
            operator=operator,
            template=f"template {n % 9}",
        )
        rows += [row.model_copy(update={"task_id": ids(row.pair_id, row.condition)}) for row in two]
    return rows


def of(found: tuple[Shortcut, ...], name: str) -> Shortcut:
    return next(one for one in found if one.of == name)


def test_pairs_that_ask_the_same_give_nothing_away() -> None:
    found = shortcuts(release(Level.RECORD, "target_missing"))
    record = of(found, "record level")
    assert record.auc is not None
    assert abs(record.auc - 0.5) < 0.2
    assert (record.train_pairs, record.test_pairs) == (48, 24)
    assert not broken(found)
    assert {one.of for one in found if one.auc is None} == {g.name for g in GROUPS} - {"record level"}


@pytest.mark.parametrize(
    ("noise", "tell"),
    [
        (lambda rng, n: same(rng, n).replace("first", "fourth"), "`first` (clean)"),
        (lambda rng, n: same(rng, n) + " Take your time, and be sure to look everywhere.", ""),
    ],
    ids=["a word", "length"],
)
def test_words_that_give_the_condition_away_break_the_bound(noise: Ask, tell: str) -> None:
    found = shortcuts(release(Level.QUERY, "ordinal_absent", noise=noise))
    query = of(found, "query level, fault in the record")
    assert query.auc is not None
    assert query.auc > 0.95
    assert tell in " ".join(query.tells)
    [sentence] = broken(found)
    assert sentence.startswith("query level, fault in the record: the condition can be told before the first query")
    assert of(found, "operator ordinal_absent").auc == query.auc


def test_a_range_of_ids_gives_it_away() -> None:
    low = release(
        Level.QUERY,
        "wrong_link",
        clean=lambda rng, n: f"What was the potassium of {admission(rng, 20_000_000)}?",
        noise=lambda rng, n: f"What was the potassium of {admission(rng, 23_000_000)}?",
    )
    auc = of(shortcuts(low), "query level, fault in the record").auc
    assert auc is not None
    assert auc > 0.6


def test_ids_and_the_order_of_the_file_are_looked_at() -> None:
    telling = release(
        Level.VALUE, "value_null", ids=lambda name, c: ("0" if c is Condition.CLEAN else "f") + hashed(name, c)[1:]
    )
    found = shortcuts(telling)
    assert of(found, "value level").broken
    assert len(broken(found)) == 1


def test_words_that_are_the_fault_are_told_and_not_judged() -> None:
    found = shortcuts(release(Level.QUERY, "schema_absent", noise=lambda rng, n: f"What did it cost? {admission(rng)}"))
    money = of(found, "operator schema_absent")
    assert money.auc is not None
    assert money.auc > 0.95
    assert money.bound is None
    assert not broken(found)


def test_the_same_pairs_give_the_same_figures_in_any_order() -> None:
    rows = release(Level.QUERY, "time_out", noise=lambda rng, n: same(rng, n + 1))
    assert shortcuts(rows) == shortcuts(rows[::-1])


def test_few_pairs_are_not_measured() -> None:
    few = release(Level.RECORD, "target_missing")[: 2 * LEAST]
    assert all(one.auc is None and one.why for one in shortcuts(few))
    assert not broken(shortcuts(few))


def test_a_bound_is_broken_when_the_whole_interval_lies_above_it() -> None:
    one = Shortcut(of="record level", auc=0.6, low=0.54, high=0.66, bound=0.55, train_pairs=9, test_pairs=9)
    assert not one.broken
    assert one.model_copy(update={"low": 0.56}).broken
    assert not one.model_copy(update={"low": 0.56, "bound": None}).broken


def test_every_number_has_a_name() -> None:
    tasks = [
        Task(task_id=hashed(str(n), Condition.CLEAN), question=f"First or 3rd of {n}?", answer=POTASSIUM)
        for n in range(3)
    ]
    assert all(len(one.numbers) == len(NUMBERS) for one in visible(tasks))
    assert "#" in visible(tasks)[0].masked
