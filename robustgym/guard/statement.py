"""The guard's door: one statement in, what it reads out, or a refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import duckdb

from robustgym.engine import closed_off
from robustgym.guard import advice
from robustgym.guard.walk import Walk
from robustgym.guard.words import Refused

CHARACTERS = 20_000
BRACKETS = 100
"""Brackets open at a time: the engine's parser is recursive."""

_COMMENT = re.compile(r"(?s)/\*.*?\*/|--[^\n]*")


@dataclass(frozen=True, slots=True)
class Reading:
    """What an allowed statement reads."""

    tables: frozenset[str]
    lists_tables: bool = False
    """It is SHOW TABLES, which the session answers itself."""
    looks_at: frozenset[str] = frozenset()
    """Tables whose columns it asks for (DESCRIBE, SUMMARIZE)."""


class Guard:
    """Judges statements over a set of tables. May be shared by threads.

    >>> guard = Guard({"patients": ("subject_id", "gender")})
    >>> guard.read("SELECT gender FROM patients").tables
    frozenset({'patients'})
    >>> guard.read("WITH x AS (COPY patients TO 'p.csv') SELECT * FROM x")
    Traceback (most recent call last):
    robustgym.guard.words.Refused: COPY inside WITH is not available: the hospital is read-only.
    """

    def __init__(self, tables: Mapping[str, Sequence[str]]) -> None:
        self._tables = frozenset(tables)
        self._columns = frozenset(column for columns in tables.values() for column in columns)
        # The parser only ever parses: `json_serialize_sql` binds nothing and so has no side effect.
        self._parser = closed_off()
        self._lock = Lock()
        # A transcript is replayed in several hospitals, so most statements come again.
        self._known = lru_cache(maxsize=1024)(self._read)

    def read(self, sql: str) -> Reading:
        """Judge a statement.

        Args:
            sql: What an agent wrote, of any length and content.

        Raises:
            Refused: It may not run.
        """
        return self._known(sql)

    def _read(self, sql: str) -> Reading:
        if len(sql) > CHARACTERS:
            raise Refused(f"The statement is {len(sql):,} characters long; the limit is {CHARACTERS:,}.")
        if "\x00" in sql or any("\ud800" <= character <= "\udfff" for character in sql):
            raise Refused("The statement contains a character that is not text.")
        if _brackets(sql) > BRACKETS:
            raise Refused(f"The statement opens more than {BRACKETS} brackets at a time; split it into WITH queries.")
        bare = _COMMENT.sub(" ", sql).strip().rstrip(";").strip()
        if re.fullmatch(r"show\s+(all\s+)?tables", bare, re.IGNORECASE):
            return Reading(frozenset(), lists_tables=True)
        try:
            parsed = json.loads(self._parse(sql))
            if parsed["error"]:
                raise Refused(advice.unparsed(str(parsed.get("error_message", "")), bare))
            return self._judge(parsed["statements"])
        except RecursionError:
            raise Refused(advice.TOO_DEEP) from None

    def _parse(self, sql: str) -> str:
        try:
            with self._lock:
                row = self._parser.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        except duckdb.Error as error:
            raise Refused("Syntax error: " + str(error).splitlines()[0]) from None
        if row is None or not isinstance(row[0], str):
            raise Refused("There is no statement in the call.")
        return row[0]

    def _judge(self, statements: Sequence[Mapping[str, object]]) -> Reading:
        if len(statements) != 1:
            raise Refused("Send one statement per call." if statements else "There is no statement in the call.")
        [statement] = statements
        if set(statement) - {"node", "named_param_map"} or statement.get("named_param_map"):
            raise Refused(advice.NO_PARAMETERS)
        walk = Walk(self._tables, self._columns)
        walk.query(statement["node"], frozenset())
        return Reading(frozenset(walk.read), looks_at=frozenset(walk.described))


def _brackets(sql: str) -> int:
    """Most brackets open at a time, those in quotes counted too."""
    depth = deepest = 0
    for character in sql:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth = max(0, depth - 1)
    return deepest
