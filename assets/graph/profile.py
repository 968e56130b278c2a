"""Group `profile`: what the staged tables hold, and the rules they keep."""

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of
from assets.graph.workbench import CODE, Workbench


@dg.asset(
    key=keys.TABLE_PROFILE,
    group_name="profile",
    kinds={"duckdb"},
    owners=OWNERS,
    deps=[keys.WAREHOUSE],
    code_version=code_of(*CODE["table_profile"]),
)
def table_profile(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """What each column holds. One row is one column of a staged table: rows, share of NULL, distinct values, range."""
    with said_plainly(), Workbench(build.plan(), progress_of(context.log.info)) as bench:
        product = bench.table_profile(make=True)
    columns = product.value
    rows = {column.table: column.rows for column in columns}
    empty = [f"{c.table}.{c.column}" for c in columns if c.rows and c.null_fraction == 1]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(columns),
            "records": sum(rows.values()),
            "rows by table": dg.MetadataValue.md(tables.table(["table", "rows"], sorted(rows.items()))),
            "columns that are always NULL": ", ".join(empty) or "none",
        },
    )


@dg.asset_check(asset=keys.TABLE_PROFILE, name="tables_keep_their_rules", blocking=True)
def tables_keep_their_rules(build: Build) -> dg.AssetCheckResult:
    """Great Expectations over the profile: required columns filled, ids from 1 up, dates in the shifted calendar."""
    with said_plainly(), Workbench(build.plan()) as bench:
        broken = bench.profile_contract(make=True).value
    return dg.AssetCheckResult(
        passed=not broken,
        description="; ".join(broken) or None,
        metadata={"broken": dg.MetadataValue.md(tables.table(["rule"], [[rule] for rule in broken]))},
    )
