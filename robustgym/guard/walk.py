"""One pass over a statement's parse tree, in which every node is either known or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from robustgym.guard import advice
from robustgym.guard.words import (
    BY_NAME,
    EXPRESSIONS,
    FUNCTIONS,
    JOINS,
    LONGEST,
    MODIFIERS,
    OPERATORS,
    PSEUDO_COLUMNS,
    QUERIES,
    SESSION_WORDS,
    SIZED,
    TABLE_FUNCTIONS,
    TYPES,
    Refused,
)

NODES = 20_000
"""Parts of a statement."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Node = Mapping[str, Any]
Names = frozenset[str]
"""WITH queries in scope, in small letters. A name from another branch would let the catalogue through."""


class Walk:
    """The state of the pass: what has been read so far."""

    def __init__(self, tables: Names, columns: Names) -> None:
        self.tables, self.columns = tables, columns
        self.read: set[str] = set()
        """Base tables the statement reads."""
        self.described: set[str] = set()
        """Base tables whose columns it asks for."""
        self._nodes = 0

    # -- queries -------------------------------------------------------------------------------------------------

    def query(self, node: Any, scope: Names) -> None:
        """A SELECT, a union of them, or a recursive WITH query."""
        node = _mapping(node)
        self._count()
        kind = node.get("type")
        if kind not in QUERIES:
            raise Refused(advice.no_query(str(kind)))
        scope = self._with(node.get("cte_map"), scope)
        match kind:
            case "RECURSIVE_CTE_NODE":
                inner = scope | {_name(node["cte_name"])}
                self.query(node["left"], scope)
                self.query(node["right"], inner)
                self._rest(node, {"left", "right", "cte_map", "type", "cte_name"}, inner)
            case "CTE_NODE":
                self.query(node["query"], scope)
                self.query(node["child"], scope | {_name(node["cte_name"])})
                self._rest(node, {"query", "child", "cte_map", "type", "cte_name"}, scope)
            case "SET_OPERATION_NODE":
                for child in node.get("children") or (node["left"], node["right"]):
                    self.query(child, scope)
                self._rest(node, {"children", "left", "right", "cte_map", "type"}, scope)
            case _:
                if node.get("sample"):
                    raise Refused(advice.NO_SAMPLE)
                self.table(node["from_table"], scope)
                self._rest(node, {"from_table", "cte_map", "type", "sample"}, scope)

    def _with(self, cte_map: Any, scope: Names) -> Names:
        """The scope after a list of WITH queries, each of which sees those before it."""
        for entry in _mapping(cte_map or {}).get("map", ()):
            query = entry["value"].get("query_node") or entry["value"]["query"]["node"]
            self.query(query, scope)
            self._rest(entry["value"], {"query_node", "query"}, scope)
            scope = scope | {_name(entry["key"])}
        return scope

    # -- tables --------------------------------------------------------------------------------------------------

    def table(self, node: Any, scope: Names) -> None:
        """What stands in FROM."""
        if node is None:
            return
        node = _mapping(node)
        self._count()
        if node.get("sample"):
            raise Refused(advice.NO_SAMPLE)
        match kind := node.get("type"):
            case "BASE_TABLE":
                self._base(node, scope)
            case "SUBQUERY":
                self.query(node["subquery"]["node"], scope)
                self._rest(node, {"subquery", "type"}, scope)
            case "JOIN":
                if node.get("ref_type") not in JOINS:
                    raise Refused(f"{node.get('ref_type')} JOIN is not available: rows have no position. Join on keys.")
                self.table(node["left"], scope)
                self.table(node["right"], scope)
                self._rest(node, {"left", "right", "type", "ref_type"}, scope)
            case "TABLE_FUNCTION":
                self._table_function(node, scope)
            case "SHOW_REF":
                if node.get("show_type") not in {"DESCRIBE", "SUMMARY"} or not node.get("query"):
                    raise Refused("Use DESCRIBE <table> or SHOW TABLES. " + advice.tables(self.tables))
                before = set(self.read)
                self.read.clear()
                self.query(node["query"], scope)
                self.described |= self.read
                self.read |= before
            case "PIVOT":
                self.table(node["source"], scope)
                self._rest(node, {"source", "type"}, scope)
            case "EMPTY" | "EXPRESSION_LIST":
                self._rest(node, {"type"}, scope)
            case _:
                raise Refused(f"{kind} is not available in FROM.")

    def _base(self, node: Node, scope: Names) -> None:
        name, schema = str(node["table_name"]), ".".join(node["qualified_name"]["path"][:-1])
        if node.get("at_clause"):
            raise Refused("AT (time travel) is not available.")
        if schema or node.get("schema_name") or node.get("catalog_name"):
            if name.lower() in self.tables and schema.lower() not in {"information_schema", "pg_catalog", "system"}:
                raise Refused(f"Write {name} without a schema: tables are not qualified here.")
            raise Refused(f"{schema[:60]}.{name[:60]} is not available. " + advice.tables(self.tables))
        if name.isascii() and name.lower() in scope:
            return
        if not name.isascii() or name.lower() not in self.tables:
            raise Refused(advice.no_table(name, self.tables))
        self.read.add(name.lower())
        self._rest(node, {"type", "qualified_name", "column_name_alias"}, scope)

    def _table_function(self, node: Node, scope: Names) -> None:
        function = _mapping(node["function"])
        name = str(function.get("function_name", "")).lower()
        if name not in TABLE_FUNCTIONS or _qualified(function):
            raise Refused(f"The table function {name[:40]}() is not available. " + advice.tables(self.tables))
        self._lengths(name, function)
        self._rest(function, {"class", "type", "function_name", "qualified_name"}, scope)
        self._rest(node, {"function", "type", "column_name_alias"}, scope)

    # -- expressions ---------------------------------------------------------------------------------------------

    def expression(self, node: Node, scope: Names) -> None:
        """A value, a test, a call."""
        self._count()
        kind = node["class"]
        match kind:
            case "PARAMETER":
                raise Refused(advice.NO_PARAMETERS)
            case _ if kind not in EXPRESSIONS:
                raise Refused(f"{kind} is not available.")
            case "CONSTANT":
                return
            case "SUBQUERY":
                self.query(node["subquery"]["node"], scope)
                self._rest(node, {"subquery", "class", "type"}, scope)
                return
            case "FUNCTION" | "WINDOW":
                self._call(node)
            case "COLUMN_REF":
                self._column([str(name).lower() for name in node["column_names"]])
            case "TYPE":
                name = str(node["type_name"])
                if _qualified(node) or name.lower() not in TYPES:
                    raise Refused(f"The type {name[:40]} is not available.")
        self._rest(node, {"class", "type", "column_names", "function_name", "type_name", "qualified_name"}, scope)

    def _call(self, node: Node) -> None:
        name = str(node.get("function_name", "")).lower()
        if _qualified(node):
            raise Refused(f"Write {name[:40]}() without a schema.")
        if name not in FUNCTIONS and name not in OPERATORS and name != "unnest":
            raise Refused(advice.no_function(name))
        if name == "age" and len(_arguments(node)) == 1:
            raise Refused("age(x) measures from the wall clock; use age(later, earlier) or date_diff('day', a, b).")
        if name in BY_NAME:
            self._named_call(name, _arguments(node))
        self._lengths(name, node)

    def _named_call(self, name: str, arguments: list[Node]) -> None:
        """A function that calls another by its name calls none that could not be called by itself."""
        called = arguments[1] if len(arguments) > 1 else {}
        literal = called.get("literal") or {}
        if called.get("class") != "CONSTANT" or literal.get("kind") != "STRING":
            raise Refused(f"{name}() needs the aggregate's name as a text, as in {name}(l, 'sum').")
        if str(literal.get("text", "")).lower() not in FUNCTIONS:
            raise Refused(advice.no_function(str(literal.get("text", "")).lower()))

    def _lengths(self, name: str, node: Node) -> None:
        """No function is asked by a constant for a result that alone would exhaust the memory."""
        if name not in SIZED:
            return
        for argument in _arguments(node):
            literal = argument.get("literal") if argument.get("class") == "CONSTANT" else None
            if literal and literal.get("kind") in {"INTEGER", "NUMERIC"} and _size(literal["text"]) > LONGEST:
                raise Refused(f"{name}() over more than {LONGEST:,} steps is too long.")

    def _column(self, names: list[str]) -> None:
        if len(names) == 1 and names[0] in SESSION_WORDS and names[0] not in self.columns:
            raise Refused(f"{names[0]} is not available: {advice.NO_CLOCK}")
        if names[-1] in PSEUDO_COLUMNS and names[-1] not in self.columns:
            raise Refused(f"There is no column {names[-1]!r}; rows are named by their keys.")

    # -- everything else -----------------------------------------------------------------------------------------

    def _rest(self, node: Node, done: Iterable[str], scope: Names) -> None:
        for key, value in node.items():
            if key not in done:
                self._any(value, scope)

    def _any(self, value: Any, scope: Names) -> None:
        """A part whose place in the tree says nothing of what it is."""
        if isinstance(value, list):
            for item in value:
                self._any(item, scope)
        elif isinstance(value, Mapping):
            self._count()
            kind = value.get("type")
            if "class" in value:
                self.expression(value, scope)
            elif isinstance(kind, str) and kind not in MODIFIERS:
                if not kind.endswith("_NODE"):
                    raise Refused(f"{kind[:40]} is not available.")
                self.query(value, scope)
            elif isinstance(value.get("node"), Mapping):
                self.query(value["node"], scope)
            else:
                self._rest(value, {"type"}, scope)

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > NODES:
            raise Refused(f"The statement has more than {NODES:,} parts; split it.")


def _mapping(node: Any) -> Node:
    if not isinstance(node, Mapping):
        raise Refused("The statement has a form that is not known here.")
    return node


def _name(name: Any) -> str:
    if not isinstance(name, str) or not _PLAIN_NAME.match(name):
        raise Refused(f'Name the WITH query "{str(name)[:40]}" with letters, digits and _ only.')
    return name.lower()


def _qualified(node: Node) -> bool:
    """Whether a function or type is named with a schema. A name can have four parts, of which two keys show two."""
    path = (node.get("qualified_name") or {}).get("path", [None])
    return len(path) != 1 or any(node.get(key) for key in ("schema", "catalog", "schema_name", "catalog_name"))


def _arguments(node: Node) -> list[Node]:
    arguments = node.get("arguments") or node.get("children") or []
    return [argument.get("expression", argument) for argument in arguments]


def _size(text: str) -> float:
    try:
        return abs(float(text.replace("_", "")))
    except ValueError:
        return float("inf")
