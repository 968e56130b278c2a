"""The resource that all assets share, as `dagster dev` gets it: from the environment where set, else the defaults."""

import os

from assets.graph.build import Build


def build_from_environment() -> Build:
    """The build that `dagster dev` opens with.

    `ROBUSTGYM_SOURCE` and `ROBUSTGYM_PROFILE` let a maintainer point Dagster at a download without touching code; every
    field can still be set in the launchpad.
    """
    return Build(
        source=os.environ.get("ROBUSTGYM_SOURCE", "synthetic"),
        profile=os.environ.get("ROBUSTGYM_PROFILE", "smoke"),
    )
