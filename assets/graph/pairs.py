"""Group `pairs`: the balanced set that is released, and its contract."""

from collections import Counter

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.versions import code_of
from assets.graph.workbench import CODE, Workbench, rows
from noise_ops import operators
from robustgym import consistency
from robustgym.report.coverage import lone, outcomes


@dg.asset(
    key=keys.PAIRS,
    group_name="pairs",
    kinds={"python"},
    owners=OWNERS,
    deps=[keys.QUESTIONS, keys.NATURAL, *(keys.noise(name) for name in operators())],
    code_version=code_of(*CODE["balanced_pairs"]),
    check_specs=[
        dg.AssetCheckSpec("cells_are_full", asset=keys.PAIRS, description="Each cell has as many pairs as asked for."),
        dg.AssetCheckSpec(
            "no_cell_rests_on_one_operator",
            asset=keys.PAIRS,
            description="Each cell has pairs of two operators at least: else a score there is a score on one fault.",
        ),
        dg.AssetCheckSpec(
            "splits_share_nobody",
            asset=keys.PAIRS,
            blocking=True,
            description="Train and test share no patient and no population question.",
        ),
        dg.AssetCheckSpec(
            "silence_is_no_better_than_chance",
            asset=keys.PAIRS,
            blocking=True,
            description="Of a cell's noise tasks, no more are abstentions than their even share among the promises.",
        ),
    ],
)
def balanced_pairs(build: Build) -> dg.MaterializeResult:
    """The balanced set. One row is one pair: a clean task, its noise task, and everything an agent must not see."""
    with said_plainly(), Workbench(build.plan()) as bench:
        product = bench.pairs(make=True)
        shown = bench.source.kind != "credentialed"
        covered = bench.coverage()
        profile = bench.plan.profile
    chosen = product.value
    tasks = rows(chosen)
    shared = tuple(consistency.splits(tasks))
    silent = tuple(consistency.abstentions(profile, chosen.pairs))
    levels = Counter((pair.clean.split, pair.clean.level) for pair in chosen.pairs)
    makers = Counter(pair.clean.operator for pair in chosen.pairs)
    found = Counter(pair.clean.operator for pair in chosen.pairs if pair.clean.origin == "natural")
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(chosen.pairs),
            "coverage": dg.MetadataValue.md(tables.heat_map(tasks)),
            "coverage by operator": dg.MetadataValue.md(tables.coverage(covered)),
            "cells that rest on one operator": dg.MetadataValue.md(
                tables.table(["cell", "operator", "pairs"], lone(tasks))
            ),
            "what becomes of the answer": dg.MetadataValue.md(
                tables.table(
                    ["level", "answer", "pairs", "operators", ""],
                    [
                        [o.level, o.promise, o.pairs, ", ".join(o.operators), "too few operators" if o.few else ""]
                        for o in outcomes(tasks, profile)
                    ],
                )
            ),
            "levels": dg.MetadataValue.md(
                tables.table(["split", "level", "pairs"], [[*key, n] for key, n in sorted(levels.items())])
            ),
            "operators": dg.MetadataValue.md(
                tables.table(
                    ["operator", "pairs", "of them natural"],
                    [[name, makers[name], found[name]] for name in operators()],
                )
            ),
            "short cells": dg.MetadataValue.md(tables.table(["cell", "pairs"], chosen.short)),
            "reworded by a model": dg.MetadataValue.md(tables.table(["", "pairs"], chosen.reworded)),
            "drops": dg.MetadataValue.md(tables.drops(chosen.drops)),
            "sample": dg.MetadataValue.md(
                tables.sample(chosen.pairs) if shown else "not shown: the records are credentialed"
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="cells_are_full",
                passed=not chosen.short,
                severity=dg.AssetCheckSeverity.WARN,
                description=f"cells with fewer pairs than asked for: {len(chosen.short)}" if chosen.short else None,
            ),
            dg.AssetCheckResult(
                check_name="no_cell_rests_on_one_operator",
                passed=not lone(tasks),
                severity=dg.AssetCheckSeverity.WARN,
                description="; ".join(f"{cell}: {operator}" for cell, operator, _ in lone(tasks)) or None,
            ),
            dg.AssetCheckResult(
                check_name="splits_share_nobody",
                passed=not shared,
                description=" ".join(shared[:5]) or None,
            ),
            dg.AssetCheckResult(
                check_name="silence_is_no_better_than_chance",
                passed=not silent,
                description=" ".join(silent[:5]) or None,
            ),
        ],
    )


@dg.asset_check(asset=keys.PAIRS, name="pairs_keep_their_contract", blocking=True)
def pairs_keep_their_contract(build: Build) -> dg.AssetCheckResult:
    """Great Expectations over the pairs: ids unique, words known, questions and statements well formed, golds given."""
    with said_plainly(), Workbench(build.plan()) as bench:
        broken = bench.pairs_contract(make=True).value
    return dg.AssetCheckResult(
        passed=not broken,
        description="; ".join(broken) or None,
        metadata={"broken": dg.MetadataValue.md(tables.table(["rule"], [[rule] for rule in broken]))},
    )
