"""Templates for people: a table of all of them, and one in full."""

from __future__ import annotations

from itertools import islice

from assets.questions.asking import ask, every_unit_sql
from assets.questions.catalogue import catalogue
from assets.questions.sampling import fillings, slots_of
from assets.questions.template import Template, admissible
from assets.questions.wording import registers, sentence_of
from schemas.answers import AnswerKind
from schemas.concepts import load
from schemas.overlays import Value
from schemas.questions import Role, Scope

EXAMPLE_IDS: dict[str, Value] = {"subject_id": 10000001, "hadm_id": 20000001, "stay_id": 30000001}
"""Ids that no patient of MIMIC-IV has to have: examples are about the words."""


def example(template: Template) -> dict[str, Value]:
    """The parameters of one question of a template."""
    filling = next(islice(fillings(template, load(), "example"), 1), {})
    if template.scope is Scope.PATIENT:
        filling |= {column: EXAMPLE_IDS[column] for column in template.unit.ids}
    return filling


def template_table() -> str:
    """The released templates as a markdown table per cell, for the docs.

    >>> "labs-patient-lab-admission-nth" in template_table()
    True
    """
    cells: dict[str, list[str]] = {}
    for template in catalogue():
        asked = ask(template, example(template))
        kind = template.answer.kind.value.replace("_", "/")
        lines = cells.setdefault(f"{template.intent.value} · {template.scope.value}", [])
        lines.append(f"| `{template.id}` | {sentence_of(asked.text)} | {kind} | {', '.join(template.tables)} |")
    parts = []
    for cell, lines in sorted(cells.items()):
        parts.append(f"### {cell}: {len(lines)} templates\n")
        parts.append("| template | for instance | answer | tables |\n| --- | --- | --- | --- |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def describe(template: Template) -> str:
    """One template in full, as markdown: its wording with slots, one example, contract, records and reference."""
    parameters = example(template)
    question = ask(template, parameters)
    slots = slots_of(template, parameters)
    named = {slot: concept.lay_name for slot, concept in slots.concepts.items()}
    wording = registers()["plain"].sentence(template, slots, {})
    for slot, name in sorted(named.items(), key=lambda pair: -len(pair[1])):
        wording = wording.replace(name, f"{{{slot}}}")
    rows = [f"| {s.name} | {s.role.value} | {s.table} | {s.label} | `{s.test}` |" for s in question.selections]
    takes = [
        f"`{slot}`: one of {len(tuple(_pool(template, slot)))} {pool.value} concepts"
        for slot, pool in template.pools.items()
    ]
    takes += ["`nth`: 2 or more"] if template.uses_nth else []
    takes += ["`threshold`: a number"] if template.uses_threshold else []
    takes += ["`from_day`: 1 or more"] if template.has_start else []
    routes = [s for s in question.selections if s.role is Role.ROUTE]
    parts = [
        f"# {template.id}",
        f"{template.intent.value} · {template.scope.value} · answer: {answer_name(template)}",
        f"**Wording.** {wording}",
        f"**Example.** {question.text}",
        "**Takes.** " + ("; ".join(takes) or "nothing but its unit") + ".",
        "**Records.**\n\n| selection | role | table | one record | test |\n| --- | --- | --- | --- | --- |\n"
        + "\n".join(rows),
        "**Other routes to the fact.** " + (", ".join(sorted({s.table for s in routes})) or "none declared") + ".",
        f"**Reference.**\n\n```sql\n{question.reference_sql}\n```",
    ]
    if template.scope is Scope.PATIENT:
        parts.append(f"**Asked of every unit.**\n\n```sql\n{every_unit_sql(template, parameters)}\n```")
    return "\n\n".join(parts) + "\n"


def answer_name(template: Template) -> str:
    """Kind and unit of an answer, for a list."""
    answer = template.answer
    if answer.kind in (AnswerKind.QUANTITY, AnswerKind.DURATION):
        return f"{answer.kind.value} ({answer.unit})"
    return answer.kind.value


def _pool(template: Template, slot: str) -> list[str]:
    return [concept.id for concept in admissible(template, slot)]
