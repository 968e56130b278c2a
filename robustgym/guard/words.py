"""The names that a statement may use: functions, operators, types, nodes of the parse tree. All others are refused."""

from __future__ import annotations

from pathlib import Path


class Refused(Exception):
    """The statement may not run; the message says why, and what to do instead."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _names(Path(__file__).with_name("functions.txt").read_text(encoding="utf-8"))
"""Functions, frozen. Not in it: whatever reads a clock, a file, a setting, the catalogue or chance (`random`), waits
(`sleep_ms`), or tells how the data are stored and so in which condition one is (`stats`, `vector_type`,
`json_serialize_plan`)."""

OPERATORS = _names(
    "!= % & && * ** + - ->> -> / // < << <= <@ = > >= >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~ !~~ !~~* !~~~ ! !~ ~*"
)

TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each"})

BY_NAME = _names("aggregate array_aggr array_aggregate list_aggr list_aggregate")
"""Functions that call another, which their second argument names."""

SIZED = frozenset({"range", "generate_series", "repeat", "lpad", "rpad", "list_resize", "array_resize"})
"""Functions whose result is as long as an argument says."""

LONGEST = 10_000_000
"""The longest result that a constant may ask one of them for."""

TYPES = _names(
    """
    bigint bignum bit blob bool boolean bpchar char date datetime decimal double enum float float4 float8 hugeint int
    int1 int128 int16 int2 int32 int4 int64 int8 integer interval json list array logical long map null numeric oid real
    row short signed smallint string struct text time time_ns timestamp timestamp_ms timestamp_ns timestamp_s
    timestamp_us timestamptz tinyint ubigint uhugeint uint128 uint16 uint32 uint64 uint8 uinteger usmallint utinyint
    uuid varchar
    """
) | {"timestamp with time zone", "time with time zone"}

CLOCK = _names("now today get_current_timestamp get_current_time transaction_timestamp current_date")

CHANCE = _names("random setseed uuid gen_random_uuid uuidv4 uuidv7 reservoir_quantile approx_quantile approx_top_k")
"""Functions whose result can't be repeated exactly: a replay would differ, and false evidence arise."""

SESSION_WORDS = _names(
    """
    current_date current_time current_timestamp localtime localtimestamp current_localtime current_localtimestamp
    current_user current_role current_catalog current_schema session_user user
    """
)
"""They read a clock or the session, but stand as columns in the parse tree."""

PSEUDO_COLUMNS = frozenset({"rowid", "filename", "file_row_number", "file_index", "tableoid"})

QUERIES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})

EXPRESSIONS = _names(
    """
    BETWEEN CASE CAST COLLATE COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION LAMBDA LAMBDA_REF OPERATOR
    POSITIONAL_REFERENCE STAR SUBQUERY TYPE WINDOW
    """
)

MODIFIERS = frozenset(
    {"LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "DISTINCT_MODIFIER"}
    | {"ORDER_DEFAULT", "ASCENDING", "DESCENDING"}
)

JOINS = frozenset({"REGULAR", "NATURAL", "CROSS", "ASOF", "DEPENDENT"})
