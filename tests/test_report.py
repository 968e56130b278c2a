"""The report stands alone, escapes what it is given, and keeps single patients out where it must."""

from __future__ import annotations

import shutil
import struct
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assets.release import write_release
from robustgym import overlap, timing
from robustgym.release import Release
from robustgym.report.cells import cells, guesses_of
from robustgym.report.coverage import Tally, by_operator, by_template, lone, outcomes
from robustgym.report.release import SMALL, gold_by_kind, report, samples
from schemas.noise import Promise
from schemas.pairs import Split
from schemas.release import ModelCheck
from tests.release_drafts import draft, rows

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

CHECKED = ModelCheck(
    status="verified by a model",
    model="a-model",
    endpoint="localhost",
    date="2026-11-29",
    asked=6,
    natural=5,
    differs_only_where_it_should=6,
    objections=(("a1" * 8, "The second question <b>names</b> another drug."),),
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return Release.open(write_release(draft(), tmp_path_factory.mktemp("releases")))


class Outline(HTMLParser):
    """Tags that are open at the end, links, and whatever would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ("meta", "br", "wbr", "link", "img"):
            self.open.append(tag)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        self.links |= {(given["href"] or "")[1:]} if tag == "a" else set()
        if tag in ("script", "link", "img", "iframe", "object") or "src" in given:
            self.foreign.append(tag)
        self.foreign += [name for name in given if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    return parser


def test_it_is_one_sound_page_that_fetches_and_runs_nothing(release: Release) -> None:
    html = (release.path / "report.html").read_text()
    found = outline(html)
    assert found.open == []
    assert found.foreign == []
    assert found.links <= found.ids
    assert "url(" not in html
    assert "@import" not in html


def test_it_says_what_is_missing_and_what_was_not_measured(release: Release) -> None:
    html = report(draft(), release.manifest)
    assert "Missing, and what needs them was left out: <strong>chartevents</strong>" in html
    assert "Not verified by a model." in html
    assert "hadm_id: 12" in html
    assert "not measured" in report(draft(yardsticks={}), release.manifest)


def test_values_are_escaped(release: Release) -> None:
    html = report(draft(model_check=CHECKED), release.manifest)
    assert "&lt;HEMOLYZED|&gt;" in html or "<HEMOLYZED" not in html
    assert "&lt;b&gt;names&lt;/b&gt;" in html


def test_aggregates_only_is_the_default_for_credentialed_data(release: Release) -> None:
    manifest = release.manifest
    for html in (
        report(draft("credentialed", model_check=CHECKED), manifest),
        report(draft(model_check=CHECKED), manifest, aggregate_only=True),
    ):
        assert "Aggregates only" in html
        for private in ("10000001", "20000001", "another drug", 'class="pair"', "What was the first"):
            assert private not in html
        assert f"under {SMALL}" in html
    open_ = report(draft(), manifest)
    assert 'class="pair"' in open_
    assert f"under {SMALL}" not in open_


def test_samples_come_from_train_and_differ(release: Release) -> None:
    chosen = samples(release.pairs())
    assert {pair.clean.split for pair in chosen} == {"train"}
    assert len({pair.noise.level for pair in chosen}) == 3


def test_the_answers_are_counted() -> None:
    found = {g.kind: (g.tasks, g.abstain, g.distinct, g.commonest) for g in gold_by_kind(rows())}
    assert found["quantity"] == (7, 3, 3, 2)
    assert found["rows"] == (2, 0, 2, 1)


def test_cells_count_questions_components_tables_and_concepts() -> None:
    complexity = [
        {"template": "first_lab", "compiled": 50, "normalised": 30, "tables": ["labevents"]},
        {"template": "admissions_by_sex", "compiled": 60, "normalised": 40, "tables": ["a", "b", "c"]},
    ]
    found = {(cell.intent, cell.scope): cell for cell in cells(rows(), complexity)}
    lab = found["Labs", "patient"]
    assert lab.pairs == {Split.TRAIN: 2, Split.TEST: 1}
    assert (lab.templates, lab.questions, lab.compiled, lab.normalised, lab.many_tables) == (1, 3, 50, 30, 0)
    assert lab.tables == (("labevents", 3),)
    assert lab.concepts == (("potassium", 2), ("sodium", 1))
    assert (lab.distinct, lab.commonest, lab.noise, lab.abstain) == (3, 1, 3, 2)
    assert (lab.overlap.tasks, lab.overlap.shared_templates, lab.overlap.shared_concepts) == (2, 2, 2)
    # What was not counted is not 0.
    assert found["Diagnoses", "patient"].compiled is None
    assert sum(cell.overlap.tasks for cell in found.values()) == overlap.measure(rows()).tasks


def test_guessing_is_worth_the_share_of_the_commonest_answer() -> None:
    drg = next(row for row in rows() if row.template == "any_drg" and row.condition == "clean")
    golds = (True, True, True, False, False, True)
    asked = [drg.model_copy(update={"gold": gold, "parameters": {"n": n}}) for n, gold in enumerate(golds)]
    [guess] = guesses_of(asked)
    assert (guess.template, guess.tasks, guess.hits) == ("any_drg", 6, 4)
    assert guesses_of(asked[:4]) == ()
    [cell] = cells(asked, ())
    assert cell.guessed == guess.share


def test_times_are_summed_up_by_cell_and_lie_beside_the_release(tmp_path: Path) -> None:
    lab, *_ = (row for row in rows() if row.template == "first_lab" and row.condition == "clean")
    found = timing.summed_up([(lab, 0.001), (lab, 0.003), (lab, 0.011)])
    assert found == (("Labs", "patient", "clean", 3, 3.0, 9.4, 11.0),)
    path = timing.path_beside(tmp_path / "invented-1.0.0")
    timing.write(found, path)
    assert [p.name for p in tmp_path.iterdir()] == ["invented-1.0.0.timings.csv"]
    assert timing.read(path) == found
    assert timing.read(tmp_path / "nowhere.csv") == ()


def test_coverage_is_summed_by_operator_and_by_template() -> None:
    [blank, lose] = sorted(by_operator(draft().coverage), key=lambda o: o.name)
    assert (lose.level, lose.tally) == ("record", Tally(8, 6, 3, 1))
    assert (lose.tally.share, lose.tally.bite_rate) == (0.75, 0.5)
    assert list(lose.cells) == [("Labs", "patient")]
    assert lose.severities[0].dropped[0] == ("not needed: the cell is full", 5)
    assert (blank.tally.share, blank.tally.bite_rate) == (0.0, None)
    assert [name for name, *_ in by_template(draft().coverage)] == ["admissions_by_sex", "first_lab"]


def test_coverage_is_told_with_bite_and_reasons(release: Release) -> None:
    html = (release.path / "report.html").read_text()
    for told in ("6/8", "50.0%", "of which 3 bite", "promise broken: the answer is gone (4)"):
        assert told in html


def test_cells_of_one_operator_and_outcomes_of_few_are_flagged() -> None:
    alone = lone(rows())
    assert ("test, Labs, patient, record", "lose_results", 1) in alone
    assert len(alone) == 6
    two = [*rows(), *(row.model_copy(update={"operator": "another"}) for row in rows())]
    assert lone(two) == ()
    found = outcomes(rows(), draft().profile.model_copy(update={"promises": tuple(Promise)}))
    assert len(found) == 9
    assert [(o.level, o.promise) for o in found if not o.few] == [("record", "abstention"), ("query", "abstention")]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine: apt-get install chromium")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_draws_it_without_a_sideways_scroll(release: Release, width: int, tmp_path: Path) -> None:
    # Headless Chromium has no window under 500 pixels: so a copy of the page is drawn in a frame of the width in
    # question, and tells the page around it how wide it came out.
    html = (release.path / "report.html").read_text().replace("<meta http-equiv", "<meta name")
    root = "document.documentElement"
    told = f"'too wide by ' + ({root}.scrollWidth - {root}.clientWidth)"
    tell = f"<script>onload = () => parent.postMessage({told}, '*')</script>"
    (tmp_path / "copy.html").write_text(html.replace("</body>", f"{tell}</body>"))
    (tmp_path / "frame.html").write_text(
        "<p id=w></p><script>onmessage = told => document.getElementById('w').textContent = told.data</script>"
        f"<iframe src=copy.html style='width:{width}px;height:900px;border:0'></iframe>"
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={tmp_path}/profile"]
    done = subprocess.run(
        [str(BROWSER), *flags, "--virtual-time-budget=10000", "--dump-dom", (tmp_path / "frame.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ">too wide by 0<" in done.stdout
    picture = tmp_path / "report.png"
    shot = [f"--screenshot={picture}", f"--window-size={max(width, 500)},900"]
    subprocess.run(
        [str(BROWSER), *flags, *shot, (release.path / "report.html").as_uri()],
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (max(width, 500), 900)
