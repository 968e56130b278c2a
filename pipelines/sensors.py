"""A sensor that sees new or changed files under the source directory and has their tables staged."""

import json

import dagster as dg

from assets.graph import keys
from assets.graph.build import Build
from assets.graph.source import seen
from assets.staging import find_source
from schemas.errors import InputError
from schemas.tables import TABLES


@dg.sensor(
    target=dg.AssetSelection.groups("source", "staging"),
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.STOPPED,
)
def new_source(context: dg.SensorEvaluationContext, build: Build) -> dg.SensorResult | dg.SkipReason:
    """Ask for the tables whose files came, went or changed since the last look.

    The cursor holds each file's name, size and time of change as JSON. A source that cannot be read is no error: a
    download may be under way.
    """
    try:
        source = find_source(build.plan().source)
    except InputError as error:
        return dg.SkipReason(str(error))
    now = {table: seen(source, table) for table in source.files}
    before = json.loads(context.cursor) if context.cursor else {}
    changed = [table for table in TABLES if now.get(table) != before.get(table)]
    if not changed:
        return dg.SkipReason("no file came, went or changed")
    selection = [keys.HOSPITAL_FILES, *(keys.staged(TABLES[table]) for table in changed), keys.WAREHOUSE]
    return dg.SensorResult(
        run_requests=[dg.RunRequest(asset_selection=selection, tags={"changed": f"{len(changed)} tables"})],
        cursor=json.dumps(now),
    )
