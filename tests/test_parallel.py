"""Worker processes: results in order, errors as they were raised, and a clear word when one is ended from outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from robustgym import parallel
from robustgym.hospital import Hospital
from schemas.errors import InputError, Problem
from tests.tiny_hospital import build


def patients(hospital: Hospital, item: int) -> tuple[int, int]:
    with hospital.session() as session:
        _, [(n,)] = session.fetch("SELECT count(*) FROM patients")
    return item, n


def refused(hospital: Hospital, item: int) -> int:
    raise InputError([Problem(f"item {item}", "is not wanted", "leave it out"), Problem("all", "are too many")])


def killed(hospital: Hospital, item: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return item


def settings(hospital: Hospital, item: int) -> tuple[float, str]:
    return hospital.seconds, hospital.warehouse.fingerprint


@pytest.fixture
def hospital(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hospital]:
    monkeypatch.setattr(parallel, "WORKERS", 2)
    with Hospital.open(build(tmp_path)) as opened:
        yield opened


def test_results_come_in_the_order_of_the_items(hospital: Hospital) -> None:
    found = list(parallel.side_by_side(patients, range(20), hospital))
    assert [item for item, _ in found] == list(range(20))
    assert {n for _, n in found} == {patients(hospital, 0)[1]}


def test_an_error_arrives_with_all_its_problems(hospital: Hospital) -> None:
    with pytest.raises(InputError) as caught:
        list(parallel.side_by_side(refused, range(4), hospital))
    assert [problem.where for problem in caught.value.problems] == ["all", "item 0"]
    assert len(list(parallel.side_by_side(patients, range(4), hospital))) == 4


def test_a_process_that_is_ended_from_outside_is_told(hospital: Hospital) -> None:
    with pytest.raises(InputError, match="ended before its work was done"):
        list(parallel.side_by_side(killed, range(4), hospital))
    assert len(list(parallel.side_by_side(patients, range(4), hospital))) == 4


def test_workers_open_the_hospital_as_it_is_and_as_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORKERS", 2)
    seen = set()
    for seed, seconds in ((0, 5.0), (1, 7.0)):
        with Hospital.open(build(tmp_path, seed), seconds=seconds) as opened:
            found = set(parallel.side_by_side(settings, range(4), opened))
            assert found == {(seconds, opened.warehouse.fingerprint)}
            seen |= found
    assert len({fingerprint for _, fingerprint in seen}) == 2


def test_another_number_of_workers_leaves_no_process_behind(
    hospital: Hospital, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(parallel.side_by_side(patients, range(4), hospital))
    before = parallel._pool
    monkeypatch.setattr(parallel, "WORKERS", 3)
    list(parallel.side_by_side(patients, range(4), hospital))
    assert before is not None
    assert parallel._pool is not None
    assert parallel._pool[1] is not before[1]
