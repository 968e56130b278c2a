"""Group `validation`: the pairs examined by running them, and read by a model where an endpoint is named."""

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of, key_of
from assets.graph.workbench import CODE, Workbench
from robustgym import timing


@dg.asset(
    key=keys.VALIDATION_REPORT,
    group_name="validation",
    kinds={"duckdb"},
    owners=OWNERS,
    deps=[keys.PAIRS, keys.WAREHOUSE],
    code_version=code_of(*CODE["validation_report"]),
    check_specs=[
        dg.AssetCheckSpec(
            "references_give_the_gold",
            asset=keys.VALIDATION_REPORT,
            blocking=True,
            description="Every reference, run again through the session an agent gets, gives the gold answer.",
        ),
        dg.AssetCheckSpec(
            "silence_scores_nothing",
            asset=keys.VALIDATION_REPORT,
            blocking=True,
            description="An agent that abstains without having looked scores 0.",
        ),
        dg.AssetCheckSpec(
            "nothing_is_given_away",
            asset=keys.VALIDATION_REPORT,
            blocking=True,
            description="No classifier tells noise from clean by what an agent sees before its first query.",
        ),
    ],
)
def validation_report(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """The examination of exactly these pairs. One row is one problem; the release refuses a report about others."""
    with said_plainly(), Workbench(build.plan(), progress_of(context.log.info)) as bench:
        product = bench.validation_report(make=True)
        times = timing.noise_against_clean(timing.read(bench.timings))
    report = product.value
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(report.problems),
            "pairs": report.pairs,
            "yardsticks": dg.MetadataValue.md(
                tables.table(["agent", "score"], [[name, f"{s:.4f}"] for name, s in report.yardsticks.items()])
            ),
            "shortcuts": dg.MetadataValue.md(tables.shortcuts(report.shortcuts)),
            "time to answer, noise against clean": dg.MetadataValue.md(
                tables.table(["intent", "scope", "ratio of medians"], times)
            ),
            "problems": dg.MetadataValue.md(tables.table(["problem"], [[what] for what in report.problems[:50]])),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="references_give_the_gold",
                passed=report.answers_hold,
                description=None if report.answers_hold else "; ".join(report.problems[:3]),
            ),
            dg.AssetCheckResult(check_name="silence_scores_nothing", passed=report.silence_fails),
            dg.AssetCheckResult(
                check_name="nothing_is_given_away",
                passed=not report.given_away,
                description="; ".join(report.given_away) or None,
            ),
        ],
    )


@dg.asset(
    key=keys.MODEL_CHECK,
    group_name="validation",
    kinds={"openai"},
    owners=OWNERS,
    deps=[keys.PAIRS],
    code_version=code_of("assets/validation/model_check.py"),
    check_specs=[
        dg.AssetCheckSpec(
            "a_model_has_read_the_pairs",
            asset=keys.MODEL_CHECK,
            description="A language model finds that both questions read naturally and differ only where they should.",
        )
    ],
)
def model_check(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """What a language model says of the wording. One row is one objection; without an endpoint it says so."""
    with said_plainly(), Workbench(build.plan(), progress_of(context.log.info)) as bench:
        check = bench.model_check()
    verified = check.status == "verified by a model"
    return dg.MaterializeResult(
        data_version=dg.DataVersion(key_of(check=check.model_dump(mode="json"))[:16]),
        metadata={
            "dagster/row_count": len(check.objections),
            "status": check.status,
            "model": check.model or "none",
            "endpoint": check.endpoint or "none: set ROBUSTGYM_MODEL_URL and ROBUSTGYM_MODEL",
            "asked": check.asked,
            "natural": check.natural,
            "differs only where it should": check.differs_only_where_it_should,
            "objections": dg.MetadataValue.md(tables.table(["pair", "objection"], check.objections)),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="a_model_has_read_the_pairs",
                passed=verified and not check.objections,
                severity=dg.AssetCheckSeverity.WARN,
                description=check.status if not verified else f"{len(check.objections)} objections",
            )
        ],
    )
