"""Group `questions`: every template asked of the hospital."""

from collections import Counter

import dagster as dg

from assets.graph import keys, tables
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of
from assets.graph.workbench import CODE, Workbench
from assets.questions import catalogue


@dg.asset(
    key=keys.QUESTIONS,
    group_name="questions",
    kinds={"python", "duckdb"},
    owners=OWNERS,
    deps=[keys.WAREHOUSE, keys.CONCEPT_CHECK],
    code_version=code_of(*CODE["clean_questions"]),
    check_specs=[
        dg.AssetCheckSpec(
            "every_cell_is_asked",
            asset=keys.QUESTIONS,
            description="Each of the 12 cells (intent × scope) has clean questions.",
        )
    ],
)
def clean_questions(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """Clean questions, asked and answered. One row is a template with its parameters filled in and its gold answer."""
    with said_plainly(), Workbench(build.plan(), progress_of(context.log.info)) as bench:
        product = bench.questions(make=True)
    questions = product.value
    templates = {template.id: template for template in catalogue()}
    cells = Counter((templates[a.template].intent, templates[a.template].scope) for a in questions.asked)
    every = sorted({(template.intent, template.scope) for template in templates.values()})
    silent = [f"{intent}, {scope}" for intent, scope in every if not cells[intent, scope]]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(product.content),
        metadata={
            "dagster/row_count": len(questions.asked),
            "templates": len(templates),
            "cells": dg.MetadataValue.md(
                tables.table(["intent", "scope", "questions"], [[*cell, cells[cell]] for cell in every])
            ),
            "templates left out": dg.MetadataValue.md(tables.table(["template", "why"], questions.left_out)),
            "drops": dg.MetadataValue.md(tables.drops(questions.drops)),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="every_cell_is_asked",
                passed=not silent,
                severity=dg.AssetCheckSeverity.WARN,
                description=f"no question for {'; '.join(silent)}" if silent else None,
            )
        ],
    )
