"""Group `staging`: one asset for each of MIMIC-IV's 31 tables, and the warehouse they make together."""

import dagster as dg

from assets.graph import keys
from assets.graph.build import OWNERS, Build, said_plainly
from assets.graph.progress import progress_of
from assets.graph.versions import code_of
from assets.staging import StagedTable, find_source, ledger, stage_table
from assets.staging.keys import staged_path
from robustgym.warehouse import Warehouse
from schemas.tables import TABLES, Table

CODE = code_of("assets/staging", "schemas/tables")


def staging_asset(table: Table) -> dg.AssetsDefinition:
    """The asset of one staged table."""
    key = keys.staged(table)

    @dg.asset(
        key=key,
        description=(
            f"`{table.path}`, typed, in its total order. One row: {table.meaning}.\n\n"
            "A table that the source lacks is noted as missing, and the build goes on without it."
        ),
        group_name="staging",
        kinds={"parquet"},
        owners=OWNERS,
        tags={"module": table.module},
        # Orphans are counted among the records of the tables it refers to, so those come first.
        deps=[
            keys.HOSPITAL_FILES,
            keys.raw(table),
            *sorted({keys.staged(TABLES[k.table]) for k in table.foreign_keys}),
        ],
        code_version=CODE,
        check_specs=[
            dg.AssetCheckSpec("has_rows", asset=key, description="The table is there and not empty."),
            dg.AssetCheckSpec("keys_are_unique", asset=key, description="No two rows bear the same documented key."),
            dg.AssetCheckSpec("references_exist", asset=key, description="Every foreign key names a row."),
        ],
    )
    def stage(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
        with said_plainly():
            plan = build.plan()
            source = find_source(plan.source)
            if table.name not in source.files:
                # An earlier source of this warehouse may have had it.
                ledger.forget(table.name, plan.warehouse)
                staged_path(table, plan.warehouse).unlink(missing_ok=True)
                return _missing(table)
            report = progress_of(context.log.info)
            size = source.size_of(table.name)
            staged = stage_table(
                source,
                table,
                plan.warehouse,
                threads=plan.threads or 2,
                tell=lambda done: report(f"{table.name}, bytes", done, size),
            )
        return _staged(table, staged, source.name_of(table.name))

    return stage


def _staged(table: Table, staged: StagedTable, file: str) -> dg.MaterializeResult:
    orphans = {key: n for key, n in staged.orphans.items() if n}
    return dg.MaterializeResult(
        data_version=dg.DataVersion(staged.fingerprint),
        metadata={
            "dagster/row_count": staged.rows,
            "dagster/column_schema": _columns(table),
            "file": file,
            "state": "unchanged, not read again" if staged.unchanged else "read and sorted",
            "duplicate keys": staged.duplicates,
            "orphans": dg.MetadataValue.json(orphans),
            "columns ignored": ", ".join(staged.extra_columns) or "none",
        },
        check_results=[
            _finding("has_rows", staged.rows > 0, "the table is empty"),
            _finding("keys_are_unique", not staged.duplicates, f"{staged.duplicates:,} rows repeat a key"),
            _finding("references_exist", not orphans, "; ".join(f"{k}: {n:,}" for k, n in orphans.items())),
        ],
    )


def _missing(table: Table) -> dg.MaterializeResult:
    what = f"the source has no {table.path}; what needs it is left out"
    return dg.MaterializeResult(
        data_version=dg.DataVersion("missing"),
        metadata={"dagster/column_schema": _columns(table), "state": what},
        check_results=[
            _finding("has_rows", False, what),
            _finding("keys_are_unique", True),
            _finding("references_exist", True),
        ],
    )


def _finding(name: str, passed: bool, what: str = "") -> dg.AssetCheckResult:
    """A check's result. MIMIC-IV itself has empty tables, repeated keys and orphans: a warning, never a stop."""
    return dg.AssetCheckResult(
        check_name=name, passed=passed, severity=dg.AssetCheckSeverity.WARN, description=None if passed else what
    )


def _columns(table: Table) -> dg.TableSchema:
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                column.name,
                column.type.duckdb,
                description=column.meaning + (f" ({column.unit})" if column.unit else ""),
                constraints=dg.TableColumnConstraints(nullable=not column.required),
            )
            for column in table.columns
        ]
    )


@dg.asset(
    key=keys.WAREHOUSE,
    group_name="staging",
    kinds={"duckdb"},
    owners=OWNERS,
    deps=keys.STAGED,
    code_version=code_of("robustgym/warehouse.py"),
)
def warehouse(context: dg.AssetExecutionContext, build: Build) -> dg.MaterializeResult:
    """The staged tables as one hospital, with the native copy that sessions read. One row is one table."""
    with said_plainly():
        plan = build.plan()
        hospital = Warehouse.open(plan.warehouse)
        hospital.native(progress_of(context.log.info), threads=plan.threads or 2)
    missing = [name for name in TABLES if name not in hospital.tables]
    return dg.MaterializeResult(
        data_version=dg.DataVersion(hospital.fingerprint),
        metadata={
            "directory": dg.MetadataValue.path(str(plan.warehouse)),
            "fingerprint": hospital.fingerprint,
            "tables": len(hospital.tables),
            "missing": ", ".join(missing) or "none",
        },
    )


staging_assets = [*(staging_asset(table) for table in TABLES.values()), warehouse]
