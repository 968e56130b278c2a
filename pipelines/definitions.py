"""The whole graph in one `Definitions`: what `dagster dev`, the command line and the tests load.

Wiring only. What an asset does is in `assets`, what an operator does in `noise_ops`; nothing is computed here.
"""

from collections.abc import Mapping

import dagster as dg

from assets.graph.build import Build
from assets.graph.concepts import concept_check
from assets.graph.noise import natural, noise_assets
from assets.graph.pairs import balanced_pairs, pairs_keep_their_contract
from assets.graph.profile import table_profile, tables_keep_their_rules
from assets.graph.questions import clean_questions
from assets.graph.release import published_release
from assets.graph.source import hospital_files, raw_files
from assets.graph.staging import staging_assets
from assets.graph.validation import model_check, validation_report
from pipelines import jobs, sensors
from pipelines.resources import build_from_environment


def build_definitions(
    build: Build | None = None, loggers: Mapping[str, dg.LoggerDefinition] | None = None
) -> dg.Definitions:
    """The definitions, for one build.

    Args:
        build: Source, profile, seed and directories; by default those of the environment.
        loggers: Loggers by name, for whoever watches a run in its own way.
    """
    return dg.Definitions(
        assets=[
            *raw_files,
            hospital_files,
            *staging_assets,
            table_profile,
            concept_check,
            clean_questions,
            *noise_assets(),
            natural,
            balanced_pairs,
            validation_report,
            model_check,
            published_release,
        ],
        asset_checks=[tables_keep_their_rules, pairs_keep_their_contract],
        resources={"build": build or build_from_environment()},
        jobs=[jobs.staging, jobs.smoke, jobs.release],
        sensors=[sensors.new_source],
        loggers=loggers,
        # Steps run one after another in one process: they share an import that takes seconds and the hospital's memory.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
