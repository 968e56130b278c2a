"""The texts of a release: dataset card, datasheet, change note, licence. Templates beside this file hold the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assets.release import facts, provenance
from robustgym import overlap
from robustgym.diff import Difference
from robustgym.gold import canonical
from robustgym.licence import LICENCES
from robustgym.report.coverage import by_operator, lone, outcomes
from robustgym.report.numbers import of, percent, words
from robustgym.report.release import SMALL, compared
from schemas.pairs import Condition, Pair, Split
from schemas.release import Draft, Manifest
from schemas.version import RELEASED

DOCUMENTS = ("README.md", "CHANGELOG.md", "DATASHEET.md", "LICENSE.txt")
"""The documents, each from the template `<name>.j2`."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


@dataclass(frozen=True)
class Note:
    """The change note: four lines that say whether scores are comparable."""

    what: str
    which: str
    direction: str
    regrade: str


FIRST = Note(
    what="first version of this release.",
    which="all.",
    direction="none: there is no earlier score to compare with.",
    regrade="nothing to re-grade.",
)


def note_of(change: Difference | None) -> Note:
    """The change note of a release that follows another, or of a first one."""
    if change is None:
        return FIRST
    return Note(what=change.what, which=change.which, direction=change.direction, regrade=change.regrade)


def title_of(draft: Draft) -> str:
    """A release's name in words.

    PhysioNet wants a title that derives from MIMIC-IV to say `MIMIC-IV-Ext-` first.
    """
    return f"MIMIC-IV-Ext-{draft.name}" if draft.source.kind == "credentialed" else draft.name


def documents(
    draft: Draft, pairs: Sequence[Pair], manifest: Manifest, change: Difference | None = None
) -> dict[str, str]:
    """Every document by file name.

    Args:
        draft: The release.
        pairs: Its pairs, by id.
        manifest: Its manifest; the list of files in it may still be empty.
        change: What is different from an earlier version, if there is one.
    """
    rows = draft.rows
    licence = LICENCES[draft.source.kind]
    # The example comes from train, where it gives nothing away.
    examples = [pair for pair in pairs if pair.clean.split is Split.TRAIN] or pairs
    context: dict[str, Any] = {
        "title": title_of(draft),
        "directory": f"{draft.name}-{draft.version}",
        "draft": draft,
        "kind": draft.source.kind,
        "licence": licence,
        "source": provenance.provenance(draft.source),
        "profile": draft.profile,
        "counts": manifest.counts,
        "drops": manifest.drops,
        "dropped": sum(manifest.drops.values()),
        "canary": manifest.canary,
        "code_version": manifest.code_version,
        "code_sha256": manifest.code_sha256,
        "software": manifest.software,
        "released": RELEASED,
        "note": note_of(change),
        "size_category": next((name for limit, name in _SIZES if len(rows) < limit), "n>100K"),
        # A pair of credentialed data is shown nowhere but in the data themselves.
        "example": min(examples, key=_legible, default=None) if licence.public else None,
        "patients": compared(draft.patients, aggregate=not licence.public),
        "small": SMALL,
        "n_patients": len({subject for row in rows for subject in row.subject_ids}),
        "abstain": sum(row.gold is None for row in rows if row.condition is Condition.NOISE),
        "overlap": overlap.measure(rows),
        "ngram": overlap.N,
        "oracle": {name: score for name, score in draft.yardsticks.items() if name.startswith("oracle")},
        "trivial": {name: score for name, score in draft.yardsticks.items() if not name.startswith("oracle")},
        "ignoring_noise": facts.ignoring_noise(rows),
        "most_frequent": facts.most_frequent(rows),
        "slices": facts.slices(pairs),
        "operators": by_operator(draft.coverage),
        "lone": lone(rows),
        "outcomes": outcomes(rows, draft.profile),
        "article": provenance.ARTICLE,
        "article_doi": provenance.ARTICLE_DOI,
        "demo_citation": provenance.DEMO,
        "demo_doi": provenance.DEMO_DOI,
    }
    environment = _environment()
    return {name: environment.get_template(f"{name}.j2").render(context) for name in DOCUMENTS}


def _legible(pair: Pair) -> tuple[int, str]:
    """The shortest question is the example; ties go by name."""
    return len(pair.clean.question), pair.clean.pair_id


def _environment() -> Environment:
    # No escaping by the engine: it is Markdown and plain text; cells of tables go through `cell`.
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: Mapping[str, Any] = {"cell": cell, "json": canonical, "of": of, "percent": percent, "words": words}
    environment.filters.update(filters)
    return environment


def cell(text: object) -> str:
    r"""A text that may stand in a cell of a Markdown table.

    >>> cell("a|b\nc <i>")
    'a\\|b c &lt;i&gt;'
    """
    safe = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
    return " ".join(safe.split())
