"""What one operator makes of the clean questions: pairs whose promise is kept, and every candidate that is not one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from assets.pairs.asking import Asked, Progress, Questions, unfit
from assets.pairs.doubting import partial_worlds
from assets.pairs.identity import digest, drawn, pair_id, random_for, task_id
from assets.pairs.promises import check, supporting
from assets.pairs.records import associated, load
from assets.pairs.scans import grouped
from assets.pairs.surroundings import Lazy, Neighbourhood, Rival, known
from assets.pairs.witness import witness
from assets.questions import Template, ask, gold_of
from assets.questions.sampling import slots_of
from noise_ops import NotApplicable, Operator, operators
from robustgym.gold import canonical
from robustgym.hospital import Extracts, Hospital
from robustgym.parallel import side_by_side
from schemas.concepts import Concepts
from schemas.noise import Level, Noise, Promise
from schemas.overlays import Overlay, Value
from schemas.pairs import Condition, GoldRow, Pair, Records, Split
from schemas.questions import Intent, Question, Scope
from schemas.release import Drop, Profile

TRIES = 5
"""Questions an operator is tried on, for each pair wanted of a cell and split."""

LEAST = 2
"""So many times `TRIES` it is tried on at least, since few operators apply to every question."""


Group = tuple[Intent, Scope, Split]
"""Whose questions an operator is put to together; with a level it is a cell."""


@dataclass(frozen=True)
class Candidates:
    """What one operator yields: kept pairs, and drops by reason."""

    operator: str
    pairs: tuple[Pair, ...]
    drops: tuple[Drop, ...]
    tried: tuple[tuple[str, str, int], ...]
    """Template, severity and number of candidates, kept or not."""
    put_to: tuple[tuple[Intent, Scope, Split, int], ...] = ()
    """How many questions of each cell it was put to, in its own order."""


def build_pairs(
    operator: Operator,
    questions: Questions,
    hospital: Hospital,
    concepts: Concepts,
    profile: Profile,
    seed: int,
    progress: Progress | None = None,
    *,
    sizes: Mapping[Group, int] | None = None,
    beyond: Mapping[Group, int] | None = None,
) -> Candidates:
    """Try one operator on questions of every cell until as many pairs are kept as are wanted.

    Which questions it is tried on depends on the seed, the operator's name and the questions alone: another operator
    changes nothing here.

    Args:
        operator: The operator, as registered.
        questions: All clean questions of the build.
        hospital: The clean hospital.
        concepts: The curated concepts this source has.
        profile: How many pairs to make, and of which promises.
        seed: Seed of the release.
        progress: Called once per candidate.
        sizes: How many pairs to make of the questions of an intent, a scope and a split; the profile says it otherwise.
        beyond: How many of those questions were tried before and are passed over.
    """
    severities = tuple(name for name in operator.severities if operator.promise_of(name) in profile.promises)
    usual = {Split.TEST: profile.test_candidates_per_operator, Split.TRAIN: profile.train_candidates_per_operator}
    taught = questions.held_out.left(concepts)
    work = []
    for group, asked in _groups(questions) if severities else ():
        split = group[2]
        wanted = usual[split] if sizes is None else sizes.get(group, 0)
        if not wanted:
            continue
        first = (beyond or {}).get(group, 0)
        order = drawn(asked, seed, operator.name, key=lambda a: a.id)[first:][: TRIES * max(wanted, LEAST)]
        batch = [(a, severities[int(digest(seed, operator.name, a.id)[:8], 16) % len(severities)]) for a in order]
        known_to = concepts if split is Split.TEST else taught
        rivals = [Rival(a.id, Template.parse(a.template), a.parameters) for a in asked]
        work.append(_Work(operator.name, group, batch, wanted, first, known_to, profile, seed, rivals))
    # An operator that is not in the folder cannot be sent by its name.
    registered = operators().get(operator.name) is operator
    makers = side_by_side(_made, work, hospital) if registered else (_makes(operator, hospital, each) for each in work)
    found = []
    for each, made in zip(work, makers, strict=True):
        found.append(made)
        if progress:
            progress(f"{operator.name}: {', '.join(each.group)}", len(made.pairs), each.wanted)
    drops = sum((made.drops for made in found), Counter[tuple[str, str, str, str, str]]())
    tried = sum((made.tried for made in found), Counter[tuple[str, str]]())
    return Candidates(
        operator=operator.name,
        pairs=tuple(sorted((pair for made in found for pair in made.pairs), key=lambda pair: pair.clean.pair_id)),
        drops=tuple(
            Drop(stage="noise", intent=i, scope=s, template=t, operator=operator.name, severity=v, reason=r, n=n)
            for (i, s, t, v, r), n in sorted(drops.items())
        ),
        tried=tuple((t, v, n) for (t, v), n in sorted(tried.items())),
        put_to=tuple(sorted((*made.group, made.put_to) for made in found)),
    )


@dataclass(frozen=True)
class _Work:
    """What one operator does with the questions of one group."""

    operator: str
    group: Group
    batch: Sequence[tuple[Asked, str]]
    """Questions in the operator's order, each with a severity."""
    wanted: int
    first: int
    """How many questions were tried before these."""
    concepts: Concepts
    profile: Profile
    seed: int
    rivals: Sequence[Rival]
    """All clean questions of the group."""


class _Candidate(NamedTuple):
    """What may become a pair."""

    asked: Asked
    severity: str
    clean: Question
    noise: Noise
    noisy: Question


@dataclass(frozen=True)
class _Made:
    """What came of it."""

    group: Group
    pairs: list[Pair]
    drops: Counter[tuple[str, str, str, str, str]]
    tried: Counter[tuple[str, str]]
    put_to: int


def _made(hospital: Hospital, work: _Work) -> _Made:
    return _makes(operators()[work.operator], hospital, work)


def _makes(operator: Operator, hospital: Hospital, work: _Work) -> _Made:
    """Put an operator to questions until as many pairs are kept as are wanted."""
    kept, put_to = 0, work.first
    with closing(_Maker(operator, hospital, work.concepts, work.profile, work.seed, work.rivals)) as maker:
        # Rounds of as many as are wanted: a population round shares its scans, and most rounds need no second one.
        for start in range(0, len(work.batch), work.wanted):
            if kept >= work.wanted:
                break
            part = work.batch[start : start + work.wanted]
            kept += maker.make(part)
            put_to += len(part)
    return _Made(work.group, maker.pairs, maker.drops, maker.tried, put_to)


def _groups(questions: Questions) -> Iterator[tuple[Group, list[Asked]]]:
    def group(asked: Asked) -> Group:
        template = Template.parse(asked.template)
        return template.intent, template.scope, asked.split

    for key, found in groupby(sorted(questions.asked, key=lambda a: (group(a), a.template, a.id)), key=group):
        yield key, list(found)


class _Maker:
    """Makes pairs of one operator in one cell, and counts what is dropped."""

    def __init__(
        self,
        operator: Operator,
        hospital: Hospital,
        concepts: Concepts,
        profile: Profile,
        seed: int,
        rivals: Sequence[Rival],
    ) -> None:
        self.operator, self.hospital, self.profile, self.seed = operator, hospital, profile, seed
        self.pairs: list[Pair] = []
        self.drops: Counter[tuple[str, str, str, str, str]] = Counter()
        self.tried: Counter[tuple[str, str]] = Counter()
        self._session = hospital.session(row_ids=True)
        self._neighbourhood = Neighbourhood(
            self._session, concepts, hospital.tables, seed, known(hospital.warehouse.fingerprint, seed), rivals
        )

    def close(self) -> None:
        """Give up its session. What it made stays."""
        self._session.close()

    def make(self, batch: Sequence[tuple[Asked, str]]) -> int:
        """Make what can be made of these questions; returns how many pairs were kept."""
        ready = []
        for asked, severity in batch:
            template = Template.parse(asked.template)
            question = self._question(template, asked)
            self.tried[template.id, severity] += 1
            made = self._noise(template, asked, question, severity)
            if made is not None:
                ready.append(made)
        kept = 0
        if not ready:
            return 0
        if ready[0].clean.scope is Scope.PATIENT:
            return sum(self._keep(made, None) for made in ready)
        for scan, group in grouped(ready, lambda made: (made.clean, made.noisy), lambda made: _texts(made.noise)):
            with self.hospital.extract(scan.tests, scan.words) as extracts:
                kept += sum(self._keep(made, extracts) for made in group)
        return kept

    def _question(self, template: Template, asked: Asked) -> Question:
        question = _asked(template, canonical(dict(asked.parameters)), self.hospital.tables).with_(gold=asked.gold)
        return question.with_(
            records=Lazy(lambda: load(self._session, question, asked.rows)),
            counts={name: len(rows) for name, rows in asked.rows.items()},
            around=self._neighbourhood.around(template, question, f"{self.operator.name}|{asked.id}"),
        )

    def _noise(self, template: Template, asked: Asked, question: Question, severity: str) -> _Candidate | None:
        """Apply the operator; a question it reworded is asked again, and the clean one too where it says so."""
        rng = random_for(self.seed, self.operator.name, severity, asked.id)
        try:
            noise = self.operator.apply(question, rng, severity)
        except NotApplicable as reason:
            self._drop(question, severity, f"not applicable: {reason}")
            return None
        if not (noise.parameters or noise.text or noise.overlay.edits):
            self._drop(question, severity, "not applicable: nothing to change")
            return None
        clean = noisy = question
        try:
            if noise.clean:
                clean = self._ask(template, asked, noise.clean)
            if noise.parameters:
                noisy = self._ask(template, asked, noise.parameters)
        except ValueError as refusal:
            self._drop(question, severity, f"not applicable: {str(refusal).removeprefix(f'{template.id}: ')}")
            return None
        if noise.text:
            noisy = noisy.with_(text=noise.text)
        if not noise.overlay.edits and noisy.text == clean.text:
            self._drop(question, severity, "not applicable: this template says the same either way")
            return None
        return _Candidate(asked, severity, clean, noise, noisy)

    def _ask(self, template: Template, asked: Asked, change: Mapping[str, Value]) -> Question:
        """The question with some slots changed; another concept brings its own threshold along."""
        parameters = {**asked.parameters, **change}
        if "concept" in change and "threshold" not in change and template.uses_threshold:
            parameters["threshold"] = template.stream(slots_of(template, parameters).concepts).threshold
        return ask(template, parameters, tables=self.hospital.tables)

    def _asked_anew(self, asked: Asked, clean: Question, extracts: Extracts | None) -> Asked | str:
        """The clean question of a pair whose slots the operator changed, with its answer; or why it is not asked."""
        with self.hospital.session(row_ids=True, extracts=extracts) as session:
            columns, rows = session.fetch(clean.reference_sql)
            gold = gold_of(clean, rows, columns)
            numbers = associated(session, clean) if gold is not None and clean.scope is Scope.PATIENT else {}
        if reason := unfit(gold, numbers, self.profile):
            return f"the clean question with the same clause: {reason}"
        return replace(asked, parameters=dict(clean.parameters), gold=gold, rows=numbers)

    def _keep(self, made: _Candidate, extracts: Extracts | None) -> bool:
        asked, severity, clean, noise, noisy = made
        if noise.clean:
            anew = self._asked_anew(asked, clean, extracts)
            if isinstance(anew, str):
                self._drop(clean, severity, anew)
                return False
            asked, clean = anew, clean.with_(gold=anew.gold)
        promise = self.operator.promise_of(severity)
        checked = check(clean, noisy, noise, promise, self.hospital, extracts)
        if checked.broken:
            self._drop(clean, severity, f"promise broken: {checked.broken}")
            return False
        worlds: tuple[Overlay, ...] = ()
        if promise is Promise.ABSTENTION:
            worlds = supporting(noise.worlds, noisy, self.hospital, extracts)
            worlds += partial_worlds(
                noisy, noise, lambda overlay: bool(supporting((overlay,), noisy, self.hospital, extracts))
            )
            if self.operator.level is Level.QUERY and not worlds and not noise.schema_evidence:
                self._drop(clean, severity, "no supported world: an abstention could not be judged")
                return False
        name = pair_id(asked.id, self.operator.name, severity)
        shared = {
            "pair_id": name,
            "split": asked.split,
            "intent": clean.intent,
            "scope": clean.scope,
            "level": self.operator.level,
            "operator": self.operator.name,
            "severity": severity,
            "template": clean.template,
            "overlay": noise.overlay,
            "promise": promise,
            "subject_ids": clean.subject_ids,
            "bites": checked.bites,
        }
        rows = [
            GoldRow(
                task_id=task_id(self.seed, name, condition),
                condition=condition,
                parameters=dict(question.parameters),
                question=question.text,
                answer=question.answer,
                reference_sql=question.reference_sql,
                naive_sql=question.naive_sql,
                gold=gold,
                records=self._records(question, asked, extracts),
                worlds=worlds if condition is Condition.NOISE else (),
                schema_evidence=noise.schema_evidence if condition is Condition.NOISE and not worlds else (),
                witness_sql=witness(question, noise),
                tables=tuple(sorted({s.table for s in question.selections if s.name in question.reference_sql})),
                **shared,
            )
            for condition, question, gold in (
                (Condition.CLEAN, clean, asked.gold),
                (Condition.NOISE, noisy, checked.gold),
            )
        ]
        self.pairs.append(Pair(*rows))
        return True

    def _records(self, question: Question, asked: Asked, extracts: Extracts | None) -> tuple[Records, ...]:
        """Where the answer of a question comes from, selection by selection."""
        if question.scope is Scope.PATIENT:
            return tuple(
                Records(selection=s.name, role=s.role, table=s.table, rows=rows, n=len(rows))
                for s in question.selections
                for rows in (asked.rows.get(s.name, ()),)
            )
        session = self.hospital.session(extracts=extracts)
        try:
            return tuple(
                Records(
                    selection=s.name,
                    role=s.role,
                    table=s.table,
                    where=s.test,
                    n=session.fetch(f"SELECT count(*) FROM {s.table} WHERE {s.test}")[1][0][0],
                )
                for s in question.selections
            )
        finally:
            session.close()

    def _drop(self, question: Question, severity: str, reason: str) -> None:
        self.drops[question.intent, question.scope, question.template, severity, reason] += 1


@lru_cache(maxsize=16_384)
def _asked(template: Template, parameters: str, tables: frozenset[str]) -> Question:
    """The clean question again; every operator tries the same ones."""
    return ask(template, json.loads(parameters), tables=tables)


def _texts(noise: Noise) -> tuple[str, ...]:
    """What the overlays of a noise say, columns included; and whose records, for worlds that hold for some patients."""
    said = (text for overlay in (noise.overlay, *noise.worlds) for text in _strings(overlay.model_dump()))
    return (*said, "subject_id")


def _strings(value: object) -> Iterator[str]:
    """Every key and every text of nested values, as they are: an escaped line break would glue words together."""
    match value:
        case str():
            yield value
        case Mapping():
            for name, cell in value.items():
                yield str(name)
                yield from _strings(cell)
        case list() | tuple():
            for cell in value:
                yield from _strings(cell)
