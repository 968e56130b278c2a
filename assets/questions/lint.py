"""What a reference must not do: read a table outside its selections, cut on ties, sort NULLs first, show bare floats.

Each rule is a failure of a published benchmark (docs/questions.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

from schemas.answers import AnswerKind, AnswerType
from schemas.questions import Question, Role, Scope
from schemas.tables import TABLES, ColumnType

UNSTABLE = frozenset(
    {
        "any_value",
        "arbitrary",
        "arg_max",
        "arg_min",
        "current_date",
        "current_timestamp",
        "first",
        "first_value",
        "gen_random_uuid",
        "last",
        "last_value",
        "max_by",
        "min_by",
        "mode",
        "nextval",
        "now",
        "random",
        "row_id",
        "rowid",
        "setseed",
        "today",
        "uuid",
    }
)
"""Functions and columns whose result hangs on the clock, on chance, or on the order of rows."""

TEXTS = frozenset(
    column.name
    for table in TABLES.values()
    for column in table.columns
    if column.type is ColumnType.TEXT
    and all(other[column.name].type is ColumnType.TEXT for other in TABLES.values() if column.name in other)
)
"""Columns that hold text wherever they occur."""

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)


class _NullsLow(DuckDB):
    """DuckDB where NULL sorts as the least value: an ascending order without NULLS LAST shows."""

    NULL_ORDERING = "nulls_are_small"


class _NullsHigh(DuckDB):
    """DuckDB where NULL sorts as the greatest value: a descending order without NULLS LAST shows."""

    NULL_ORDERING = "nulls_are_large"


def lint(question: Question) -> list[str]:
    """Problems of a question's reference, one sentence each; none for a released template.

    >>> from dataclasses import replace
    >>> from assets.questions import Template, ask
    >>> template = Template.parse("labs-patient-lab-icu_stay-first")
    >>> question = ask(template, {"subject_id": 1, "stay_id": 2, "concept": "sodium"})
    >>> lint(question)
    []
    >>> lint(replace(question, reference_sql="SELECT valuenum AS answer FROM labevents ORDER BY charttime LIMIT 1"))
    ['selection unit is not part of the reference', 'selection target is not part of the reference',
     'reads labevents outside a selection', 'orders without NULLS LAST', 'cuts with LIMIT, which breaks on ties',
     'shows a number without rounding: answer']
    """
    tree = _tree(question.reference_sql)
    return list(
        dict.fromkeys(
            [
                *_selections(question),
                *_outside(question, tree),
                *_order(question.reference_sql),
                *_limits(tree),
                *_unstable(tree),
                *_texts(tree),
                *_unrounded(tree, question.answer),
                *_supports(question),
            ]
        )
    )


@lru_cache(maxsize=4096)
def _tree(sql: str) -> exp.Expr:
    """The syntax tree, which nobody changes: questions of one template share most of their selections."""
    return sqlglot.parse_one(sql, read="duckdb")


def _selections(question: Question) -> Iterator[str]:
    """Selections are one table's rows as they are, and literal about the patient."""
    for selection in question.selections:
        tree = _tree(selection.sql)
        assert isinstance(tree, exp.Select)
        shown = [e.sql("duckdb") for e in tree.expressions]
        source = tree.args.get("from_") or tree.args.get("from")
        tables = [source.this] if source else []
        if shown != ["x.*"] or len(tables) != 1 or tree.args.get("joins") or tables[0].alias != "x":
            yield f"selection {selection.name} is not SELECT x.* FROM one table AS x"
        if selection.table not in TABLES:
            yield f"selection {selection.name} reads {selection.table}, which is no table of MIMIC-IV"
        elif question.scope is Scope.PATIENT and "subject_id" in TABLES[selection.table]:
            literal = f"x.subject_id = {question.parameters.get('subject_id')}"
            if literal not in selection.where:
                yield f"selection {selection.name} does not name the patient by a literal"
        if (
            selection.role is not Role.ROUTE
            and f"{selection.name} AS (\n  {selection.sql}\n)" not in question.reference_sql
        ):
            yield f"selection {selection.name} is not part of the reference"


def _outside(question: Question, tree: exp.Expr) -> Iterator[str]:
    """Base tables are read only by the selection that is declared for them."""
    names = {cte.alias for cte in tree.find_all(exp.CTE)}
    declared = {selection.name: selection.table for selection in question.selections}
    for table in tree.find_all(exp.Table):
        if table.name in names:
            continue
        cte = table.find_ancestor(exp.CTE)
        if cte is None or declared.get(cte.alias) != table.name:
            yield f"reads {table.name} outside a selection"


def _order(sql: str) -> Iterator[str]:
    if "ORDER BY" not in sql.upper():
        return
    for dialect in (_NullsLow, _NullsHigh):
        tree = sqlglot.parse_one(sql, read=dialect)
        if any(ordered.args.get("nulls_first") for ordered in tree.find_all(exp.Ordered)):
            yield "orders without NULLS LAST"
            return


def _limits(tree: exp.Expr) -> Iterator[str]:
    if any(tree.find_all(exp.Limit, exp.Offset, exp.Fetch)):
        yield "cuts with LIMIT, which breaks on ties"


def _unstable(tree: exp.Expr) -> Iterator[str]:
    for node in tree.walk():
        names = {node.name.lower()} if isinstance(node, exp.Anonymous | exp.Column) else set()
        if isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous):
            names = {name.lower() for name in node.sql_names()}
        for name in sorted(names & UNSTABLE):
            yield f"uses {name}, whose result is not fixed by the records"


def _texts(tree: exp.Expr, texts: Collection[str] = TEXTS) -> Iterator[str]:
    """Numbers compared with text: '10' sorts before '9', and leading zeros vanish."""
    for node in tree.find_all(*COMPARISONS):
        sides = list(node.iter_expressions())
        numeric = any(isinstance(side, exp.Literal) and not side.is_string for side in sides)
        for side in sides:
            if numeric and isinstance(side, exp.Column) and side.name in texts:
                yield f"compares the text {side.name} with a number"


def _unrounded(tree: exp.Expr, answer: AnswerType) -> Iterator[str]:
    """Every number shown is rounded to the digits the contract names."""
    assert isinstance(tree, exp.Select | exp.Query)
    columns = dict(answer.columns) if answer.kind is AnswerKind.ROWS else {"answer": answer}
    for shown in tree.selects:
        kind = columns.get(shown.alias_or_name)
        if kind is None or kind.kind not in (AnswerKind.QUANTITY, AnswerKind.DURATION):
            continue
        missing = (
            isinstance(shown, exp.Alias) and isinstance(shown.this, exp.Cast) and isinstance(shown.this.this, exp.Null)
        )
        if not missing and shown.find(exp.Round) is None:
            yield f"shows a number without rounding: {shown.alias_or_name}"


def _supports(question: Question) -> Iterator[str]:
    """Concept and support tests are about one row: overlays use them as predicates over the bare table."""
    for selection in question.selections:
        for part in (selection.concept, selection.support):
            tree = _tree(f"SELECT 1 FROM {selection.table} WHERE {part}")
            foreign = [column for column in tree.find_all(exp.Column) if column.table]
            if foreign or any(tree.find_all(exp.Subquery, exp.Exists)) or re.search(r"\bSELECT\b", part):
                yield f"selection {selection.name}: its tests are not local to a row"
            texts = {c.name for c in TABLES[selection.table].columns if c.type is ColumnType.TEXT}
            yield from _texts(tree, texts)
            unknown = {c.name for c in tree.find_all(exp.Column)} - set(TABLES[selection.table].names)
            if unknown:
                yield f"selection {selection.name}: {selection.table} has no column {', '.join(sorted(unknown))}"
