"""`questions list` and `questions show`: all a reader wants to know of a template, and sentences for mistakes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from typer.testing import CliRunner

from assets.questions import Template, catalogue
from assets.questions.describing import describe
from assets.questions.wording import registers
from pipelines.cli import app

ID = "labs-patient-lab-after_dose_48h-worst"
FEW = ("questions", "list", "--intent", "labs", "--scope", "patient", "--kind", "ratio")
"""A kind with few templates: each is compiled and counted."""


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def listed(*arguments: str) -> list[dict[str, Any]]:
    code, out, _ = run(*arguments, "--json")
    assert code == 0
    rows: list[dict[str, Any]] = json.loads(out)
    return rows


def test_the_list_says_the_same_in_both_forms() -> None:
    rows = listed(*FEW)
    code, out, _ = run(*FEW)
    assert code == 0
    assert [row["id"] for row in rows] == [t.id for t in catalogue() if t.id.startswith("labs-patient-ratio-")]
    for row in rows:
        assert row.keys() == {"id", "intent", "scope", "kind", "answer", "tables", "components"}
        [line] = [line for line in out.splitlines() if f" {row['id']} " in line]
        assert line.split()[1:4] == [str(row["components"]["compiled"]), "→", str(row["components"]["normalised"])]
        assert row["answer"] in line
        assert line.endswith(", ".join(row["tables"]))
        assert row["components"]["compiled"] > row["components"]["normalised"] > 0
    assert out.splitlines()[0] == f"Labs, patient: {len(rows)}"
    assert f"{len(rows)} of {len(catalogue())} templates" in out


def test_a_table_filters_too() -> None:
    everything = listed(*FEW)
    read = Counter(table for row in everything for table in row["tables"])
    table = next(name for name, n in sorted(read.items()) if n < len(everything))
    assert listed(*FEW, "--table", table) == [row for row in everything if table in row["tables"]]


def test_a_template_is_shown_whole() -> None:
    code, out, _ = run("questions", "show", ID)
    told = describe(Template.parse(ID))
    assert code == 0
    for title in ("What its words mean", "Wording", "Takes", "Example", "Associated records", "Other routes",
                  "Why it is a question", "Structural components", "Reference SQL"):  # fmt: skip
        assert f"\n{title}" in out
    for said in (*told["wording"].values(), told["contract"], told["example"]["text"], *told["legal"]["because"]):
        assert said in out
    assert told["wording"].keys() == registers().keys()
    assert "chartevents WHERE" in out
    assert {record["role"] for record in told["records"]} == {"unit", "anchor", "target"}
    assert json.loads(run("questions", "show", ID, "--json")[1]) == json.loads(json.dumps(told))


def test_a_template_that_is_not_released_is_shown_with_what_speaks_against_it() -> None:
    code, out, _ = run("questions", "show", "labs-patient-lab-first_24h_of_stay-trend")
    assert code == 0
    assert "not released" in out.splitlines()[0]
    assert "Why it is no question\n" in out
    assert "trend needs a window of more than 2 days" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "labs-patient-lab-admission-nht"), "say `labs-patient-lab-admission-nth`"),
        (("show", "nonsense"), "nonsense: no template has this id; look at `robustgym questions list`"),
        (("list", "--intent", "lab"), "--intent lab: there is no such intent; use one of demographics, vitals"),
        (("list", "--table", "labs"), "--table labs: there is no such table; use one of admissions,"),
    ],
)
def test_a_mistake_ends_in_a_sentence(arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run("questions", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
