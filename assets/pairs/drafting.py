"""Everything a release is written from, put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from assets.pairs.asking import Questions
from assets.pairs.noising import Candidates
from assets.pairs.selecting import Selection
from assets.questions import Template
from assets.questions.complexity import complexities
from noise_ops import operators
from robustgym.hospital import Hospital
from schemas.noise import Promise
from schemas.pairs import GoldRow
from schemas.release import Covered, Draft, Drop, ModelCheck, Profile, Shortcut, SourceInfo
from schemas.validation import VerifierValidation

CHARACTERISTICS: Mapping[str, str] = {
    "sex": "SELECT subject_id, gender FROM patients",
    "age band": "SELECT subject_id, CASE WHEN anchor_age > 89 THEN '90 and over' "
    "ELSE concat(10 * (anchor_age // 10), ' to ', 10 * (anchor_age // 10) + 9) END FROM patients",
    "anchor year group": "SELECT subject_id, anchor_year_group FROM patients",
    "insurance": "SELECT DISTINCT subject_id, coalesce(insurance, 'not recorded') FROM admissions",
    "admission type": "SELECT DISTINCT subject_id, admission_type FROM admissions",
    "race": "SELECT DISTINCT subject_id, coalesce(race, 'not recorded') FROM admissions",
}
"""What patients are compared by: one row per patient and value; a patient may have several values."""


def draft(
    *,
    name: str,
    version: str,
    seed: int,
    profile: Profile,
    source: SourceInfo,
    hospital: Hospital,
    questions: Questions,
    candidates: Iterable[Candidates],
    selection: Selection,
    yardsticks: Mapping[str, float],
    shortcuts: tuple[Shortcut, ...],
    model_check: ModelCheck,
    verifier: VerifierValidation | None = None,
    left_out: Iterable[tuple[str, str]] = (),
) -> Draft:
    """Put a release's contents together.

    Args:
        name: Name of the release.
        version: Its version, digits and dots.
        seed: The seed everything was drawn with.
        profile: The profile it was made by.
        source: The hospital it was made from.
        hospital: The same, opened.
        questions: All clean questions.
        candidates: What each operator made of them.
        selection: The balanced set.
        yardsticks: Scores of the oracle and of silence.
        shortcuts: How far the condition can be told before the first query.
        model_check: What a language model said, if one was asked.
        verifier: How often the verifier was wrong about submissions whose verdict is known, if that was measured.
        left_out: What the source cannot carry beside templates: concepts, tables.
    """
    candidates = [*candidates, *selection.more]
    rows = tuple(row for pair in selection.pairs for row in pair)
    drops = [*questions.drops, *(d for c in candidates for d in c.drops), *selection.drops]
    return Draft(
        name=name,
        version=version,
        seed=seed,
        profile=profile,
        source=source,
        rows=rows,
        drops=tuple(drops),
        left_out=(*sorted(left_out), *questions.left_out, *selection.short),
        coverage=coverage(candidates, rows, drops),
        patients=tuple(patients(hospital, rows)),
        complexity=tuple(complexity(rows)),
        yardsticks=dict(sorted(yardsticks.items())),
        shortcuts=shortcuts,
        verifier=verifier,
        model_check=model_check,
    )


def coverage(candidates: Iterable[Candidates], rows: Iterable[GoldRow], drops: Iterable[Drop]) -> tuple[Covered, ...]:
    """What became of every template under every operator and severity that it was put to.

    Args:
        candidates: What the operators made.
        rows: Both tasks of every published pair.
        drops: Candidates that did not become pairs, and pairs that were not needed.
    """
    published = Counter((r.template, r.operator, r.severity) for r in rows if r.condition == "noise")
    tried: Counter[tuple[str, str, str]] = Counter()
    kept: Counter[tuple[str, str, str]] = Counter()
    bites: Counter[tuple[str, str, str]] = Counter()
    for made in candidates:
        kept.update((p.noise.template, p.noise.operator, p.noise.severity) for p in made.pairs)
        bites.update((p.noise.template, p.noise.operator, p.noise.severity) for p in made.pairs if p.noise.bites)
        tried.update({(template, made.operator, severity): n for template, severity, n in made.tried})
    reasons: dict[tuple[str, str, str], Counter[str]] = {}
    for drop in drops:
        reasons.setdefault((drop.template, drop.operator, drop.severity), Counter())[drop.reason] += drop.n
    found = []
    for key, n in sorted(tried.items(), key=lambda item: (item[0][1], item[0])):
        name, operator, severity = key
        template, maker = Template.parse(name), operators()[operator]
        found.append(
            Covered(
                template=name,
                intent=template.intent,
                scope=template.scope,
                level=maker.level,
                operator=operator,
                severity=severity,
                # Natural noise has no severity of its own, and nothing but abstention follows from it.
                promise=maker.promise_of(severity) if severity in maker.severities else Promise.ABSTENTION,
                candidates=n,
                kept=kept[key],
                bites=bites[key],
                published=published[key],
                dropped=dict(sorted(reasons.get(key, Counter()).items(), key=lambda item: (-item[1], item[0]))),
            )
        )
    return tuple(found)


def complexity(rows: Iterable[GoldRow]) -> list[dict[str, Any]]:
    """One row per published template: structural components of its reference, and the base tables it reads."""
    ids = sorted({row.template for row in rows})
    found = complexities([Template.parse(id_) for id_ in ids])
    return [
        {
            "template": id_,
            "compiled": one.compiled.total,
            "normalised": one.normalised.total,
            "tables": list(one.tables),
        }
        for id_, one in zip(ids, found, strict=True)
    ]


def patients(hospital: Hospital, rows: Iterable[GoldRow]) -> list[dict[str, Any]]:
    """The patients of the release's patient questions, compared with all patients of the source.

    One row per characteristic and value: share of the source's patients and of the release's, in percent.
    """
    asked = {subject for row in rows for subject in row.subject_ids}
    with hospital.session() as session:
        by_characteristic = {name: session.fetch(sql)[1] for name, sql in CHARACTERISTICS.items()}
    table = []
    for characteristic, found in by_characteristic.items():
        everyone = {subject for subject, _ in found}
        source = Counter(str(value) for _, value in found)
        release = Counter(str(value) for subject, value in found if subject in asked)
        table += [
            {
                "characteristic": characteristic,
                "value": value,
                "source_percent": round(100 * n / max(1, len(everyone)), 1),
                "release_percent": round(100 * release[value] / max(1, len(asked & everyone)), 1),
                "source_n": n,
                "release_n": release[value],
            }
            for value, n in sorted(source.items())
        ]
    return table
