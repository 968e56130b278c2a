"""Templates for people: one in full, and what to say of an id that is none."""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from itertools import islice
from typing import Any

import sqlglot

from assets.questions.asking import ask
from assets.questions.catalogue import catalogue
from assets.questions.complexity import complexity
from assets.questions.legality import problems
from assets.questions.sampling import fillings, slots_of
from assets.questions.template import Template, admissible
from assets.questions.wording import registers
from schemas.answers import AnswerKind
from schemas.concepts import load
from schemas.errors import InputError, Problem
from schemas.overlays import Value
from schemas.questions import Role, Scope, Selection

EXAMPLE_IDS: dict[str, Value] = {"subject_id": 10000001, "hadm_id": 20000001, "stay_id": 30000001}
"""Ids that no patient of MIMIC-IV has to have: examples are about the words."""


def template_named(id_: str) -> Template:
    """The template of that id, released or not.

    Raises:
        InputError: It is none; the message names those that look alike.

    >>> template_named("labs-patient-lab-admission-nht")
    Traceback (most recent call last):
    schemas.errors.InputError: labs-patient-lab-admission-nht: no template has this id; say `labs-patient...
    """
    try:
        return Template.parse(id_)
    except ValueError:
        alike = get_close_matches(id_, [template.id for template in catalogue()], cutoff=0.5)
        listed = ", ".join(f"`{other}`" for other in alike)
        do = f"say {listed}, or " if alike else ""
        raise InputError(Problem(id_, "no template has this id", f"{do}look at `robustgym questions list`")) from None


def example(template: Template) -> dict[str, Value]:
    """The parameters of one question of a template."""
    filling = next(islice(fillings(template, load(), "example"), 1), {})
    if template.scope is Scope.PATIENT:
        filling |= {column: EXAMPLE_IDS[column] for column in template.unit.ids}
    return filling


def describe(template: Template) -> dict[str, Any]:
    """One template in full, as JSON has it.

    >>> told = describe(Template.parse("labs-patient-lab-after_dose_48h-worst"))
    >>> told["coordinates"]["window"]
    {'name': 'after_dose_48h', 'meaning': 'Two days after the first dose of a drug: effect or harm.'}
    >>> told["takes"]["anchor"], sorted(told["wording"])
    ('7 of given drug', ['analyst', 'chart_review', 'conversation', 'order', 'plain'])
    """
    parameters = example(template)
    question = ask(template, parameters)
    found = complexity(template)
    wrong = problems(template)
    return {
        "id": template.id,
        "intent": template.intent.value,
        "scope": template.scope.value,
        "answer": answer_name(template),
        "contract": question.answer.contract,
        "released": template in catalogue(),
        "legal": {"problems": wrong, "because": [] if wrong else reasons(template)},
        "coordinates": coordinates(template),
        "takes": takes(template),
        "wording": wordings(template, parameters),
        "example": {"parameters": parameters, "text": question.text},
        "records": [_record(s) for s in question.selections if s.role is not Role.ROUTE],
        "routes": [_record(s) for s in question.selections if s.role is Role.ROUTE],
        "tables": list(found.tables),
        "components": {
            "compiled": found.compiled.total,
            "normalised": found.normalised.total,
            "by kind": {kind: n for kind, n in found.normalised._asdict().items() if n},
        },
        "reference_sql": pretty(question.reference_sql),
    }


def coordinates(template: Template) -> dict[str, dict[str, str]]:
    """Every coordinate with its name and what it means, in the order of the id."""
    named = (
        ("kind", template.kind_name, ""),
        ("window", template.window_name, "windows"),
        ("compared with", template.versus, "windows"),
        ("anchor", template.anchor.name if template.anchor else "", "anchors"),
        ("selector", template.selector_name, "selectors"),
        ("condition", template.condition_name, "conditions"),
        ("cohort", template.cohort_name, "cohorts"),
        ("aggregator", template.aggregator_name, "aggregators"),
    )
    said = {
        part: {"name": name, "meaning": meaning(folder, name) if folder else _first_line(template.kind.stream.__doc__)}
        for part, name, folder in named
        if name
    }
    return {"unit": {"name": template.unit.name, "meaning": f"One {template.unit.noun}."}} | said


def meaning(folder: str, name: str) -> str:
    """What a word of the grammar means: the first line of its file.

    >>> meaning("selectors", "worst"), meaning("windows", "icu_stay")
    ('Worst value.', 'From ICU admission to ICU discharge.')
    """
    line = _first_line(importlib.import_module(f"assets.questions.{folder}.{name}").__doc__)
    said = line.removeprefix("Selector: ")
    return said[0].upper() + said[1:]


def takes(template: Template) -> dict[str, str]:
    """What fills a template: its slots and numbers, in words."""
    said: dict[str, str] = {}
    if template.scope is Scope.PATIENT:
        said |= dict.fromkeys(template.unit.ids, "names the unit")
    for slot, pool in template.pools.items():
        number = len(admissible(template, slot))
        said[slot] = f"{number} of {pool.value.replace('_', ' ')}" if number > 1 else pool.value.replace("_", " ")
    said |= {"nth": "2 or more"} if template.uses_nth else {}
    said |= {"threshold": "a number"} if template.uses_threshold else {}
    said |= {"from_day": "1 or more; often left out"} if template.has_start else {}
    return said


def wordings(template: Template, parameters: dict[str, Value]) -> dict[str, str]:
    """Lead and question in every register, without definitions and contract."""
    slots = slots_of(template, parameters)
    ids = {column: parameters[column] for column in template.unit.ids} if template.scope is Scope.PATIENT else {}
    return {name: register.sentence(template, slots, ids) for name, register in registers().items()}


def reasons(template: Template) -> list[str]:
    """Why a legal template is a question: what its words need of each other, and have."""
    stream, selector = template.example_stream, template.selector
    columns = {"t": "a time", "t2": "an end", "v": "a value", "name": "a name", "hit": "coverage"}
    needs = [columns[need] for need in selector.needs if need in columns]
    said = [f"{template.kind_name} is asked in this window with this selector (fitting.py)"]
    if needs:
        said.append(f"{template.selector_name} needs {', '.join(needs)}, which {template.kind_name} has")
    if selector.closed:
        said.append(f"no and 0 are answers, for {template.kind_name} covers all {stream.words.whole}")
    if template.versus:
        said.append("the two windows belong to one unit, and measures of this selector can be subtracted")
    if template.aggregator:
        said.append(f"{template.aggregator_name} puts together measures that are {selector.shape.value}")
    if template.anchor:
        said.append(f"the records of the anchor {template.anchor.name} are no targets, so noise cannot move the window")
    return said


def answer_name(template: Template) -> str:
    """Kind and unit of an answer, for a list."""
    answer = template.answer
    kind = answer.kind.value.replace("_", "/")
    return f"{kind} ({answer.unit})" if answer.kind in (AnswerKind.QUANTITY, AnswerKind.DURATION) else kind


def pretty(sql: str) -> str:
    """A statement as people read it: one part per line."""
    return sqlglot.transpile(sql, read="duckdb", write="duckdb", pretty=True)[0]


def _record(selection: Selection) -> dict[str, str]:
    return {
        "selection": selection.name,
        "role": selection.role.value,
        "table": selection.table,
        "one record": selection.label,
        "test": selection.test,
    }


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
