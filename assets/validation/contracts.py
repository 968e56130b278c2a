"""The readable contracts of the two small tables that decide: the table profile and the pairs.

Great Expectations states them; a failure comes with examples. What relates records to each other (references run again,
promises, splits) is checked in SQL and Python, where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assets.validation.table_profile import ColumnProfile
from schemas.noise import Level, Promise
from schemas.pairs import Condition, GoldRow, Split
from schemas.questions import Intent, Scope
from schemas.tables import TABLES

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

IDS = ("subject_id", "hadm_id", "stay_id", "itemid", "labevent_id", "transfer_id", "pharmacy_id")
"""Columns whose numbers begin at 1."""

SHIFTED = r"^2[0-2]\d\d-"
"""De-identified dates lie between about 2100 and 2212: each patient's calendar is moved on its own."""


@dataclass(frozen=True)
class Broken:
    """One rule that does not hold."""

    rule: str
    column: str
    n: int
    """How many rows break it; 0 where the rule is about the table as a whole."""
    examples: tuple[str, ...]

    def __str__(self) -> str:
        where = f"{self.column}: " if self.column else ""
        shown = f", for example {', '.join(self.examples)}" if self.examples else ""
        return f"{where}{self.rule}" + (f" ({self.n:,} rows{shown})" if self.n else "")


def check_profile(profile: Sequence[ColumnProfile]) -> tuple[Broken, ...]:
    """The rules that the staged tables keep, seen through their profile.

    Args:
        profile: One row per column of every staged table.

    Returns:
        What is broken; empty if all hold.
    """
    from great_expectations.expectations.row_conditions import Column

    gxe = _expectations()

    indispensable = [table.name for table in TABLES.values() if table.indispensable]
    rules: list[Expectation] = [
        gxe.ExpectCompoundColumnsToBeUnique(column_list=["table", "column"]),
        gxe.ExpectColumnValuesToBeInSet(column="table", value_set=list(TABLES)),
        gxe.ExpectColumnDistinctValuesToContainSet(column="table", value_set=indispensable),
        gxe.ExpectColumnValuesToBeBetween(column="null_fraction", min_value=0, max_value=1),
        gxe.ExpectColumnValuesToBeBetween(
            column="null_fraction",
            max_value=0,
            row_condition=Column("required") == True,  # noqa: E712 - an expression
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(column_A="rows", column_B="distinct", or_equal=True),
        gxe.ExpectColumnValuesToBeBetween(
            column="rows", min_value=1, row_condition=Column("table").is_in(indispensable)
        ),
        gxe.ExpectColumnValuesToBeBetween(
            column="lowest_number", min_value=1, row_condition=Column("column").is_in(list(IDS))
        ),
        gxe.ExpectColumnValuesToMatchRegex(
            column="lowest", regex=SHIFTED, row_condition=Column("type").is_in(["timestamp", "date"])
        ),
        gxe.ExpectColumnValuesToMatchRegex(
            column="highest", regex=SHIFTED, row_condition=Column("type").is_in(["timestamp", "date"])
        ),
    ]
    rows = [
        asdict(column)
        | {"lowest_number": float(column.lowest) if column.type == "integer" and column.lowest is not None else None}
        for column in profile
    ]
    return _validate("table_profile", rows, rules)


def pair_table(rows: Iterable[GoldRow]) -> list[dict[str, Any]]:
    """The tasks as a flat table: what the contract is about and what a maintainer looks at."""
    return [
        {
            "pair_id": row.pair_id,
            "task_id": row.task_id,
            "condition": row.condition.value,
            "split": row.split.value,
            "intent": row.intent.value,
            "scope": row.scope.value,
            "level": row.level.value,
            "operator": row.operator,
            "severity": row.severity,
            "promise": row.promise.value,
            "template": row.template,
            "question": row.question,
            "reference_sql": row.reference_sql,
            "witness_sql": row.witness_sql,
            "abstains": row.gold is None,
            "patients": len(row.subject_ids),
            "records": sum(records.n for records in row.records),
            "edits": len(row.overlay.edits),
        }
        for row in rows
    ]


def check_pairs(rows: Sequence[GoldRow]) -> tuple[Broken, ...]:
    """The rules that the tasks of a release keep, each on its own.

    Args:
        rows: Both tasks of every pair.

    Returns:
        What is broken; empty if all hold.
    """
    from great_expectations.expectations.row_conditions import Column

    gxe = _expectations()

    words = {"condition": Condition, "split": Split, "intent": Intent, "scope": Scope, "level": Level}
    rules: list[Expectation] = [
        gxe.ExpectTableRowCountToBeBetween(min_value=2),
        gxe.ExpectColumnValuesToBeUnique(column="task_id"),
        gxe.ExpectColumnValuesToMatchRegex(column="task_id", regex="^[0-9a-f]{16}$"),
        gxe.ExpectCompoundColumnsToBeUnique(column_list=["pair_id", "condition"]),
        *(
            gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[word.value for word in enum])
            for column, enum in (words | {"promise": Promise}).items()
        ),
        gxe.ExpectColumnValueLengthsToBeBetween(column="question", min_value=20, max_value=4000),
        gxe.ExpectColumnValuesToMatchRegex(column="reference_sql", regex=r"^\s*(?:WITH|SELECT)\b"),
        gxe.ExpectColumnValuesToMatchRegex(column="witness_sql", regex=r"^\s*(?:WITH|SELECT)\b"),
        gxe.ExpectColumnValuesToBeBetween(
            column="patients", min_value=1, row_condition=Column("scope") == Scope.PATIENT.value
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="patients", value_set=[0], row_condition=Column("scope") == Scope.POPULATION.value
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="abstains", value_set=[False], row_condition=Column("condition") == Condition.CLEAN.value
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="abstains",
            value_set=[True],
            row_condition=(Column("condition") == Condition.NOISE.value)
            & (Column("promise") == Promise.ABSTENTION.value),
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="edits",
            value_set=[0],
            row_condition=(Column("condition") == Condition.NOISE.value) & (Column("level") == Level.QUERY.value),
        ),
    ]
    return _validate("pairs", pair_table(rows), rules)


def _expectations() -> Any:
    """Great Expectations' rules. It takes seconds to import, and only a check needs it."""
    return import_module("great_expectations.expectations")


def _validate(name: str, rows: Sequence[dict[str, Any]], rules: Sequence[Expectation]) -> tuple[Broken, ...]:
    import great_expectations as gx
    import pandas as pd

    context: Any = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    batch = (
        context.data_sources.add_pandas(name)
        .add_dataframe_asset(name)
        .add_batch_definition_whole_dataframe(name)
        .get_batch(batch_parameters={"dataframe": pd.DataFrame(list(rows))})
    )
    result = batch.validate(gx.ExpectationSuite(name=name, expectations=list(rules)))
    return tuple(_broken(found) for found in result.results if not found.success)


def _broken(found: Any) -> Broken:
    config, result = found.expectation_config, found.result or {}
    arguments = {k: v for k, v in config.kwargs.items() if k not in ("batch_id", "column", "row_condition")}
    column = config.kwargs.get("column", "")
    shown = ", ".join(f"{k}={v}" for k, v in sorted(arguments.items()))
    if condition := config.kwargs.get("row_condition"):
        shown += f" where {_condition(condition)}"
    # An expectation that could not be evaluated has no result but an exception: it is broken all the same.
    examples = [str(example) for example in result.get("partial_unexpected_list", [])[:3]]
    return Broken(f"{config.type}({shown})", column, int(result.get("unexpected_count") or 0), tuple(examples))


def _condition(condition: dict[str, Any]) -> str:
    if condition["type"] == "and":
        return " and ".join(_condition(part) for part in condition["conditions"])
    return f"{condition['column']['name']} {condition['operator']} {condition['parameter']}"
