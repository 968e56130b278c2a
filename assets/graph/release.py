"""Group `release`: what is published."""

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.publish import publish, sums
from assets.graph.versions import code_of
from assets.graph.workbench import Workbench
from assets.release import ReleaseRefused
from robustgym import timing


@dg.asset(
    key=keys.RELEASE,
    group_name="release",
    kinds={"parquet"},
    owners=OWNERS,
    deps=[keys.PAIRS, keys.VALIDATION_REPORT, keys.MODEL_CHECK, keys.TABLE_PROFILE],
    code_version=code_of("assets/release", "assets/pairs/drafting.py", "robustgym/layout.py", "schemas"),
)
def published_release(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """One directory that anyone can work with alone. One row is one task, in `tasks`; what proves it is in `gold`."""
    with said_plainly(), Workbench(build.plan(), progress_of(context.log.info)) as bench:
        try:
            published = publish(bench)
        except ReleaseRefused as refused:
            raise dg.Failure(
                description="the release does not prove itself: " + "; ".join(refused.reasons), allow_retries=False
            ) from None
    draft = published.draft
    return dg.MaterializeResult(
        data_version=dg.DataVersion(sums(published.path) or ""),
        metadata={
            "dagster/row_count": len(draft.rows),
            "directory": dg.MetadataValue.path(str(published.path)),
            "state": "unchanged, not written again" if published.reused else "written",
            "version": draft.version,
            "licence class": draft.source.kind,
            "coverage": dg.MetadataValue.md(tables.heat_map(draft.rows)),
            "left out": dg.MetadataValue.md(tables.table(["what", "why"], draft.left_out)),
            "drops": dg.MetadataValue.md(tables.drops(draft.drops)),
            "model check": draft.model_check.status,
            "time per reference": dg.MetadataValue.md(
                tables.table(timing.COLUMNS, timing.read(timing.path_beside(published.path)))
            ),
        },
    )
