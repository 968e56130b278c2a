"""A noise operator is found by its file alone, and a file that breaks a rule says so when it is imported."""

from __future__ import annotations

import hashlib
import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from noise_ops import discover, operators, registry
from noise_ops.faults import FAULTS
from noise_ops.registry import FRAMEWORK, ROOT
from noise_ops.table import describe, fault_table, operator_table
from schemas.attributes import ATTRIBUTES
from schemas.errors import InputError
from schemas.examples import first_lactate, median_glucose
from schemas.questions import Intent
from schemas.tables import TABLES
from schemas.units import SPELLINGS

OPERATOR = '''
from random import Random
from typing import Annotated

from annotated_types import Interval

from noise_ops import noise_op
from schemas.noise import Noise
from schemas.overlays import Overlay
from schemas.questions import Question


@noise_op(level="record", promise="abstention", severities={"all": {"share": 1.0}}, realism=(11,))
def lose_all(question: Question, rng: Random, *, share: Annotated[float, Interval(gt=0, le=1)] = 1.0) -> Noise:
    """Remove every target.

    >>> lose_all(None, None)
    """
    edits = tuple(e for selection in question.targets for e in question.delete(selection, share, rng))
    return Noise(overlay=Overlay(edits=edits))
'''

Package = Callable[..., ModuleType]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Make an importable package of these files."""
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "ops_" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]

    def make(**files: str) -> ModuleType:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        for stem, text in files.items():
            (tmp_path / name / f"{stem}.py").write_text(text)
        return importlib.import_module(name)

    yield make
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def test_one_file_is_enough(package: Package) -> None:
    found = discover(package(lose_all=OPERATOR, _helper="", registry=""))
    assert list(found) == ["lose_all"]
    noise = found["lose_all"].apply(first_lactate(), Random(0), "all")
    assert [edit.kind for edit in noise.overlay.edits] == ["delete", "delete"]


def test_every_file_of_this_package_is_an_operator_a_helper_or_the_framework() -> None:
    folder = Path(importlib.import_module("noise_ops").__file__ or "").parent
    stems = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert stems - FRAMEWORK == set(operators())


def test_the_version_is_that_of_the_text(package: Package) -> None:
    second = OPERATOR.replace("lose_all", "lose_both")
    one, two = discover(package(lose_all=OPERATOR, lose_both=second)).values()
    assert one.version != two.version
    assert len({operator.version for operator in operators().values()}) == len(operators())


def test_the_version_counts_the_helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("noise_ops", "schemas"):
        shutil.copytree(ROOT / room, tmp_path / room)
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    operator = tmp_path / "noise_ops" / "value_null.py"
    before = registry._version(operator)
    assert before == operators()["value_null"].version
    deep = tmp_path / "noise_ops" / "_ids.py"  # imported by _edits, which the operator imports
    deep.write_text(deep.read_text() + "# changed")
    assert registry._version(operator) != before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "def lose_all",
            "def lose_some",
            "the operator is called `lose_some`; give it the name of its file, `lose_all`",
        ),
        ("    >>> lose_all(None, None)\n", "", "the docstring has no example; show a record before and after"),
        ("Remove every target.", "Remove every target", "the docstring's first line is not a sentence"),
        (
            "*, share: Annotated[float, Interval(gt=0, le=1)] = 1.0",
            "share: float",
            "parameter `share` must be keyword-only",
        ),
        ("*, share: Annotated[float, Interval(gt=0, le=1)] = 1.0", "*, share=1.0", "parameter `share` has no type"),
        ("question: Question, rng: Random", "question: Question, dice: Random", "are not `question` and `rng`"),
        ('level="record"', 'level="table"', "there is no level `table`; choose one of record, value, query"),
        ('promise="abstention"', 'promise="silence"', "there is no promise `silence`; choose one of abstention"),
        ('{"all": {"share": 1.0}}', "{}", "there is no severity"),
        (
            '{"share": 1.0}',
            '{"part": 1.0}',
            "severity `all` names the parameter `part`; the operator's parameters: share",
        ),
        (
            '{"share": 1.0}',
            '{"share": 2.0}',
            "severity `all`, parameter `share`: Input should be less than or equal to 1",
        ),
        ("realism=(11,)", "realism=(1100,)", "`realism` names 1100; name a key of noise_ops/faults.py"),
        ("realism=(11,)", "realism=()", "no real fault is named"),
        ("@noise_op(", "_ = dict(", "no operator has the name of this file; decorate `lose_all` with `@noise_op`"),
    ],
)
def test_a_rule_broken_is_a_sentence(package: Package, old: str, new: str, sentence: str) -> None:
    assert old in OPERATOR
    with pytest.raises(InputError) as caught:
        discover(package(lose_all=OPERATOR.replace(old, new)))
    assert sentence in str(caught.value)
    assert "/lose_all.py: " in str(caught.value)


def test_every_broken_rule_is_said_at_once(package: Package) -> None:
    broken = OPERATOR.replace('level="record"', 'level="table"').replace("realism=(11,)", "realism=()")
    with pytest.raises(InputError) as caught:
        discover(package(lose_all=broken, other="", third=OPERATOR))
    assert len(caught.value.problems) == 4


def test_an_unknown_severity_is_a_sentence() -> None:
    with pytest.raises(InputError, match="there is no severity `most`; choose one of half, all"):
        operators()["value_null"].apply(first_lactate(), Random(0), "most")


def test_a_severity_may_promise_less_than_its_operator() -> None:
    value_null = operators()["value_null"]
    assert [value_null.promise_of(severity).value for severity in value_null.severities] == ["recomputed", "abstention"]


def test_a_partial_severity_hits_part_of_the_patients() -> None:
    [edit] = operators()["value_null"].apply(median_glucose(), Random(0), "half").overlay.edits
    assert edit.kind == "update_where"
    assert "% 65521 < 32760" in edit.where


def test_the_tables_name_every_operator_and_every_cited_fault() -> None:
    table = operator_table()
    assert all(f"| `{name}` |" in table for name in operators())
    cited = {key for operator in operators().values() for key in operator.realism}
    assert len(fault_table().splitlines()) == 2 + len(cited)
    assert cited <= set(FAULTS)


def test_describing_an_operator_nobody_wrote_is_a_sentence() -> None:
    assert describe("implausible")["severities"]["sentinel"]["parameters"] == {"how": "sentinel"}
    with pytest.raises(InputError, match="operator `nothing`: there is none of that name"):
        describe("nothing")


def test_no_column_holds_an_absent_attribute() -> None:
    parts = {part for table in TABLES.values() for name in table.names for part in name.lower().split("_")}
    for attribute in ATTRIBUTES.values():
        assert not parts.intersection(attribute.words), attribute.id


def test_every_intent_has_an_absent_attribute() -> None:
    assert {intent for attribute in ATTRIBUTES.values() for intent in attribute.intents} == set(Intent)


def test_a_spelling_belongs_to_one_unit() -> None:
    listed = [spelling for line in SPELLINGS for spelling in line]
    assert len(listed) == len(set(listed))
