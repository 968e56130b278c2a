"""Group `source`: the files a build starts from, one external asset for each of MIMIC-IV's 31 tables."""

import hashlib

import dagster as dg

from assets.graph import keys
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.hospital_files import ensure_hospital
from assets.graph.progress import progress_of
from assets.graph.versions import code_of
from assets.staging import Source, find_source
from assets.staging.source import parts
from schemas.tables import TABLES

raw_files = [
    dg.AssetSpec(
        keys.raw(table),
        description=f"`{table.path}` as the source has it: .csv.gz, .csv or .parquet. One row: {table.meaning}.",
        group_name="source",
        deps=[keys.HOSPITAL_FILES],
        kinds={"csv"},
        owners=OWNERS,
        tags={"module": table.module},
        metadata={"documentation": dg.MetadataValue.url(table.source)},
    )
    for table in TABLES.values()
]


@dg.asset(
    key=keys.HOSPITAL_FILES,
    group_name="source",
    kinds={"csv"},
    owners=OWNERS,
    code_version=code_of("assets/synthetic"),
)
def hospital_files(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """The source directory of this build: a MIMIC-IV download as it is, or a synthetic hospital, made if it is missing.

    One row is one table's file. Nothing of a real download is ever written.
    """
    with said_plainly():
        plan = build.plan()
        ensure_hospital(plan, progress_of(context.log.info))
        source = find_source(plan.source)
    for table, path in source.files.items():
        context.log_event(
            dg.AssetObservation(
                keys.raw(TABLES[table]),
                metadata={"path": dg.MetadataValue.path(str(path)), "bytes": source.size_of(table)},
                tags={"dagster/data_version": seen(source, table)},
            )
        )
    return dg.MaterializeResult(
        # The directory only: a changed file makes its own table stale, and no other.
        data_version=dg.DataVersion(hashlib.sha256(str(source.root.resolve()).encode()).hexdigest()[:16]),
        metadata={
            "directory": dg.MetadataValue.path(str(source.root)),
            "licence class": source.kind,
            "version": source.version,
            "tables": len(source.files),
            "missing": ", ".join(source.missing) or "none",
        },
    )


def seen(source: Source, table: str) -> str:
    """What a table's files look like from outside: its name, their size and the time of the last change."""
    changed = max(part.stat().st_mtime_ns for part in parts(source.files[table]))
    return f"{source.name_of(table)} {source.size_of(table)} {changed}"
