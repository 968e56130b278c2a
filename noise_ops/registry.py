"""What makes a function a noise operator, and where operators are found: one file each, in this folder.

An operator is a pure function `name(question, rng, *, parameters) -> Noise` in the file `name.py`. The decorator states
what a signature cannot: the level, the promise, the severities, and the real faults it copies. Everything else is read
off the function. A file that breaks a rule fails when it is imported, with a sentence for each rule it breaks.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType, ModuleType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from noise_ops.faults import FAULTS
from schemas.errors import InputError, Problem
from schemas.noise import Level, Noise, Promise
from schemas.overlays import Value
from schemas.questions import Question, Record, Selection

FRAMEWORK = frozenset({"faults", "registry", "table"})
"""Modules of this package that hold no operator, beside those whose name begins with an underscore."""

ROOT = Path(__file__).parents[1]
"""The folder the packages lie in."""

VERSIONED = ("noise_ops.", "schemas.attributes", "schemas.questions", "schemas.units")
"""Modules whose text is part of the version of an operator that imports them: what they do shows in its overlays. Not
the framework's own."""

LevelName = Literal["record", "value", "query"]
PromiseName = Literal["abstention", "unchanged", "recomputed"]
F = TypeVar("F", bound=Callable[..., Noise])


class NotApplicable(Exception):
    """The operator has nothing to do with this question; the reason is counted and shown."""


@dataclass(frozen=True)
class Severity:
    """One strength of an operator: values of its parameters, and the promise where it is not the operator's own."""

    parameters: Mapping[str, Any]
    promise: PromiseName | None = None


Mended = Callable[[Record, Record, Mapping[str, Any]], Mapping[str, Value]]
"""Cells of a faulty record as they would be without the fault, from the record itself, a usable record of somebody else
as a model, and the ids of the unit asked about."""


@dataclass(frozen=True)
class Fault:
    """How records of one sort bear a fault by nature, without any operator: which do, and what would mend them."""

    where: str
    """SQL over the table's own columns: does a record of the concept (`Selection.concept`) bear it?"""
    mended: Mended
    usable: bool = False
    """Whether such records pass the support test one by one, and only contradict each other."""
    given: str = "TRUE"
    """SQL over what was counted of the unit, as in `Lack.where`: which questions such records leave unanswered."""


@dataclass(frozen=True)
class Lack:
    """How a unit lacks what is asked for by nature: nothing bears the fault, something is not there."""

    where: str
    """SQL over what was counted of the unit (`assets.questions.standing`): `n` records of the concept in its window,
    `usable` ones among them, `moments` at which those lie, `linked` to the unit's admission whenever they were, `ever`
    in the whole record of the patient, `days` the unit lasts; whether the question is about a `named` concept,
    `summed` up, so that to some readers nothing is an answer, or `timed`, so that the answer is a time or a number of
    hours; its `nth`, and the `from_day` a clause would count from (NULL where it has none)."""
    prolongs: bool = False
    """Whether the unit itself must last longer for the question to have an answer."""
    others: bool = False
    """Whether there are usable records, only not the one asked for. What is told elsewhere is then of those."""


Natural = Callable[[Selection], Fault | Lack]
"""How the records of a target bear an operator's fault by nature. Raises `NotApplicable` where they cannot."""


@dataclass(frozen=True)
class Operator:
    """A noise operator as the pipeline, the tests and the docs see it."""

    name: str
    level: Level
    promise: Promise
    """What the highest severity promises."""
    severities: Mapping[str, Severity]
    realism: tuple[int | str, ...]
    """Rows of `noise_ops.faults.FAULTS` it copies."""
    summary: str
    """First line of the docstring: what it does to the record."""
    function: Callable[..., Noise]
    version: str
    """sha256 of its file and of the helpers it imports, cut to 16 hex digits: equal text, equal noise."""
    file: str
    """`noise_ops/<name>.py`."""
    _arguments: type[BaseModel] = field(repr=False, compare=False)
    natural: Natural | None = None
    """How the same fault is found instead of made; None where it is not looked for."""

    def found_in(self, selection: Selection) -> Fault | Lack | None:
        """How records of this selection bear the fault by nature; None if they cannot, or nobody knows how.

        The rows that bear it are those of `selection.table` that meet `selection.concept` and the fault's `where`:

        >>> from noise_ops import operators
        >>> from schemas.examples import first_lactate
        >>> [lactates] = first_lactate().targets
        >>> operators()["deid_mask"].found_in(lactates).where
        "valuenum IS NULL AND value = '___' AND NOT regexp_matches(coalesce(comments, ''), '[0-9]')"
        """
        try:
            return self.natural(selection) if self.natural else None
        except NotApplicable:
            return None

    def promise_of(self, severity: str) -> Promise:
        """What becomes of the answer at that severity."""
        return Promise(self.severities[severity].promise or self.promise)

    def apply(self, question: Question, rng: Random, severity: str) -> Noise:
        """Make the noise.

        Args:
            question: The clean question.
            rng: The only source of randomness, seeded from the pair's name.
            severity: A key of `severities`.

        Raises:
            NotApplicable: The question has nothing this operator could touch.
            InputError: The operator has no such severity.
        """
        if severity not in self.severities:
            known = ", ".join(self.severities)
            raise InputError(Problem(self.file, f"there is no severity `{severity}`", f"choose one of {known}"))
        arguments = self._arguments(**self.severities[severity].parameters)
        return self.function(question, rng, **{name: getattr(arguments, name) for name in type(arguments).model_fields})


_DECLARED: dict[Callable[..., Noise], Operator] = {}


def noise_op(
    *,
    level: LevelName,
    promise: PromiseName,
    severities: Mapping[str, Severity | Mapping[str, Any]],
    realism: tuple[int | str, ...],
    natural: Natural | None = None,
) -> Callable[[F], F]:
    """Declare a function to be a noise operator and hand it back untouched.

    Args:
        level: Where the fault lies.
        promise: What becomes of the answer.
        severities: By name, weakest first, the values of the parameters; a `Severity` where the promise differs.
        realism: The faults it copies, as keys of `noise_ops.faults.FAULTS`.
        natural: How records bear the same fault by nature; it is then also looked for in the hospital as it is.

    Raises:
        InputError: The function breaks a rule; every rule it breaks is named.
    """
    strengths = {name: s if isinstance(s, Severity) else Severity(s) for name, s in severities.items()}

    def declare(function: F) -> F:
        path = Path(inspect.getfile(function))
        file = f"{path.parent.name}/{path.name}"
        problems = [Problem(file, what, do) for what, do in _faults_of(function, path.stem)]
        problems += [Problem(file, what, do) for what, do in _faults_in(level, promise, realism)]
        if problems:
            raise InputError(problems)
        arguments = _arguments(function)
        problems = [Problem(file, what, do) for what, do in _faults_among(strengths, arguments)]
        if problems:
            raise InputError(problems)
        _DECLARED[function] = Operator(
            name=function.__name__,
            level=Level(level),
            promise=Promise(promise),
            severities=MappingProxyType(strengths),
            realism=realism,
            summary=inspect.getdoc(function).splitlines()[0],  # type: ignore[union-attr]  # checked above
            function=function,
            version=_version(path),
            file=file,
            natural=natural,
            _arguments=arguments,
        )
        return function

    return declare


def declared(function: Callable[..., Noise]) -> Operator:
    """The operator that a function was declared to be.

    Raises:
        InputError: It was declared to be none.
    """
    if function not in _DECLARED:
        raise InputError(Problem(f"`{function.__name__}`", "this is no operator", "decorate it with `@noise_op`"))
    return _DECLARED[function]


@cache
def operators() -> Mapping[str, Operator]:
    """Every operator of this package, by level and then by name."""
    return discover(importlib.import_module("noise_ops"))


def discover(package: ModuleType) -> Mapping[str, Operator]:
    """The operators of a package: one per file.

    Args:
        package: A package; its modules are imported.

    Raises:
        InputError: A file that ought to hold an operator holds none, or one that breaks a rule.
    """
    found: dict[str, Operator] = {}
    problems: list[Problem] = []
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("_") or module.name in FRAMEWORK:
            continue
        try:
            loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        except InputError as error:
            problems.extend(error.problems)
            continue
        operator = _DECLARED.get(getattr(loaded, module.name, None))  # type: ignore[arg-type]  # None is no key
        if operator is None:
            where = f"{package.__name__.rpartition('.')[2]}/{module.name}.py"
            remedy = f"decorate `{module.name}` with `@noise_op`, or begin the file's name with an underscore"
            problems.append(Problem(where, "no operator has the name of this file", remedy))
        else:
            found[operator.name] = operator
    if problems:
        raise InputError(problems)
    order = list(Level)
    return MappingProxyType(dict(sorted(found.items(), key=lambda item: (order.index(item[1].level), item[0]))))


def _faults_of(function: Callable[..., Noise], stem: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the function itself: its name, docstring and signature."""
    if function.__name__ != stem:
        yield f"the operator is called `{function.__name__}`", f"give it the name of its file, `{stem}`"
    doc = inspect.getdoc(function) or ""
    if not doc:
        yield "the operator has no docstring", "say in its first line what it does to the record"
    elif not doc.splitlines()[0].endswith("."):
        yield "the docstring's first line is not a sentence", "end it with a full stop, on one line"
    if ">>>" not in doc:
        yield "the docstring has no example", "show a record before and after, in lines that begin with `>>>`"
    parameters = list(inspect.signature(function).parameters.values())
    if [p.name for p in parameters[:2]] != ["question", "rng"]:
        yield "the first two parameters are not `question` and `rng`", "begin the signature with them"
        return
    for parameter in parameters[2:]:
        if parameter.kind is not parameter.KEYWORD_ONLY or parameter.default is parameter.empty:
            yield f"parameter `{parameter.name}` must be keyword-only and have a default", "put it after a `*`"
        if parameter.annotation is parameter.empty:
            yield f"parameter `{parameter.name}` has no type", "annotate it, with its bounds"


def _faults_in(level: str, promise: str, realism: tuple[int | str, ...]) -> Iterator[tuple[str, str]]:
    """What is wrong with the words of the decorator."""
    if level not in get_args(LevelName):
        yield f"there is no level `{level}`", f"choose one of {', '.join(get_args(LevelName))}"
    if promise not in get_args(PromiseName):
        yield f"there is no promise `{promise}`", f"choose one of {', '.join(get_args(PromiseName))}"
    if not realism:
        yield "no real fault is named", "name those it copies in `realism`, by their keys in noise_ops/faults.py"
    for key in realism:
        if key not in FAULTS:
            yield f"`realism` names {key!r}", "name a key of noise_ops/faults.py"


def _faults_among(severities: Mapping[str, Severity], arguments: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """What is wrong with the severities: unknown parameters, values out of bounds, unknown promises."""
    if not severities:
        yield "there is no severity", "name at least one, `{'all': {}}`"
    for name, severity in severities.items():
        if severity.promise is not None and severity.promise not in get_args(PromiseName):
            choice = ", ".join(get_args(PromiseName))
            yield f"severity `{name}` promises `{severity.promise}`", f"choose one of {choice}"
        try:
            arguments(**severity.parameters)
        except ValidationError as error:
            for detail in error.errors():
                parameter = ".".join(str(part) for part in detail["loc"])
                if detail["type"] == "extra_forbidden":
                    known = ", ".join(arguments.model_fields) or "none"
                    yield f"severity `{name}` names the parameter `{parameter}`", f"the operator's parameters: {known}"
                else:
                    yield f"severity `{name}`, parameter `{parameter}`: {detail['msg']}", "stay within its bounds"


def _arguments(function: Callable[..., Noise]) -> type[BaseModel]:
    """The keyword parameters as a model that checks their types and bounds."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], parameter.default)
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    model: type[BaseModel] = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    return model


def _version(path: Path) -> str:
    """The hash of a file's text and of every versioned module it imports, however deep."""
    texts = {"": path.read_text(encoding="utf-8")}
    unread = list(_imported(texts[""]))
    while unread:
        module = unread.pop()
        source = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        if module not in texts and source.is_file():
            texts[module] = source.read_text(encoding="utf-8")
            unread.extend(_imported(texts[module]))
    return hashlib.sha256("\0".join(f"{name}\0{texts[name]}" for name in sorted(texts)).encode()).hexdigest()[:16]


@cache
def _imported(text: str) -> tuple[str, ...]:
    """Names a module imports that may be versioned modules; `from a import b` may mean a, or the module a.b."""
    return tuple(
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        if name.startswith(VERSIONED) and name.removeprefix("noise_ops.") not in FRAMEWORK
    )
