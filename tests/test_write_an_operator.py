"""Whoever follows the page on writing an operator, or takes `ops new` at its word, has one that keeps the contract."""

from __future__ import annotations

import doctest
import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noise_ops import Operator, _skeleton, discover, operators
from noise_ops._compose import strongest
from schemas.errors import InputError
from schemas.noise import Level, Promise
from tests import test_every_noise_op as contract

PAGE = Path(__file__).parents[1] / "docs" / "write_an_operator.md"

Made = Callable[[str], Operator]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of operators that can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "mine_" + hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    yield tmp_path / name
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def keeps_the_contract(folder: Path) -> Operator:
    """Put the only operator of a folder through its examples and everything that every operator owes."""
    [operator] = discover(importlib.import_module(folder.name)).values()
    module = importlib.import_module(f"{folder.name}.{operator.name}")
    ran = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert (ran.failed, ran.attempted > 1) == (0, True)
    contract.test_an_operator_says_what_it_does(operator)
    cases = contract.cases([operator])
    assert {case.severity for case in cases} == set(operator.severities)
    checks = [
        check
        for name, check in inspect.getmembers(contract, inspect.isfunction)
        if name.startswith("test_") and list(inspect.signature(check).parameters) == ["case"]
    ]
    assert len(checks) >= 8
    for check in checks:
        for case in cases:
            if operator.level is not Level.QUERY or check is not contract.test_the_promise_holds:
                check(case=case)
    return operator


def code_of_the_page() -> str:
    return PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


def test_the_operator_of_the_page_keeps_the_contract(folder: Path) -> None:
    (folder / "flag_missing.py").write_text(code_of_the_page())
    assert keeps_the_contract(folder).name == "flag_missing"


def test_the_contract_can_be_broken(folder: Path) -> None:
    text = code_of_the_page()
    broken = text.replace('{"flag": None}, share', '{"valuenum": 1.0, "flag": None}, share')
    assert broken != text
    (folder / "flag_missing.py").write_text(broken.replace("({'flag': 'abnormal'}, {'flag': None})", "..."))
    with pytest.raises(AssertionError):
        keeps_the_contract(folder)


@pytest.mark.parametrize("level", Level)
def test_a_new_operator_keeps_the_contract_as_it_is_written(level: Level, folder: Path) -> None:
    path = _skeleton.write("of_my_own", level, folder)
    assert path == folder / "of_my_own.py"
    operator = keeps_the_contract(folder)
    assert (operator.name, operator.level, operator.promise) == ("of_my_own", level, Promise.ABSTENTION)
    assert "SAY" in path.read_text()


@pytest.mark.parametrize(
    ("name", "level", "said"),
    [
        ("ValueNull", "value", "is no name of an operator"),
        ("_mine", "value", "is no name of an operator"),
        ("class", "value", "is no name of an operator"),
        ("a" * 33, "value", "is no name of an operator"),
        ("../value", "value", "is no name of an operator"),
        ("mine", "table", "there is no such level; choose one of record, value, query"),
        ("value_null", "value", "no file is overwritten"),
        ("registry", "value", "no file is overwritten"),
        ("there", "value", "no file is overwritten"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, level: str, said: str, folder: Path) -> None:
    (folder / "there.py").write_text("mine = 1\n")
    before = sorted(folder.iterdir())
    with pytest.raises(InputError, match=said):
        _skeleton.write(name, level, folder)
    assert sorted(folder.iterdir()) == before
    assert (folder / "there.py").read_text() == "mine = 1\n"


def test_every_fault_of_a_name_is_said_at_once(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        _skeleton.write("Mine", "table", folder)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("name", "parts"),
    [("respelled_duplicate", ("exact_duplicate", "unit_synonym")), ("struck_out", ("audit_rows", "value_null"))],
)
def test_a_composition_promises_what_its_stronger_part_does(name: str, parts: tuple[str, str]) -> None:
    one, two = (operators()[part] for part in parts)
    assert operators()[name].promise == strongest(one.function, two.function)
    assert operators()[name].promise in (one.promise, two.promise)


def test_a_composition_is_of_the_version_of_its_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import shutil

    from noise_ops import registry

    for room in ("noise_ops", "schemas"):
        shutil.copytree(registry.ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    before = registry._version(tmp_path / "noise_ops" / "struck_out.py")
    assert before == operators()["struck_out"].version
    part = tmp_path / "noise_ops" / "audit_rows.py"
    part.write_text(part.read_text() + "# changed")
    assert registry._version(tmp_path / "noise_ops" / "struck_out.py") != before
