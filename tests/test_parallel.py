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
    with pytest.raises(InputError, match="ended from outside"):
        list(parallel.side_by_side(killed, range(4), hospital))
    assert len(list(parallel.side_by_side(patients, range(4), hospital))) == 4
