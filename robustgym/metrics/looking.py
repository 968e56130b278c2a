"""Where an episode has looked: which tables, patients and concepts its successful calls name or show.

Statements are read word by word, without their comments. Reading errs on the side of the agent: whoever names a table
has looked at it, and a word of a concept's name is as good as its code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from schemas.pairs import GoldRow
from schemas.questions import Role
from schemas.tables import TABLES
from schemas.verdicts import Call, Transcript

KEYS = frozenset({"itemid", "icd_code", "drg_code", "hcpcs_cd", "drug", "medication", "ab_name", "test_name"})
"""Columns by which a record is one of a concept."""

_IDS = ("subject_id", "hadm_id", "stay_id")


@dataclass(frozen=True)
class Looked:
    """What the successful reading calls of an episode name and show."""

    transcript: Transcript

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Calls that read and were answered."""
        return tuple(
            c for c in self.transcript.calls if c.tool in ("schema", "sql", "python") and c.shown.get("columns")
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Words of statements and cells of Python, in small letters, comments apart."""
        return frozenset(word for call in self.calls for word in _words(call))

    @cached_property
    def shown(self) -> str:
        """All cells that were shown, in small letters."""
        return "\n".join(
            str(cell) for c in self.calls if c.tool != "schema" for row in c.shown["rows"] for cell in row
        ).lower()

    @cached_property
    def tables(self) -> frozenset[str]:
        """Tables whose records were read."""
        return self.words & TABLES.keys()

    @cached_property
    def described(self) -> frozenset[str]:
        """Tables whose columns were looked at."""
        return frozenset(
            str(call.arguments.get("table", "")).lower() for call in self.calls if call.tool == "schema"
        ) - {""}

    def named(self, ids: Iterable[int | str]) -> bool:
        """Whether any of these ids stands in a call or in what it showed."""
        wanted = {str(one) for one in ids}
        return not wanted.isdisjoint(self.words) or not wanted.isdisjoint(re.findall(r"\w+", self.shown))

    def mentions(self, keys: Iterable[str]) -> bool:
        """Whether any of these codes, or words, stands in a call or in what it showed."""
        text = "\n".join((*sorted(self.words), self.shown))
        return any(re.search(rf"(?<!\w){re.escape(key.lower())}", text) for key in keys)


def _words(call: Call) -> Iterable[str]:
    if call.tool == "sql":
        statement = str(call.arguments.get("statement", ""))
        try:
            tokens = [token.text for token in sqlglot.tokenize(statement, read="duckdb")]
        except SqlglotError:
            tokens = [statement]
        return [word for token in tokens for word in (token.lower(), *re.findall(r"\w+", token.lower()))]
    return re.findall(r"\w+", str(call.arguments.get("code", "")).lower()) if call.tool == "python" else []


def ids_of(row: GoldRow) -> frozenset[str]:
    """Ids that name the patient a task asks about; none of a population question."""
    found = (*row.subject_ids, *(row.parameters.get(name) for name in _IDS)) if row.scope == "patient" else ()
    return frozenset(str(value) for value in found if value is not None)


def targets_of(row: GoldRow) -> frozenset[str]:
    """Tables that hold the records an answer is made of."""
    return frozenset(records.table for records in row.records if records.role == Role.TARGET) or frozenset(row.tables)


def keys_of(row: GoldRow) -> tuple[str, ...]:
    """Codes of the concept a task asks about, as its reference writes them, and the words of its name.

    Empty where the question is about no concept, or about one that is a column: nothing can be said of it then.
    """
    name = row.parameters.get("concept")
    if not isinstance(name, str):
        return ()
    try:
        tree = sqlglot.parse_one(row.reference_sql, read="duckdb")
    except SqlglotError:
        return ()
    codes = {
        literal.name.lower()
        for part in tree.find_all(exp.CTE)
        if part.alias.startswith(("target", "seen"))
        for test in part.find_all(exp.In, exp.EQ, exp.StartsWith)
        if not KEYS.isdisjoint(column.name for column in test.find_all(exp.Column))
        for literal in test.find_all(exp.Literal)
    }
    return tuple(sorted(codes | {w for w in re.split(r"\W|_", name.lower()) if len(w) > 3})) if codes else ()
