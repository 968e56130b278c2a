"""The graph that `dagster dev` shows: assets and checks, thin over the plain functions of the other rooms."""
