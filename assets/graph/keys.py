"""Names of the graph's assets. The graph shows the last part of a key only, so that part is unique."""

import dagster as dg

from schemas.tables import TABLES, Table

HOSPITAL_FILES = dg.AssetKey(["source", "hospital_files"])
WAREHOUSE = dg.AssetKey(["staging", "warehouse"])
TABLE_PROFILE = dg.AssetKey(["profile", "table_profile"])
CONCEPT_CHECK = dg.AssetKey(["concepts", "concept_check"])
QUESTIONS = dg.AssetKey(["questions", "clean_questions"])
NATURAL = dg.AssetKey(["noise", "natural"])
PAIRS = dg.AssetKey(["pairs", "balanced_pairs"])
MODEL_CHECK = dg.AssetKey(["validation", "model_check"])
VALIDATION_REPORT = dg.AssetKey(["validation", "validation_report"])
RELEASE = dg.AssetKey(["release", "published_release"])


def raw(table: Table) -> dg.AssetKey:
    """The table's file as the source has it."""
    return dg.AssetKey(["source", f"{table.name}_file"])


def staged(table: Table) -> dg.AssetKey:
    """The staged table, under MIMIC-IV's own name."""
    return dg.AssetKey(["staging", table.name])


def noise(operator: str) -> dg.AssetKey:
    """What one operator makes of the clean questions."""
    return dg.AssetKey(["noise", operator])


STAGED = [staged(table) for table in TABLES.values()]
