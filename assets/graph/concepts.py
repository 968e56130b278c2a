"""Group `concepts`: the curated tables, held against the source's own dictionaries."""

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.versions import code_of
from assets.graph.workbench import CODE, Workbench


@dg.asset(
    key=keys.CONCEPT_CHECK,
    group_name="concepts",
    kinds={"csv", "duckdb"},
    owners=OWNERS,
    # The profile's rules block: nothing is asked of tables that break them.
    deps=[keys.WAREHOUSE, keys.TABLE_PROFILE],
    code_version=code_of(*CODE["concept_check"]),
    check_specs=[
        dg.AssetCheckSpec(
            "labels_agree",
            asset=keys.CONCEPT_CHECK,
            description="Every curated item bears the same label in this source's dictionary.",
        )
    ],
)
def concept_check(build: Build) -> dg.MaterializeResult:
    """What this source lacks of the curated concepts, or calls otherwise. One row is one concept, with the reason."""
    with said_plainly(), Workbench(build.plan()) as bench:
        product = bench.concept_check(make=True)
    check = product.value
    lacking = {pool: sum(lack.pool is pool for lack in check.lacking) for pool in check.curated}
    renamed = [[r.pool, r.id, r.itemid, r.curated, r.here] for r in check.renamed]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(check.lacking),
            "pools": dg.MetadataValue.md(
                tables.table(["pool", "curated", "lacking"], [[p, n, lacking[p]] for p, n in check.curated.items()])
            ),
            "lacking": dg.MetadataValue.md(
                tables.table(
                    ["pool", "concept", "why"], [[lack.pool, lack.lay_name, lack.why] for lack in check.lacking]
                )
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="labels_agree",
                passed=not renamed,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={
                    "renamed": dg.MetadataValue.md(tables.table(["pool", "id", "itemid", "curated", "here"], renamed))
                },
            )
        ],
    )
