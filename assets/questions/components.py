"""Structural components: how complex a SQL statement is, counted the same way for everybody.

A component is one node of the syntax tree that decides which rows meet and how they are combined. Literals, columns,
aliases, casts, arithmetic, scalar functions and the expressions shown are none: renaming, rounding or showing a column
more does not make a query more complex.

| kind | nodes of sqlglot (30, dialect duckdb or sqlite) | one of |
| --- | --- | --- |
| block | `Select` | query blocks: main statement, common table expression, subquery |
| source | `Table` | reads of a table or of a common table expression |
| join | `Join` | joins, comma joins too |
| predicate | `PREDICATES`, columns of a `USING` | conditions: `a = 1 AND b = 2` is two; `AND`, `OR`, `NOT` are none |
| aggregate | `AggFunc` that is no window function, and names in `AGGREGATES` | aggregates |
| window | `Window` | window functions |
| branch | `Case`; `If` outside a `Case` | conditionals |
| group | every expression of a `Group` | grouping keys |
| filter | `Having`, `Filter`, `Qualify` | filters on groups |
| order | every `Ordered` | sort keys, in windows too |
| limit | `Limit`, `Offset`, `Fetch` | cuts |
| distinct | `Distinct` | de-duplications, `count(DISTINCT …)` too |
| setop | `Union`, `Intersect`, `Except` | set operations |

Calibration: by this count the gold SQL of EHRSQL-2024 (Lee et al. 2024, the shared task's MIMIC-IV release) has 17.17
components on average (median 13, 10th to 90th percentile 7 to 28) and reads 2.69 base tables, over its 6,539 answerable
questions in their own SQLite form. EHR-Complex reports 31.93 "SQL structural components" without defining the count, so
no figure here compares with it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import sqlglot
from sqlglot import exp

AGGREGATES: Final = frozenset(
    {"regr_slope", "regr_r2", "bool_or", "bool_and", "count_if", "string_agg", "listagg", "mode"}
)
"""Aggregates that sqlglot may not know as such."""

PREDICATES: Final = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.In,
    exp.Like,
    exp.ILike,
    exp.RegexpLike,
    exp.SimilarTo,
    exp.Is,
    exp.Exists,
    exp.StartsWith,
)

_ONE_OF: Final[tuple[tuple[str, tuple[type[exp.Expr], ...]], ...]] = (
    ("block", (exp.Select,)),
    ("source", (exp.Table,)),
    ("join", (exp.Join,)),
    ("predicate", PREDICATES),
    ("window", (exp.Window,)),
    ("aggregate", (exp.AggFunc, exp.Anonymous)),
    ("branch", (exp.Case, exp.If)),
    ("group", (exp.Group,)),
    ("filter", (exp.Having, exp.Filter, exp.Qualify)),
    ("order", (exp.Ordered,)),
    ("limit", (exp.Limit, exp.Offset, exp.Fetch)),
    ("distinct", (exp.Distinct,)),
    ("setop", (exp.SetOperation,)),
)

STRUCTURAL: Final = tuple(node for _, nodes in _ONE_OF for node in nodes if node is not exp.Anonymous)
"""Every sort of node that is a component."""


class Components(NamedTuple):
    """Components of one statement, by kind."""

    block: int = 0
    source: int = 0
    join: int = 0
    predicate: int = 0
    aggregate: int = 0
    window: int = 0
    branch: int = 0
    group: int = 0
    filter: int = 0
    order: int = 0
    limit: int = 0
    distinct: int = 0
    setop: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


def components(sql: str | exp.Expr, dialect: str = "duckdb") -> Components:
    """The structural components of a statement.

    Args:
        sql: The statement, as text or parsed.
        dialect: What the text is written in.

    Raises:
        sqlglot.errors.ParseError: It is no SQL.

    Example:
        >>> components("SELECT count(*) FROM t WHERE a = 1 AND b > 2").total
        5
        >>> found = components(
        ...     "SELECT x FROM (SELECT x, rank() OVER (ORDER BY y) AS r FROM t JOIN u USING (k)) WHERE r <= 3")
        >>> found.total, found.block, found.source, found.join, found.predicate, found.window, found.order
        (9, 2, 2, 1, 2, 1, 1)
    """
    found = dict.fromkeys(Components._fields, 0)
    for node in _tree(sql, dialect).walk():
        for kind, types in _ONE_OF:
            if isinstance(node, types):
                found[kind] += _weight(node)
                break
        if isinstance(node, exp.Join):
            found["predicate"] += len(node.args.get("using") or [])
    return Components(**found)


def base_tables(sql: str | exp.Expr, dialect: str = "duckdb") -> frozenset[str]:
    """The tables a statement reads, without the names of its common table expressions.

    >>> sorted(base_tables("WITH a AS (SELECT * FROM labevents) SELECT * FROM a JOIN patients USING (subject_id)"))
    ['labevents', 'patients']
    """
    tree = _tree(sql, dialect)
    named = {cte.alias for cte in tree.find_all(exp.CTE)}
    return frozenset(table.name for table in tree.find_all(exp.Table)) - named


def skeleton(sql: str | exp.Expr, dialect: str = "duckdb") -> str:
    """The statement with literals, list lengths and the names of its steps masked: equal skeletons, equal structure.

    >>> one = skeleton("WITH a AS (SELECT * FROM t WHERE x IN (1, 2)) SELECT * FROM a WHERE y = 'k'")
    >>> other = skeleton("WITH b AS (SELECT * FROM t WHERE x IN (7)) SELECT * FROM b WHERE y = 'n'")
    >>> one == other, one
    (True, 'WITH c0 AS (SELECT * FROM t WHERE x IN (?)) SELECT * FROM c0 WHERE y = ?')
    """
    tree = _tree(sql, dialect).copy()
    names = {cte.alias: f"c{number}" for number, cte in enumerate(tree.find_all(exp.CTE))}
    for node in list(tree.walk()):
        if isinstance(node, exp.Literal | exp.Parameter | exp.Placeholder | exp.Boolean):
            node.replace(exp.Placeholder())
        elif isinstance(node, exp.Identifier) and node.name in names:
            node.set("this", names[node.name])
    for node in tree.find_all(exp.In):
        if len(node.expressions) > 1:
            node.set("expressions", node.expressions[:1])
    return tree.sql(dialect=dialect, normalize=True)


def _tree(sql: str | exp.Expr, dialect: str) -> exp.Expr:
    return sqlglot.parse_one(sql, read=dialect) if isinstance(sql, str) else sql


def _weight(node: exp.Expr) -> int:
    """How many components a node of one of the kinds is: nodes that only carry another are none."""
    match node:
        case exp.Group():
            return len(node.expressions) or 1
        case exp.If():
            return int(not isinstance(node.parent, exp.Case))
        case exp.AggFunc():
            return int(not _in_window(node))
        case exp.Anonymous():
            return int(node.name.lower() in AGGREGATES and not _in_window(node))
        case _ if isinstance(node, PREDICATES):
            # A named argument, `f(a := 1)`, compares no rows.
            return int(not isinstance(node.parent, exp.Kwarg | exp.PropertyEQ))
        case _:
            return 1


def _in_window(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        parent = parent.parent
    return isinstance(parent, exp.Window)
