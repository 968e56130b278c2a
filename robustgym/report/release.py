"""The report of a release: what is in it, what was dropped and why, and how far it can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robustgym import overlap
from robustgym.gold import canonical
from robustgym.licence import LICENCES
from robustgym.release import pairs_of
from robustgym.report.cells import cells, guesses_of
from robustgym.report.coverage import COLUMNS, by_operator, by_template, lone, outcomes
from robustgym.report.page import page
from robustgym.show import describe
from schemas.answers import AnswerKind
from schemas.noise import Level
from schemas.pairs import Condition, GoldRow, Pair, Split
from schemas.questions import Intent, Scope
from schemas.release import Draft, Drop, Manifest

SAMPLES = 6
"""Pairs shown whole, of as many different operators and intents as possible."""

SMALL = 10
"""In an aggregate report no group of fewer patients is counted: a small group can be a person."""


@dataclass(frozen=True)
class GoldOf:
    """The gold answers of one kind."""

    kind: AnswerKind
    tasks: int
    abstain: int
    distinct: int
    """Different answers, abstention apart."""
    commonest: int
    """Tasks that have the commonest answer: what guessing it is worth."""


def report(draft: Draft, manifest: Manifest, aggregate_only: bool | None = None) -> str:
    """The report as one HTML page.

    Args:
        draft: What the release was written from.
        manifest: Its manifest.
        aggregate_only: Leave out everything that derives from single patients: sample pairs, objections of the model
            check, which quote them, and counts of small groups. By default so for credentialed data.
    """
    licence = LICENCES[draft.source.kind]
    aggregate = not licence.public if aggregate_only is None else aggregate_only
    pairs = pairs_of(draft.rows, draft.name)
    return page(
        "release.html.j2",
        draft=draft,
        manifest=manifest,
        licence=licence,
        aggregate=aggregate,
        small=SMALL,
        counts=manifest.counts,
        splits=tuple(Split),
        intents=tuple(Intent),
        scopes=tuple(Scope),
        levels=tuple(Level),
        wanted={"/".join(cell): n for cell, n in draft.profile.wanted().items()},
        asked={
            Split.TEST: f"{draft.profile.test_pairs_per_cell} in each",
            Split.TRAIN: f"{draft.profile.train_pairs:,} in all, as even as the source allows",
        },
        n_operators=len({row.operator for row in draft.rows}),
        n_templates=len({row.template for row in draft.rows}),
        n_patients=len({subject for row in draft.rows for subject in row.subject_ids}),
        operators=by_operator(draft.coverage),
        templates=by_template(draft.coverage),
        columns=COLUMNS,
        lone=lone(draft.rows),
        outcomes=outcomes(draft.rows, draft.profile),
        origins=origins(draft.rows),
        drops=drops(draft.drops),
        dropped=sum(drop.n for drop in draft.drops),
        gold=gold_by_kind(draft.rows),
        by_cell=cells(draft.rows, draft.complexity),
        guesses=guesses_of(draft.rows),
        patients=compared(draft.patients, aggregate),
        overlap=overlap.measure(draft.rows),
        ngram=overlap.N,
        samples=() if aggregate else tuple(describe(pair) for pair in samples(tuple(pairs.values()))),
    )


def compared(patients: Iterable[Mapping[str, Any]], aggregate: bool) -> tuple[dict[str, Any], ...]:
    """The draft's comparison of patients, with `hidden` on the rows that an aggregate report does not count."""
    return tuple(
        {**row, "hidden": aggregate and (0 < row["source_n"] < SMALL or 0 < row["release_n"] < SMALL)}
        for row in patients
    )


def origins(rows: Iterable[GoldRow]) -> tuple[tuple[Intent, Scope, Mapping[Level, tuple[int, int]]], ...]:
    """Intent and scope, and for each level how many pairs have an injected fault and how many a natural one."""
    counted = Counter(
        (row.intent, row.scope, row.level, row.origin) for row in rows if row.condition is Condition.NOISE
    )
    return tuple(
        (
            intent,
            scope,
            {
                level: (counted[intent, scope, level, "injected"], counted[intent, scope, level, "natural"])
                for level in Level
            },
        )
        for intent in Intent
        for scope in Scope
    )


def drops(found: Iterable[Drop]) -> tuple[tuple[str, str, int], ...]:
    """Stage, reason and number of the dropped candidates, stage by stage, the commonest first."""
    stages = ("question", "noise", "selection")
    counted: Counter[tuple[str, str]] = Counter()
    for drop in found:
        counted[drop.stage, drop.reason] += drop.n
    ordered = sorted(counted.items(), key=lambda item: (stages.index(item[0][0]), -item[1], item[0][1]))
    return tuple((stage, reason, n) for (stage, reason), n in ordered)


def gold_by_kind(rows: Iterable[GoldRow]) -> tuple[GoldOf, ...]:
    """How the gold answers are spread, by kind of answer."""
    found: dict[AnswerKind, list[str | None]] = {}
    for row in rows:
        gold = None if row.gold is None else canonical(row.gold)
        found.setdefault(row.answer.kind, []).append(gold)
    table = []
    for kind in AnswerKind:
        if golds := found.get(kind):
            answers = Counter(gold for gold in golds if gold is not None)
            abstain = len(golds) - answers.total()
            table.append(GoldOf(kind, len(golds), abstain, len(answers), max(answers.values(), default=0)))
    return tuple(table)


def samples(pairs: Sequence[Pair], n: int = SAMPLES) -> tuple[Pair, ...]:
    """A few pairs of the training split, or of test where there is none, as different from each other as possible.

    The next one is always of the level, operator and intent seen least; ties go by pair id.
    """
    left = [pair for pair in pairs if pair.clean.split is Split.TRAIN] or list(pairs)
    seen: Counter[str] = Counter()
    chosen: list[Pair] = []
    while left and len(chosen) < n:
        best = min(left, key=lambda p: (*(seen[trait] for trait in _traits(p.noise)), p.clean.pair_id))
        left.remove(best)
        chosen.append(best)
        seen.update(_traits(best.noise))
    return tuple(chosen)


def _traits(row: GoldRow) -> tuple[str, ...]:
    return row.level.value, row.operator, row.intent.value, row.scope.value
