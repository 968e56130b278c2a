"""The commands `questions list` and `questions show`: what can be asked, and one template in full."""

from __future__ import annotations

from assets.questions import Template, catalogue, describe, template_named
from assets.questions.complexity import Complexity, complexities
from assets.questions.describing import answer_name
from pipelines.cli_console import as_json, say
from schemas.errors import InputError, Problem
from schemas.questions import Intent, Scope
from schemas.tables import TABLES


def list_templates(*, intent: str | None, scope: str | None, kind: str | None, table: str | None, json: bool) -> None:
    """Print the released templates of a sort, cell by cell as they are counted; as JSON, one object each.

    Raises:
        InputError: A filter names nothing that there is.
    """
    wanted = {"intent": intent, "scope": scope, "kind": kind, "table": table}
    _known(wanted)
    chosen = [template for template in catalogue() if _passes(template, wanted)]
    found = complexities(chosen)
    if json:
        as_json([_row(template, one) for template, one in zip(chosen, found, strict=True)])
        return
    width = max((len(template.id) for template in chosen), default=0)
    cell = ""
    for template, one in zip(chosen, found, strict=True):
        here = f"{template.intent}, {template.scope}"
        if here != cell:
            n = sum((t.intent, t.scope) == (template.intent, template.scope) for t in chosen)
            say(f"{here}: {n}" if not cell else f"\n{here}: {n}")
            cell = here
        counted = f"{one.compiled.total:3} → {one.normalised.total:2}"
        say(f"  {template.id:<{width}}  {counted}  {answer_name(template):<20}  {', '.join(one.tables)}")
    say(f"\n{len(chosen)} of {len(catalogue())} templates. The numbers: structural components, compiled → normalised.")


def show_template(id_: str, *, json: bool) -> None:
    """Print one template in full.

    Raises:
        InputError: There is none of that id.
    """
    told = describe(template_named(id_))
    if json:
        as_json(told)
        return
    say(f"{told['id']}: {told['intent']}, {told['scope']}" + ("" if told["released"] else "; not released"))
    say(f"Answer: {told['answer']}: {told['contract']}")
    _section("What its words mean", {part: f"{w['name']}: {w['meaning']}" for part, w in told["coordinates"].items()})
    _section("Wording", told["wording"])
    _section("Takes", told["takes"])
    say(f"\nExample, with {', '.join(f'{k}={v!r}' for k, v in told['example']['parameters'].items())}")
    say(f"  {told['example']['text']}")
    say("\nAssociated records")
    for record in told["records"]:
        say(f"  {record['selection']} ({record['role']}): {_where(record)}")
    say("\nOther routes to the fact" + ("" if told["routes"] else ": none declared"))
    for record in told["routes"]:
        say(f"  {_where(record)}")
    wrong = told["legal"]["problems"]
    say("\nWhy it is no question" if wrong else "\nWhy it is a question")
    for reason in wrong or told["legal"]["because"]:
        say(f"  {reason}")
    counted = told["components"]
    parts = ", ".join(f"{kind} {n}" for kind, n in counted["by kind"].items())
    say(f"\nStructural components: {counted['compiled']} compiled, {counted['normalised']} normalised ({parts})")
    say("\nReference SQL")
    say("\n".join(f"  {line}" for line in told["reference_sql"].splitlines()))


def _where(record: dict[str, str]) -> str:
    return f"{record['one record']}, {record['table']} WHERE {record['test']}"


def _section(title: str, lines: dict[str, str]) -> None:
    say(f"\n{title}")
    width = max(map(len, lines), default=0)
    for name, text in lines.items():
        say(f"  {name:<{width}}  {text}")


def _row(template: Template, found: Complexity) -> dict[str, object]:
    return {
        "id": template.id,
        "intent": template.intent.value,
        "scope": template.scope.value,
        "kind": template.kind_name,
        "answer": answer_name(template),
        "tables": list(found.tables),
        "components": {"compiled": found.compiled.total, "normalised": found.normalised.total},
    }


def _passes(template: Template, wanted: dict[str, str | None]) -> bool:
    has = {"intent": template.intent.lower(), "scope": template.scope.value, "kind": template.kind_name}
    if any(value is not None and name in has and value.lower() != has[name] for name, value in wanted.items()):
        return False
    # Last: naming the tables compiles the template.
    return wanted["table"] is None or wanted["table"].lower() in template.tables


def _known(wanted: dict[str, str | None]) -> None:
    choices = {
        "intent": [intent.lower() for intent in Intent],
        "scope": [scope.value for scope in Scope],
        "kind": sorted({template.kind_name for template in catalogue()}),
        "table": sorted(TABLES),
    }
    wrong = [
        Problem(f"--{name} {value}", f"there is no such {name}", f"use one of {', '.join(choices[name])}")
        for name, value in wanted.items()
        if value is not None and value.lower() not in choices[name]
    ]
    if wrong:
        raise InputError(wrong)
