"""What is run as a whole: the staged tables, a smoke release, a release as configured."""

import dagster as dg

staging = dg.define_asset_job(
    "staging",
    selection=dg.AssetSelection.groups("source", "staging", "profile"),
    description="Stage the source's tables, and check them.",
)

smoke = dg.define_asset_job(
    "smoke",
    selection=dg.AssetSelection.all(),
    config={"resources": {"build": {"config": {"profile": "smoke"}}}},
    description="A small release that touches everything.",
)

release = dg.define_asset_job(
    "release",
    selection=dg.AssetSelection.all(),
    description="Everything, from the source's files to a release.",
)
