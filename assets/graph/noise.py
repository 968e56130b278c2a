"""Group `noise`: one asset per operator, found in the folder. A new operator's file is a new asset."""

from collections import Counter
from collections.abc import Mapping

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of, key_of
from assets.graph.workbench import CODE, Workbench
from assets.pairs.drafting import coverage
from noise_ops import Operator, operators
from schemas.noise import Level


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
                "bite (%)": round(100 * sum(pair.noise.bites for pair in made.pairs) / max(1, len(made.pairs)), 1),
                "coverage": dg.MetadataValue.md(tables.covered(coverage([made], (), made.drops))),
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


@dg.asset(
    key=keys.NATURAL,
    group_name="noise",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    deps=[keys.QUESTIONS, keys.WAREHOUSE],
    # The text of every operator that says how its fault occurs by nature is part of it.
    code_version=key_of(
        operators={name: operator.version for name, operator in operators().items() if operator.natural},
        framework=code_of(*CODE["natural"]),
    )[:16],
    check_specs=[
        dg.AssetCheckSpec(
            "found_at_every_level",
            asset=keys.NATURAL,
            description="The hospital has natural noise of records, of values and of questions.",
        )
    ],
)
def natural(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """Faults found, not made. One row is one pair: a unit whose record cannot answer, and another unit's that can."""
    with said_plainly():
        plan = build.plan()
        with Workbench(plan, progress_of(context.log.info)) as bench:
            product = bench.natural(make=True)
            shown = bench.source.kind != "credentialed"
    pairs = [pair for made in product.value for pair in made.pairs]
    levels = Counter(pair.noise.level for pair in pairs)
    none = [level.value for level in Level if not levels[level]]
    known = operators()
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(pairs),
            "operators": dg.MetadataValue.md(
                tables.table(
                    ["operator", "level", "units looked at", "pairs"],
                    [
                        [made.operator, known[made.operator].level, sum(n for *_, n in made.tried), len(made.pairs)]
                        for made in product.value
                    ],
                )
            ),
            "levels": dg.MetadataValue.md(tables.table(["level", "pairs"], [[v.value, levels[v]] for v in Level])),
            "drops": dg.MetadataValue.md(tables.drops([drop for made in product.value for drop in made.drops])),
            "sample": dg.MetadataValue.md(tables.sample(pairs) if shown else "not shown: the records are credentialed"),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="found_at_every_level",
                passed=not none or not plan.profile.natural,
                severity=dg.AssetCheckSeverity.WARN,
                description=f"none found at the level of {', '.join(none)}" if none else None,
            )
        ],
    )


def noise_assets(found: Mapping[str, Operator] | None = None) -> list[dg.AssetsDefinition]:
    """One asset for each operator, by level and name; of those in the folder, unless others are given."""
    return [noise_asset(operator) for operator in (operators() if found is None else found).values()]
