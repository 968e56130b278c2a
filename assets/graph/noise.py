"""Group `noise`: one asset per operator, found in the folder. A new operator's file is a new asset."""

from collections import Counter
from collections.abc import Mapping

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of, key_of
from assets.graph.workbench import CODE, Workbench
from noise_ops import Operator, operators


def noise_asset(operator: Operator) -> dg.AssetsDefinition:
    """The asset of one operator."""
    key = keys.noise(operator.name)

    @dg.asset(
        key=key,
        description=(
            f"{operator.summary}\n\nOne row is one pair whose promise ({operator.promise}) was kept. "
            f"Level: {operator.level}. Severities: {', '.join(operator.severities)}."
        ),
        group_name="noise",
        kinds={"python", "duckdb"},
        owners=OWNERS,
        tags={"level": operator.level.value},
        deps=[keys.QUESTIONS, keys.WAREHOUSE],
        # The operator's own text and the framework's: editing one operator marks no other stale.
        code_version=key_of(operator=operator.version, framework=code_of(*CODE["noise"]))[:16],
        check_specs=[
            dg.AssetCheckSpec(
                "yields_pairs",
                asset=key,
                description="It makes a pair of some question of this source, if the profile publishes its promise.",
            ),
            dg.AssetCheckSpec("keeps_its_promise", asset=key, description="Few candidates break the promise."),
        ],
    )
    def make_noise(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
        with said_plainly():
            plan = build.plan()
            with Workbench(plan, progress_of(context.log.info)) as bench:
                product = bench.candidates(operator, make=True)
                shown = bench.source.kind != "credentialed"
        made = product.value
        tried = sum(n for _, _, n in made.tried)
        cells = Counter((pair.clean.intent.value, pair.clean.scope.value) for pair in made.pairs)
        published = any(operator.promise_of(severity) in plan.profile.promises for severity in operator.severities)
        broken = sum(drop.n for drop in made.drops if drop.reason.startswith("promise broken"))
        return dg.MaterializeResult(
            data_version=dg.DataVersion(product.content),
            metadata={
                "dagster/row_count": len(made.pairs),
                "candidates": tried,
                "kept (%)": round(100 * len(made.pairs) / tried, 1) if tried else 0.0,
                "drops": dg.MetadataValue.md(tables.drops(made.drops)),
                "cells": dg.MetadataValue.md(
                    tables.table(["intent", "scope", "pairs"], [[*cell, n] for cell, n in sorted(cells.items())])
                ),
                # Dagster's history is kept apart from the records, and may be shown to others.
                "sample": dg.MetadataValue.md(
                    tables.sample(made.pairs) if shown else "not shown: the records are credentialed"
                ),
            },
            check_results=[
                dg.AssetCheckResult(
                    check_name="yields_pairs",
                    passed=bool(made.pairs) or not published,
                    severity=dg.AssetCheckSeverity.WARN,
                    description=_why_none(tried, published=published) if not made.pairs else None,
                ),
                dg.AssetCheckResult(
                    check_name="keeps_its_promise",
                    passed=2 * broken <= max(1, tried),
                    severity=dg.AssetCheckSeverity.WARN,
                    metadata={"broken": broken, "candidates": tried},
                ),
            ],
        )

    return make_noise


def _why_none(tried: int, *, published: bool) -> str:
    if not published:
        return "the profile publishes no pairs of its promise"
    return f"none of {tried} candidates was kept; the drops say why" if tried else "no question was put to it"


def noise_assets(found: Mapping[str, Operator] | None = None) -> list[dg.AssetsDefinition]:
    """One asset for each operator, by level and name; of those in the folder, unless others are given."""
    return [noise_asset(operator) for operator in (operators() if found is None else found).values()]
