"""The synthetic hospital of a build, generated where it is not there yet."""

from __future__ import annotations

from assets.graph.plan import HOSPITAL_SEED, Plan
from assets.graph.progress import Progress
from assets.synthetic import write_hospital


def ensure_hospital(plan: Plan, progress: Progress | None = None) -> None:
    """Generate the build's synthetic hospital, unless the same one stands or the source is a real one.

    Args:
        plan: The build.
        progress: Called while tables are written.
    """
    if plan.patients is not None:
        write_hospital(plan.source, plan.patients, HOSPITAL_SEED, workers=plan.threads or 2, progress=progress)
