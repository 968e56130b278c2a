"""What the pipeline makes, as Dagster assets over plain functions."""
