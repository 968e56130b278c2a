"""Conditions of a block that say nothing new: its other conditions, or the steps it reads, imply them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

_NULL_REJECTING = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
PLAIN = frozenset({"expressions", "from_", "joins", "where", "with_"})
"""What a block may have to be read as conditions over joined sources."""

Rule = Callable[[exp.Expr, list[exp.Expr]], bool]
"""Does a condition follow from the others of its block?"""

Pins = Mapping[str, str]
"""Columns of a step that hold one known literal."""


def drop_joined(tree: exp.Expr) -> bool:
    """Remove every `EXISTS` over a source that its block joins under the same conditions. Names as in `drop_implied`.

    Returns:
        Whether there was one.

    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT a.x FROM t AS a JOIN u AS b ON a.k = b.k "
    ...     "WHERE EXISTS(SELECT 1 FROM t AS c WHERE b.k = c.k)")
    >>> drop_joined(tree)
    True
    >>> tree.sql("duckdb")
    'SELECT a.x FROM t AS a JOIN u AS b ON a.k = b.k'
    """
    dropped = 0
    for scope in traverse_scope(tree):
        if block := _inner_joins(scope.expression):
            dropped += _drop(block, [_is_joined(block)])
    return dropped > 0


def drop_implied(tree: exp.Expr) -> None:
    """Remove the conditions of every block that its other conditions, or the steps it reads, imply.

    Args:
        tree: A statement whose columns are all qualified, by aliases that are unique in it. Changed in place.

    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT a.x FROM t AS a JOIN u AS b ON a.k = b.k AND b.k = a.k WHERE NOT a.x IS NULL "
    ...     "AND a.lo < a.hi AND a.x >= a.lo AND a.x < a.hi AND TRUE")
    >>> drop_implied(tree)
    >>> tree.sql("duckdb")
    'SELECT a.x FROM t AS a JOIN u AS b ON b.k = a.k WHERE a.x >= a.lo AND a.x < a.hi'
    """
    pinned: dict[str, Pins] = {}
    for scope in traverse_scope(tree):
        if block := _inner_joins(scope.expression):
            _drop(block, [_is_true, _is_repeated, _is_known(_inherited(block, pinned)), _is_between, _is_compared])
        if scope.is_cte:
            cte = scope.expression.find_ancestor(exp.CTE)
            assert cte is not None
            pinned[cte.alias] = _pins(scope.expression, pinned)


def _inner_joins(query: exp.Expr) -> exp.Select | None:
    """The query, if it is a block whose conditions all hold for every row, wherever they stand."""
    if not isinstance(query, exp.Select) or any(join.side for join in query.args.get("joins") or []):
        return None
    return query


def _drop(block: exp.Select, rules: Sequence[Rule]) -> int:
    """Remove the conditions to which a rule applies, one after the other; returns how many."""
    kept = list(_conjuncts(block))
    before = len(kept)
    for rule in rules:
        position = 0
        while position < len(kept):
            if rule(kept[position], kept[:position] + kept[position + 1 :]):
                del kept[position]
            else:
                position += 1
    if len(kept) < before:
        _put_back(block, kept)
    return before - len(kept)


def _conjuncts(block: exp.Select) -> Iterator[exp.Expr]:
    """The conditions that all hold for every row of a block of inner joins."""
    for holder in _holders(block):
        condition = holder.args.get("on") if isinstance(holder, exp.Join) else holder.this
        yield from _flat(condition)


def _holders(block: exp.Select) -> list[exp.Expr]:
    where = block.args.get("where")
    return [*(j for j in block.args.get("joins") or [] if j.args.get("on")), *([where] if where else [])]


def _flat(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.Paren):
        yield from _flat(condition.this)
    elif isinstance(condition, exp.And):
        yield from _flat(condition.left)
        yield from _flat(condition.right)
    elif condition is not None:
        yield condition


def _put_back(block: exp.Select, kept: list[exp.Expr]) -> None:
    """Write the kept conditions where they stood."""
    left = {id(condition) for condition in kept}
    for holder in _holders(block):
        joined = isinstance(holder, exp.Join)
        here = [c for c in _flat(holder.args.get("on") if joined else holder.this) if id(c) in left]
        condition = exp.and_(*here, copy=False) if here else None
        if joined:
            holder.set("on", condition or exp.true())
        elif condition:
            holder.set("this", condition)
        else:
            block.set("where", None)


def _is_true(condition: exp.Expr, others: list[exp.Expr]) -> bool:
    return isinstance(condition, exp.Boolean) and bool(condition.this)


def _is_repeated(condition: exp.Expr, others: list[exp.Expr]) -> bool:
    alike = [other for other in others if type(other) is type(condition)]
    return bool(alike) and text_of(condition) in map(text_of, alike)


def _is_joined(block: exp.Select) -> Rule:
    """`EXISTS` over a source that the block joins under the same conditions."""
    sources = {table.alias: table.name for table in sources_of(block)}

    def rule(condition: exp.Expr, others: list[exp.Expr]) -> bool:
        inner = condition.this if isinstance(condition, exp.Exists) else None
        if not isinstance(inner, exp.Select) or {name for name, value in inner.args.items() if value} - PLAIN:
            return False
        found = sources_of(inner)
        if len(found) != 1 or inner.args.get("joins"):
            return False
        stand = {_text(other) for other in others}
        asked = list(_conjuncts(inner))
        return any(
            name == found[0].name and all(_text(_renamed(c, found[0].alias, alias)) in stand for c in asked)
            for alias, name in sources.items()
        )

    return rule


def sources_of(block: exp.Select) -> list[exp.Table]:
    """Tables and steps that a block reads by name."""
    from_ = block.args.get("from_")
    return [
        holder.this
        for holder in [*([from_] if from_ else []), *(block.args.get("joins") or [])]
        if isinstance(holder.this, exp.Table)
    ]


def _renamed(condition: exp.Expr, old: str, new: str) -> exp.Expr:
    condition = condition.copy()
    for column in condition.find_all(exp.Column):
        if column.table == old:
            column.set("table", exp.to_identifier(new))
    return condition


def _text(condition: exp.Expr) -> str:
    """A condition as text; which side of an equality stands first does not matter."""
    if isinstance(condition, exp.EQ):
        return " = ".join(sorted((text_of(condition.left), text_of(condition.right))))
    return text_of(condition)


def text_of(node: exp.Expr) -> str:
    """A node as text. Columns are `alias.name`."""
    if isinstance(node, exp.Column):
        return f"{node.table}.{node.name}"
    # Writing a statement changes its tree.
    return node.sql("duckdb", copy=node.find(exp.Select) is not None)


def _inherited(block: exp.Select, pinned: Mapping[str, Pins]) -> list[tuple[str, str]]:
    """Equalities that hold because the steps a block reads say so."""
    return [
        (f"{table.alias}.{column}", literal)
        for table in sources_of(block)
        for column, literal in pinned.get(table.name, {}).items()
    ]


def _is_known(known: list[tuple[str, str]]) -> Rule:
    """An equality that follows from other equalities."""

    def rule(condition: exp.Expr, others: list[exp.Expr]) -> bool:
        sides = _equal(condition)
        if sides is None:
            return False
        classes = _classes([*known, *(pair for pair in map(_equal, others) if pair)])
        return sides[0] in classes and classes.get(sides[0]) == classes.get(sides[1])

    return rule


def _equal(condition: exp.Expr) -> tuple[str, str] | None:
    """The sides of an equality of columns and literals."""
    if isinstance(condition, exp.EQ) and all(
        isinstance(s, exp.Column | exp.Literal) for s in condition.iter_expressions()
    ):
        return text_of(condition.left), text_of(condition.right)
    return None


def _classes(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Everything that equalities connect bears the same number."""
    number: dict[str, int] = {}
    for fresh, (one, other) in enumerate(pairs):
        old = {number.get(one, fresh), number.get(other, fresh)}
        number |= {name: fresh for name, n in number.items() if n in old} | {one: fresh, other: fresh}
    return number


def _is_between(condition: exp.Expr, others: list[exp.Expr]) -> bool:
    """`a < b` beside `a <= t` and `t < b`."""
    asked = _ordered(condition)
    if asked is None:
        return False
    low, high, strict = asked
    found = [pair for pair in map(_ordered, others) if pair]
    return any(
        a == low and c == high and b == b2 and (first or second or not strict)
        for a, b, first in found
        for b2, c, second in found
    )


def _ordered(condition: exp.Expr) -> tuple[str, str, bool] | None:
    """Lesser side, greater side, and whether they must differ."""
    match condition:
        case exp.LT() | exp.LTE():
            low, high = condition.left, condition.right
        case exp.GT() | exp.GTE():
            low, high = condition.right, condition.left
        case _:
            return None
    return text_of(low), text_of(high), isinstance(condition, exp.LT | exp.GT)


def _is_compared(condition: exp.Expr, others: list[exp.Expr]) -> bool:
    """`x IS NOT NULL` beside a comparison of `x`, which no NULL passes."""
    inner = condition.this if isinstance(condition, exp.Not) else None
    if not isinstance(inner, exp.Is) or not isinstance(inner.expression, exp.Null):
        return False
    known = text_of(inner.this)
    for other in others:
        if isinstance(other, _NULL_REJECTING) and known in (text_of(other.left), text_of(other.right)):
            return True
        if isinstance(other, exp.Between | exp.In) and text_of(other.this) == known:
            return True
    return False


def _pins(query: exp.Expr, pinned: Mapping[str, Pins]) -> Pins:
    """Columns of a step's result that hold one known literal."""
    if isinstance(query, exp.SetOperation):
        sides = [_pins(side.unnest(), pinned) for side in (query.left, query.right)]
        return {name: literal for name, literal in sides[0].items() if sides[1].get(name) == literal}
    block = _inner_joins(query)
    if block is None:
        return {}
    pairs = [*_inherited(block, pinned), *(pair for pair in map(_equal, _conjuncts(block)) if pair)]
    classes = _classes(pairs)
    literals = {classes[side]: side for pair in pairs for side in pair if side[0].isdigit() or side[0] == "'"}
    found = {}
    for shown in block.selects:
        inner = shown.unalias()
        if isinstance(inner, exp.Column) and (known := literals.get(classes.get(text_of(inner), -1))):
            found[shown.alias_or_name] = known
    return found
