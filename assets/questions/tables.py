"""The catalogue as tables: one line per cell, one per template. The docs hold them, `make docs` writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from assets.questions.asking import ask
from assets.questions.catalogue import catalogue
from assets.questions.complexity import Complexity, complexities, summary
from assets.questions.describing import answer_name, example
from assets.questions.template import Template
from assets.questions.wording import sentence_of
from schemas.questions import Intent, Scope

Cell = tuple[Intent, Scope]


@cache
def counted() -> dict[Template, Complexity]:
    """The complexity of every released template; counted once in a process."""
    return dict(zip(catalogue(), complexities(catalogue()), strict=True))


def cells() -> dict[Cell, tuple[Template, ...]]:
    """The released templates, cell by cell."""
    return {
        (intent, scope): tuple(t for t in catalogue() if (t.intent, t.scope) == (intent, scope))
        for intent in Intent
        for scope in Scope
    }


def cell_table() -> str:
    """Templates and complexity of each cell, and of all, as a markdown table."""
    rows = [
        [f"[{intent.value}, {scope.value}](templates/{file_of(intent, scope)})", *_figures(templates)]
        for (intent, scope), templates in cells().items()
    ]
    heads = [
        "cell",
        "templates",
        "components, compiled",
        "normalised",
        "base tables",
        "over 3 or more",
        "structures",
        "answers",
    ]
    return _markdown(heads, [*rows, ["all", *_figures(catalogue())]], numbers=range(1, 7))


def template_table(intent: Intent, scope: Scope) -> str:
    """The templates of a cell, as a markdown table per kind."""
    kinds: dict[str, list[list[str]]] = {}
    for template in cells()[intent, scope]:
        found = counted()[template]
        kinds.setdefault(template.kind_name, []).append(
            [
                f"`{template.id}`",
                sentence_of(ask(template, example(template)).text).replace("|", "\\|"),
                answer_name(template),
                ", ".join(found.tables),
                f"{found.compiled.total} → {found.normalised.total}",
            ]
        )
    heads = ["template", "for instance", "answer", "tables", "components"]
    return "\n\n".join(
        f"## {kind.replace('_', ' ')}: {len(rows)}\n\n{_markdown(heads, rows, numbers=(4,))}"
        for kind, rows in kinds.items()
    )


def file_of(intent: Intent, scope: Scope) -> str:
    """The file below docs/templates that lists a cell.

    >>> file_of(Intent.LABS, Scope.PATIENT)
    'labs_patient.md'
    """
    return f"{intent.lower()}_{scope}.md"


def _figures(templates: Sequence[Template]) -> list[str]:
    one = summary(counted()[template] for template in templates)
    answers = Counter(template.answer.kind.value.replace("_", "/") for template in templates)
    return [
        str(one.templates),
        f"{one.compiled:.1f}",
        f"{one.normalised:.1f}",
        f"{one.tables:.2f}",
        f"{100 * one.many_tables:.0f}%",
        str(one.skeletons),
        ", ".join(f"{kind} {n}" for kind, n in answers.most_common()),
    ]


def _markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    right = set(numbers)
    rule = ["---:" if place in right else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, rule, *rows])
