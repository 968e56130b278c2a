"""The figures a release prints about itself. What is neither computed here nor in the draft is "not measured"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from robustgym.gold import canonical
from schemas.noise import Level
from schemas.pairs import Condition, GoldRow, Pair, Split
from schemas.questions import Intent, Scope
from schemas.release import Drop


def counts(pairs: Iterable[Pair]) -> dict[str, int]:
    """Pairs by `split/intent/scope/level`, every cell of both splits, zero included; by split; and in all."""
    found = Counter(pair.clean.cell for pair in pairs)
    table = {f"{s}/{i}/{c}/{v}": 0 for s in Split for i in Intent for c in Scope for v in Level} | dict(found)
    by_split = {str(split): sum(n for cell, n in found.items() if cell.startswith(f"{split}/")) for split in Split}
    return table | by_split | {"all": sum(by_split.values())}


def drops_by_reason(drops: Iterable[Drop]) -> dict[str, int]:
    """Dropped candidates by reason, the commonest first."""
    found: Counter[str] = Counter()
    for drop in drops:
        found[drop.reason] += drop.n
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class Slice:
    """Pairs with one value of one trait, by split."""

    trait: str
    value: str
    train: int
    test: int


_TRAITS: Mapping[str, Callable[[GoldRow], str]] = {
    "intent": lambda row: row.intent,
    "scope": lambda row: row.scope,
    "level": lambda row: row.level,
    "operator": lambda row: row.operator,
    "severity": lambda row: row.severity,
    "promise": lambda row: row.promise,
    "origin": lambda row: row.origin,
    "answer": lambda row: row.answer.kind,
}


def slices(pairs: Sequence[Pair]) -> tuple[Slice, ...]:
    """Pairs by intent, scope, level, operator, severity, promise, origin and answer kind."""
    table = []
    for trait, of in _TRAITS.items():
        found = Counter((of(pair.noise), pair.noise.split) for pair in pairs)
        for value in sorted({value for value, _ in found}):
            table.append(Slice(trait, value, found[value, Split.TRAIN], found[value, Split.TEST]))
    return tuple(table)


def ignoring_noise(rows: Sequence[GoldRow]) -> float | None:
    """Share of all tasks for which the clean answer is right: what an agent scores that never notices the noise.

    From the gold answers alone. None of an empty release.
    """
    clean = {row.pair_id: canonical(row.gold) for row in rows if row.condition is Condition.CLEAN}
    return _share(canonical(row.gold) == clean[row.pair_id] for row in rows)


def most_frequent(rows: Sequence[GoldRow]) -> float | None:
    """Share of test tasks answered rightly by the answer its template has most often in train.

    From the gold answers alone, by equality, without tolerance; among answers that abstain none is offered, since
    silence without evidence scores nothing. A template that train lacks scores 0. None where a split is empty.
    """
    seen: dict[str, Counter[str]] = {}
    for row in rows:
        if row.split is Split.TRAIN and row.gold is not None:
            seen.setdefault(row.template, Counter())[canonical(row.gold)] += 1
    guess = {template: _commonest(answers) for template, answers in seen.items()}
    test = [row for row in rows if row.split is Split.TEST]
    return _share(canonical(row.gold) == guess.get(row.template) for row in test) if seen else None


def _commonest(answers: Counter[str]) -> str:
    """The answer given most often; of several, the first as text."""
    return min(answers, key=lambda answer: (-answers[answer], answer))


def _share(hits: Iterable[bool]) -> float | None:
    hits = list(hits)
    return round(sum(hits) / len(hits), 4) if hits else None
