"""Labelled transcripts: what must count as evidence for an abstention, and what must not."""

from __future__ import annotations

import ast
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import duckdb
import pytest

from robustgym.guard import Refused
from robustgym.hospital import Hospital
from robustgym.shown import ROWS, Shown, cut, scrub
from robustgym.verifier.evidence import Counterfactual, NotReproduced, World, evident
from schemas.verdicts import Call, Transcript
from tests.shared_cases import cases

MOST_FALSE_REJECTS = 2
"""Of the 197 true ones: `max(subject_id)`, or a list beyond it, as proof that a patient does not exist."""


class Views:
    """A hospital whose overlay is given as the views' own text, as the shared cases give it."""

    def __init__(self, hospital: Hospital, views: Mapping[str, str], only: Mapping[str, str]) -> None:
        self.hospital, self.cursor = hospital, hospital.cursor()
        for table in sorted(hospital.tables):
            rows = views.get(table, f"SELECT * FROM w.{table}")
            rows = f"SELECT * FROM ({rows}) WHERE {only[table]}" if table in only else rows
            self.cursor.execute(f"CREATE TEMP VIEW {table} AS {rows}")

    def __call__(self, transcript: Transcript) -> list[Shown]:
        names: dict[str, Any] = {"query": self.frame}
        return [
            self.show(call.arguments["statement"]) if call.tool == "sql" else run(call.arguments["code"], names)
            for call in transcript.calls
        ]

    def show(self, statement: str) -> Shown:
        try:
            if self.hospital.guard.read(statement).lists_tables:
                return Shown(("name",), tuple((name,) for name in sorted(self.hospital.tables)))
            result = self.cursor.execute(statement)
            columns = [column[0] for column in result.description]
            rows = result.fetchmany(ROWS + 1)
            self.cursor.abort()
            return cut(columns, rows[:ROWS], more=len(rows) > ROWS)
        except Refused as error:
            return Shown(error=str(error))
        except duckdb.Error as error:
            return Shown(error=scrub(error))

    def frame(self, statement: str) -> Any:
        self.hospital.guard.read(statement)
        return self.cursor.execute(statement).df().convert_dtypes()


def run(code: str, names: dict[str, Any]) -> Shown:
    """A cell of Python, its last expression printed. Only ever given the shared cases."""
    tree, printed = ast.parse(code), io.StringIO()
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        shown = ast.parse("_ = 0\nif _ is not None: print(_)").body
        shown[0].value = tree.body[-1].value  # type: ignore[attr-defined]
        tree.body[-1:] = shown
    try:
        with redirect_stdout(printed):
            exec(compile(ast.fix_missing_locations(tree), "cell", "exec"), names)
    except (AttributeError, KeyError, Refused, duckdb.Error) as error:
        return Shown(error=str(error))
    return Shown(("output",), ((printed.getvalue(),),))


@pytest.fixture(scope="module")
def hospital(demo_warehouse: Path) -> Iterator[Hospital]:
    pytest.importorskip("pandas")
    with Hospital.open(demo_warehouse) as found:
        yield found


def counterfactual(hospital: Hospital, pair: dict[str, Any]) -> Counterfactual:
    def world(views: Mapping[str, str]) -> World:
        return World(Views(hospital, views, {}), Views(hospital, views, pair["assoc"]))

    ids = [str(slot[key]) for slot in ({"subject_id": pair.get("S"), "hadm_id": pair.get("H")},) for key in slot]
    # Where the fault lies in a dictionary, no patient need be named.
    named = any("subject_id" in slot or "hadm_id" in slot for slot in pair["slots"])
    worlds = [world(pair["supported"]), *(world(views) for views in pair.get("worlds", ()))]
    return Counterfactual(world(pair["noise"]), worlds, frozenset(ids) if named else frozenset())


def test_the_shared_transcripts_are_told_apart(hospital: Hospital) -> None:
    found, pairs = cases("evidence_cases.jsonl"), cases("evidence_pairs.json")
    assert len(found) >= 600
    counterfactuals = {pair["pair"]: counterfactual(hospital, pair) for pair in pairs}
    wrong: dict[str, list[str]] = {"accepted": [], "rejected": []}
    told: Counter[bool] = Counter()
    for case in found:
        judged = counterfactuals[case["pair"]]
        calls = tuple(
            Call(
                tool=c["tool"],
                arguments={"statement": c["sql"]} if c["tool"] == "sql" else {"code": c["code"]},
                shown={},
            )
            for c in case["transcript"]
        )
        transcript = Transcript(task_id="0" * 16, calls=calls)
        shown = judged.noisy.whole(transcript)
        calls = tuple(c.model_copy(update={"shown": s.as_dict()}) for c, s in zip(calls, shown, strict=True))
        evidence = evident(Transcript(task_id="0" * 16, calls=calls), judged) is not None
        told[case["evidence"]] += 1
        if evidence != case["evidence"]:
            wrong["accepted" if evidence else "rejected"].append(f"{case['pair']} {case['tag']}")
    assert told[True] >= 190
    assert wrong["accepted"] == []
    assert len(wrong["rejected"]) <= MOST_FALSE_REJECTS


def test_what_was_recorded_is_reproduced(hospital: Hospital) -> None:
    """Statements of the shared cases show today what they showed when they were recorded."""
    pairs = {pair["pair"]: pair for pair in cases("evidence_pairs.json")}
    unjudged = []
    for case in cases("evidence_cases.jsonl"):
        if not case["transcript"] or any(call["tool"] != "sql" for call in case["transcript"]):
            continue
        calls = tuple(Call(tool="sql", arguments={"statement": c["sql"]}, shown=c["shown"]) for c in case["transcript"])
        noisy = Views(hospital, pairs[case["pair"]]["noise"], {})
        try:
            evident(Transcript(task_id="0" * 16, calls=calls), Counterfactual(World(noisy, noisy), [], frozenset()))
        except NotReproduced:
            unjudged.append(f"{case['id']} {case['tag']}")
    # Which rows come first in a truncated dump depends on the order of the rows below, which is ours here.
    assert {name.split()[1] for name in unjudged} <= {"dump_truncated", "dump_patient_truncated"}


def test_what_a_clock_says_is_no_evidence() -> None:
    """A cell that was early when it was recorded, and is late in every replay, differs everywhere and shows nothing."""
    late = [Shown(("output",), (("10000007 late late late late",),))]
    world = World(lambda transcript: late, lambda transcript: late)
    early = Call(tool="python", arguments={"code": "..."}, shown=Shown(("output",), (("10000007 early",),)).as_dict())
    transcript = Transcript(task_id="0" * 16, calls=(early,))
    judged = Counterfactual(world, [world], frozenset({"10000007"}))
    assert evident(transcript, judged, recorded=True) is None


def test_what_a_clock_says_between_two_replays_is_no_evidence() -> None:
    """Early when it was recorded and in the first replay of the same hospital, late from then on."""
    shown = iter(["early", *["late late late late"] * 9])

    def run(transcript: Transcript) -> list[Shown]:
        return [Shown(("output",), ((f"10000007 {next(shown)}",),))]

    early = Call(tool="python", arguments={"code": "..."}, shown=Shown(("output",), (("10000007 early",),)).as_dict())
    transcript = Transcript(task_id="0" * 16, calls=(early,))
    judged = Counterfactual(World(run, run), [World(run, run)], frozenset({"10000007"}))
    assert evident(transcript, judged, recorded=True) is None
