"""The graph: what is in it, what blocks, what goes stale, and what a run on a few records leaves behind."""

from __future__ import annotations

import ast
import gzip
import importlib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dagster as dg
import grimp
import pytest

from assets.graph import keys
from assets.graph.build import Build
from assets.graph.noise import noise_assets
from assets.graph.publish import publish
from assets.graph.versions import ROOT, code_of
from assets.graph.workbench import CODE, Workbench
from noise_ops import discover, operators
from pipelines.definitions import build_definitions, defs
from pipelines.described import graph_table
from pipelines.sensors import new_source
from schemas.errors import InputError
from schemas.release import Profile
from schemas.tables import TABLES

GRAPH = defs.resolve_asset_graph()

FEW = {
    "hosp/patients": "subject_id,gender,anchor_age,anchor_year,anchor_year_group,dod\n"
    "101,F,60,2140,2011 - 2013,2142-03-05\n102,M,30,2150,2014 - 2016,\n",
    "hosp/admissions": "subject_id,hadm_id,admittime,dischtime,deathtime,admission_type,admit_provider_id,"
    "admission_location,discharge_location,insurance,language,marital_status,race,edregtime,edouttime,"
    "hospital_expire_flag\n"
    "101,201,2140-02-01 08:00:00,2140-02-03 12:00:00,,URGENT,P00AAA,EMERGENCY ROOM,HOME,Other,"
    "ENGLISH,SINGLE,UNKNOWN,2140-02-01 06:00:00,2140-02-01 09:00:00,0\n",
    "hosp/d_labitems": "itemid,label,fluid,category\n50813,Lactate,Blood,Blood Gas\n",
}
"""Three small tables with invented rows: a source that lacks all others."""


def written(place: Path) -> Path:
    for name, text in FEW.items():
        path = place / "source" / f"{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return place / "source"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dg.ExecuteInProcessResult]:
    """The source and the run that staged it, once for the tests that change nothing in it."""
    source = written(tmp_path_factory.mktemp("staged"))
    return source, run(source)


def run(source: Path, job: str = "staging", **settings: Any) -> dg.ExecuteInProcessResult:
    build = Build(source=str(source), root=str(source.parent), **settings)
    resolved = build_definitions(build).resolve_job_def(job)
    config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return resolved.execute_in_process(run_config=config, instance=dg.DagsterInstance.ephemeral(), raise_on_error=False)


def metadata(result: dg.ExecuteInProcessResult, key: dg.AssetKey) -> dict[str, Any]:
    [made] = result.asset_materializations_for_node(key.to_python_identifier())
    return {name: value.value for name, value in made.metadata.items()}


# -- what is in it --------------------------------------------------------------------------------------------------


def test_the_definitions_load_as_the_server_loads_them() -> None:
    dg.Definitions.validate_loadable(defs)
    assert importlib.import_module("pipelines.definitions").defs is defs


def test_every_table_and_every_operator_is_an_asset() -> None:
    found = set(GRAPH.get_all_asset_keys())
    assert {keys.raw(table) for table in TABLES.values()} <= found
    assert set(keys.STAGED) <= found
    assert {keys.noise(name) for name in operators()} <= found
    assert len(operators()) >= 12


def test_the_graph_shows_names_that_differ() -> None:
    names = [key.path[-1] for key in GRAPH.get_all_asset_keys()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("key", sorted(GRAPH.get_all_asset_keys()), ids=lambda key: key.to_user_string())
def test_an_asset_says_whose_it_is_what_a_row_is_and_what_made_it(key: dg.AssetKey) -> None:
    node = GRAPH.get(key)
    assert node.owners
    assert node.group_name == key.path[0]
    assert node.kinds
    assert "One row" in (node.description or "")
    if node.is_materializable:
        assert node.code_version


def test_the_release_comes_after_everything() -> None:
    upstream = set(GRAPH.get_ancestor_asset_keys(keys.RELEASE))
    assert upstream == set(GRAPH.get_all_asset_keys()) - {keys.RELEASE}


def test_the_page_on_the_graph_is_of_this_graph() -> None:
    page = (ROOT / "docs" / "dagster.md").read_text(encoding="utf-8")
    assert graph_table(defs) in page, "run `make docs`"


def test_no_module_of_assets_postpones_its_annotations() -> None:
    """Dagster reads annotations when an asset is declared; postponed, it refuses them."""
    seen = 0
    for path in sorted([*(ROOT / "assets" / "graph").glob("*.py"), *(ROOT / "pipelines").glob("*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
        top = {a.name for node in tree.body if isinstance(node, ast.Import) for a in node.names}
        futures = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
        assert not ("dagster" in top and futures), f"{path.name} declares assets with postponed annotations"
        seen += "dagster" in imports
    assert seen >= 10


# -- what goes stale ------------------------------------------------------------------------------------------------


@pytest.fixture
def copied_operators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The operators' folder under another name, to be edited."""
    name = f"copied_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    shutil.copytree(ROOT / "noise_ops", folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


def versions_of(folder: Path) -> dict[str, str | None]:
    found = discover(importlib.import_module(folder.name))
    specs = [spec for asset in noise_assets(found) for spec in asset.specs]
    return {spec.key.to_user_string(): spec.code_version for spec in specs}


def test_editing_one_operator_makes_only_its_own_asset_stale(copied_operators: Path) -> None:
    before = {spec.key.to_user_string(): spec.code_version for asset in noise_assets() for spec in asset.specs}
    edited = next(iter(operators()))
    file = copied_operators / f"{edited}.py"
    file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    after = versions_of(copied_operators)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == [f"noise/{edited}"]


def test_no_other_product_depends_on_an_operators_text() -> None:
    rooms = {room for product in CODE.values() for room in product}
    assert "noise_ops" not in rooms
    assert not rooms & {operator.file for operator in operators().values()}


MAKERS = {
    "table_profile": ("table_profile", ()),
    "tables_keep_their_rules": ("contracts", ("table_profile",)),
    "concept_check": ("concept_check", ()),
    "clean_questions": ("asking", ("concept_check",)),
    "noise": ("noising", ("clean_questions",)),
    "natural": ("natural", ("noise", "clean_questions")),
    "balanced_pairs": ("selecting", ("natural", "noise", "clean_questions")),
    "pairs_keep_their_contract": ("contracts", ("balanced_pairs", "table_profile")),
    "validation_report": ("report", ("balanced_pairs", "noise", "clean_questions")),
}
"""The module that makes each product, and the products it is made from: their code shows in their content."""

NO_MATTER = {"schemas.errors", "noise_ops", "noise_ops.faults"}
"""Modules whose text changes no product: messages, and the sources of what operators copy."""


@pytest.mark.parametrize("product", CODE)
def test_a_products_version_covers_all_that_its_maker_imports(product: str) -> None:
    name, before = MAKERS[product]
    graph = grimp.build_graph("assets", "noise_ops", "robustgym", "schemas")
    [maker] = [m for m in graph.modules if m in (f"assets.pairs.{name}", f"assets.validation.{name}")]
    covered = [ROOT / room for each in (product, *before) for room in CODE[each]]
    uncovered = []
    for module in {maker} | graph.find_upstream_modules(maker) - NO_MATTER:
        path = ROOT / module.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not any(file == room or room in file.parents for room in covered):
            uncovered.append(module)
    assert not uncovered, "name them in assets.graph.workbench.CODE"


def test_a_new_operator_is_one_file_and_a_new_asset(copied_operators: Path) -> None:
    old = next(iter(operators()))
    text = (copied_operators / f"{old}.py").read_text(encoding="utf-8")
    (copied_operators / "brand_new.py").write_text(text.replace(old, "brand_new"), encoding="utf-8")
    assert "noise/brand_new" in versions_of(copied_operators)


def test_the_version_of_code_is_that_of_its_text() -> None:
    assert code_of("assets/validation") == code_of("assets/validation")
    assert code_of("assets/validation") != code_of("assets/validation", "schemas")
    with pytest.raises(FileNotFoundError):
        code_of("assets/no_such_room")


# -- what a run does ------------------------------------------------------------------------------------------------


def test_a_source_with_three_tables_is_staged_and_says_what_it_lacks(
    staged: tuple[Path, dg.ExecuteInProcessResult],
) -> None:
    _, result = staged
    assert result.success
    patients = metadata(result, keys.staged(TABLES["patients"]))
    assert patients["dagster/row_count"] == 2
    assert "the source has no icu/chartevents" in metadata(result, keys.staged(TABLES["chartevents"]))["state"]
    assert metadata(result, keys.WAREHOUSE)["tables"] == 3
    failed = [check for check in result.get_asset_check_evaluations() if not check.passed]
    assert {check.severity for check in failed} == {dg.AssetCheckSeverity.WARN}
    assert {check.asset_key for check in failed} == {keys.staged(t) for t in TABLES.values() if t.path not in FEW}
    profile = metadata(result, keys.TABLE_PROFILE)
    assert profile["records"] == 4


def test_what_stands_is_not_read_again(source: Path) -> None:
    run(source)
    again = run(source)
    assert metadata(again, keys.staged(TABLES["patients"]))["state"] == "unchanged, not read again"
    (source / "hosp" / "d_labitems.csv.gz").unlink()
    without = run(source)
    assert metadata(without, keys.WAREHOUSE)["tables"] == 2


def test_every_problem_of_every_table_is_told_at_once(source: Path) -> None:
    for name in ("patients", "d_labitems"):
        path = source / "hosp" / f"{name}.csv.gz"
        path.write_bytes(path.read_bytes()[:-20])
    result = run(source)
    assert not result.success
    failed: list[Any] = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    told = [data.user_failure_data.metadata["problems"].value for data in failed]
    assert {problem[0].split(",")[0] for problems in told for problem in problems} == {
        "hosp/patients.csv.gz",
        "hosp/d_labitems.csv.gz",
    }


def test_a_broken_rule_of_the_tables_stops_what_comes_after(source: Path) -> None:
    path = source / "hosp" / "admissions.csv.gz"
    path.write_bytes(gzip.compress(FEW["hosp/admissions"].replace("2140-", "1980-").encode(), mtime=0))
    result = run(source, job="release")
    assert not result.success
    [check] = [c for c in result.get_asset_check_evaluations() if c.check_name == "tables_keep_their_rules"]
    assert not check.passed
    assert "1980-02-01" in (check.description or "")
    assert not result.asset_materializations_for_node(keys.QUESTIONS.to_python_identifier())


def test_a_product_out_of_date_is_refused_by_what_comes_after(
    staged: tuple[Path, dg.ExecuteInProcessResult],
) -> None:
    source, _ = staged
    plan = Build(source=str(source), root=str(source.parent)).plan()
    with Workbench(plan) as bench, pytest.raises(InputError, match="run concept_check first"):
        bench.pairs()


def test_a_report_about_other_pairs_releases_nothing() -> None:
    def product(value: object) -> Any:
        return lambda: SimpleNamespace(value=value, content="these")

    bench: Any = SimpleNamespace(
        plan=None,
        source=None,
        pairs=product(None),
        validation_report=product(SimpleNamespace(pairs="others")),
        model_check=lambda: None,
    )
    with pytest.raises(InputError, match="about other pairs"):
        publish(bench)


# -- the sensor -----------------------------------------------------------------------------------------------------


def look(source: Path, cursor: str | None = None) -> Any:
    context = dg.build_sensor_context(cursor=cursor, resources={"build": Build(source=str(source))})
    return new_source(context)


def test_the_sensor_asks_for_what_changed_and_for_nothing_else(source: Path) -> None:
    first = look(source)
    [request] = first.run_requests
    assert {key.path[-1] for key in request.asset_selection} == {
        "hospital_files",
        "warehouse",
        *(path.split("/")[1] for path in FEW),
    }
    assert isinstance(look(source, first.cursor), dg.SkipReason)

    file = source / "hosp" / "admissions.csv.gz"
    os.utime(file, ns=(0, 0))
    second = look(source, first.cursor)
    [request] = second.run_requests
    assert keys.staged(TABLES["admissions"]) in request.asset_selection
    assert keys.staged(TABLES["patients"]) not in request.asset_selection
    assert json.loads(second.cursor).keys() == {path.split("/")[1] for path in FEW}


def test_the_sensor_waits_for_a_source_that_is_not_there(tmp_path: Path) -> None:
    skipped = look(tmp_path / "not yet")
    assert isinstance(skipped, dg.SkipReason)
    assert "no such directory" in (skipped.skip_message or "")
    assert defs.resolve_sensor_def("new_source").default_status is dg.DefaultSensorStatus.STOPPED


def test_the_profile_to_copy_names_every_field() -> None:
    text = (Path(__file__).resolve().parents[1] / "data" / "profiles" / "smoke.toml").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:# )?(\w+) = ", text, flags=re.MULTILINE))
    assert named == set(Profile.model_fields)
    uncommented = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)
    assert Profile.model_validate(tomllib.loads(uncommented)) == Profile.load("smoke")
