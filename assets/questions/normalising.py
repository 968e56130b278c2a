"""A reference as a person would have written it: the same rows, without the steps that a compiler needs.

The compiler reads every table in a selection of its own and names every step, so that overlays can find the records and
a reader can follow. That costs components which say nothing about the question. Here they are folded away, and nothing
else: every rule keeps the answer, so the result can be run, and tests run it beside the original.

1. Columns nobody reads go, steps read once are merged into their reader (sqlglot's `pushdown_projections`,
   `merge_subqueries`, `eliminate_ctes`), and so does a last block that only renames or rounds.
2. `EXISTS (… r …)` goes where `r` is joined on the same conditions: it selected records that the join selects again.
3. Conditions that the others of their block imply go: an equality that follows from equalities, the patient's id in
   every table; `lo < hi` beside `lo <= t` and `t < hi`; `t IS NOT NULL` beside a comparison of `t`; what stands twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.eliminate_ctes import eliminate_ctes
from sqlglot.optimizer.merge_subqueries import merge_subqueries
from sqlglot.optimizer.pushdown_projections import pushdown_projections
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.schema import MappingSchema

from assets.questions.components import STRUCTURAL
from assets.questions.implied import PLAIN, drop_implied, drop_joined, sources_of, text_of
from schemas.tables import TABLES


@cache
def _schema() -> MappingSchema:
    """The columns of every table; types do not matter here."""
    columns: dict[str, object] = {
        name: dict.fromkeys((column.name for column in table.columns), "TEXT") for name, table in TABLES.items()
    }
    return MappingSchema(columns, dialect="duckdb")


def normalised(sql: str) -> str:
    """A reference of this project without the steps and conditions that say nothing new.

    Args:
        sql: What the compiler wrote.

    Returns:
        A statement with the same rows and columns.

    Raises:
        sqlglot.errors.SqlglotError: It is no SQL, or names a column that no table has.

    Example:
        >>> print(normalised('''WITH unit AS (SELECT x.* FROM admissions AS x WHERE x.hadm_id = 2),
        ... target AS (SELECT x.* FROM labevents AS x WHERE itemid = 50971 AND charttime IS NOT NULL
        ...   AND EXISTS (SELECT 1 FROM unit AS u WHERE x.hadm_id = u.hadm_id AND x.charttime < u.dischtime)),
        ... seen AS (SELECT x.valuenum AS v FROM unit AS u JOIN target AS x ON x.hadm_id = u.hadm_id
        ...   AND x.charttime < u.dischtime)
        ... SELECT max(v) AS answer FROM seen'''))
        SELECT MAX(t3.valuenum) AS answer FROM admissions AS t1 JOIN labevents AS t3
        ON t3.hadm_id = t1.hadm_id AND t3.charttime < t1.dischtime WHERE t3.itemid = 50971 AND t1.hadm_id = 2
    """
    return text_of(folded(sqlglot.parse_one(sql, read="duckdb")))


def folded(tree: exp.Expr) -> exp.Expr:
    """The same of a syntax tree, which is used up."""
    tree = qualify(
        tree,
        schema=_schema(),
        dialect="duckdb",
        quote_identifiers=False,
        validate_qualify_columns=False,
    )
    _name_apart(tree)
    freed = True
    while freed:
        tree = pushdown_projections(tree)
        with _set_apart(tree):
            tree = merge_subqueries(tree)
        # A source that is read once less may be merged in the next round.
        freed = drop_joined(tree)
        tree = eliminate_ctes(tree)
    drop_implied(tree)
    tree = _unwrapped(tree)
    _point_at_keys(tree)
    return tree


@contextmanager
def _set_apart(tree: exp.Expr) -> Iterator[None]:
    """While it lasts, no step is merged whose reader would have to write a condition or a `CASE` of it twice."""
    held = []
    for scope in traverse_scope(tree):
        for alias, (_, source) in scope.selected_sources.items():
            inner = source.expression if isinstance(source, Scope) else None
            if not isinstance(inner, exp.Select):
                continue
            read = Counter(column.name for column in scope.columns if column.table == alias)
            if any(read[shown.alias_or_name] > 1 and shown.find(*STRUCTURAL) for shown in inner.selects):
                # The rarest of the parts that keep sqlglot from merging: `SELECT AS <kind>`, which DuckDB has not.
                inner.set("kind", "apart")
                held.append(inner)
    yield
    for inner in held:
        inner.set("kind", None)


def _point_at_keys(tree: exp.Expr) -> None:
    """Group by the position of an expression that is shown as well, instead of writing it again."""
    for block in tree.find_all(exp.Select):
        group = block.args.get("group")
        shown = [expression.unalias() for expression in block.selects]
        for key in group.expressions if group else ():
            if not isinstance(key, exp.Column) and key in shown:
                key.replace(exp.Literal.number(shown.index(key) + 1))


def _name_apart(tree: exp.Expr) -> None:
    """Give every source an alias of its own, so that a merged block captures no name of its reader; settle `USING`."""
    names = (f"t{number}" for number in count(1))
    for scope in traverse_scope(tree):
        for alias, (source, _) in list(scope.selected_sources.items()):
            new = next(names)
            for column in [*scope.columns, *(c for inner in scope.subquery_scopes for c in inner.external_columns)]:
                if column.table == alias:
                    column.set("table", exp.to_identifier(new))
            holder = source if isinstance(source, exp.Table) else source.parent
            assert holder is not None
            holder.set("alias", exp.TableAlias(this=exp.to_identifier(new)))
    for shared in list(tree.find_all(exp.Coalesce)):
        # What `USING` makes of a key; both sides are equal in an inner join.
        sides = [shared.this, *shared.expressions]
        if all(isinstance(side, exp.Column) for side in sides) and len({side.name for side in sides}) == 1:
            shared.replace(sides[0].copy())


def _unwrapped(tree: exp.Expr) -> exp.Expr:
    """The statement without a last block that only computes from the rows of one step, read nowhere else."""
    ctes = {cte.alias: cte for cte in tree.find_all(exp.CTE)}
    if not isinstance(tree, exp.Select) or {name for name, value in tree.args.items() if value} - {*PLAIN, "order"}:
        return tree
    sources = sources_of(tree)
    if len(sources) != 1 or tree.args.get("joins") or tree.args.get("where") or sources[0].name not in ctes:
        return tree
    cte = ctes[sources[0].name]
    inner = cte.this
    readers = [table for table in tree.find_all(exp.Table) if table.name == cte.alias]
    combines = any(tuple(shown.find_all(exp.AggFunc, exp.Window)) for shown in tree.selects)
    bars = {name for name, value in inner.args.items() if value} - {*PLAIN, "group", "having"}
    if not isinstance(inner, exp.Select) or len(readers) > 1 or combines or bars:
        return tree
    named = {shown.alias_or_name: shown.unalias() for shown in inner.selects}
    shown = [_substituted(expression, sources[0].alias, named) for expression in tree.selects]
    with_ = tree.args["with_"]
    cte.pop()
    inner.pop()
    inner.set("expressions", shown)
    if tree.args.get("order"):
        inner.set("order", _substituted(tree.args["order"], sources[0].alias, named))
    if with_.expressions:
        inner.set("with_", with_)
    return inner


def _substituted(expression: exp.Expr, alias: str, named: Mapping[str, exp.Expr]) -> exp.Expr:
    """An expression with the columns of a source replaced by what they stand for."""

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.table == alias:
            return (
                exp.paren(named[node.name].copy())
                if isinstance(named[node.name], exp.Binary)
                else named[node.name].copy()
            )
        return node

    return expression.copy().transform(put)
