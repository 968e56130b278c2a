"""Natural noise: questions that the hospital as it is cannot answer, each paired with one that it can.

Nothing is made: a template asks about a unit whose records bear a fault, or lack what is asked for, and the same
template with the same words asks about another patient's unit. What an operator would have done to the record stands
there already, so the operator whose fault it is gives the pair its name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from assets.pairs.asking import PATIENT_TABLES, SPAN, Asked, Progress, Questions, spans_of, subjects_of, unfit
from assets.pairs.biting import bites
from assets.pairs.evidencing import evidences
from assets.pairs.holding_out import HeldOut
from assets.pairs.identity import digest, drawn, pair_id, question_id, split_of, task_id
from assets.pairs.mending import mended, transplanted
from assets.pairs.noising import Candidates
from assets.pairs.promises import supporting, surviving_route
from assets.pairs.records import associated, load
from assets.pairs.surroundings import Neighbourhood, known
from assets.pairs.witness import witness
from assets.questions import Template, ask, can_stand, every_unit_sql, fillings, gold_of, standing_sql
from assets.questions.sampling import may_begin_later
from noise_ops import Fault, Lack, NotApplicable, Operator, operators
from robustgym.gold import canonical
from robustgym.hospital import Hospital
from robustgym.parallel import side_by_side
from schemas.concepts import Concepts
from schemas.noise import Noise, Promise
from schemas.overlays import Overlay, Value
from schemas.pairs import Condition, GoldRow, Pair, Records, Split
from schemas.questions import Question, Selection
from schemas.release import Drop, Profile

SEVERITY = "natural"
"""What stands where an injected pair has the operator's severity."""

WIDEST = 8 * SPAN
"""Patients looked at for a filling stop with the span that is so wide: what is too rare there is left."""

UNITS = 6
"""Units tried for each fault of a filling and split, until one makes a pair."""

SIBLINGS = 3
"""Clean questions tried beside each: a record carried over from one may not fit the other's window."""

DAYS = (3, 4, 5)
"""Days from which `time_out` has a question count."""


def build_natural(
    hospital: Hospital,
    concepts: Concepts,
    questions: Questions,
    profile: Profile,
    seed: int,
    progress: Progress | None = None,
) -> tuple[Candidates, ...]:
    """Look through the hospital for questions whose support is broken by nature.

    Every template that patients are asked is laid over the units without its support test, one statement for each
    filling (`assets.questions.standing`). A unit becomes a pair if its reference gives NULL, no route tells the fact,
    and a hospital mended in that one respect would answer and show an agent something else.

    Args:
        hospital: The clean hospital.
        concepts: The curated concepts this source has.
        questions: All clean questions of the build.
        profile: Whether natural pairs are wanted, and how many questions a template asks.
        seed: Seed of the release.
        progress: Called once per template.

    Returns:
        What was found, for each operator that says how its fault occurs by nature. Tried are the units looked at.
    """
    if not profile.natural or Promise.ABSTENTION not in profile.promises:
        return ()
    asked: defaultdict[str, list[Asked]] = defaultdict(list)
    for question in questions.asked:
        asked[question.template].append(question)
    searches = [
        _Work(template_id, tuple(found), concepts, questions.held_out, profile, seed)
        for template_id, found in sorted(asked.items())
        if can_stand(Template.parse(template_id))
    ]
    found: list[_Found] = []
    for number, made in enumerate(side_by_side(_searched, searches, hospital), start=1):
        found.append(made)
        if progress:
            progress("looking for natural noise", number, len(searches))
    names = [name for name, operator in operators().items() if operator.natural]
    return tuple(_of_operator(name, found) for name in names)


@dataclass(frozen=True)
class _Work:
    """One template, and what is asked of it already."""

    template: str
    asked: tuple[Asked, ...]
    concepts: Concepts
    held_out: HeldOut
    profile: Profile
    seed: int


@dataclass
class _Found:
    """What was found with one template."""

    template: Template
    pairs: list[Pair] = field(default_factory=list)
    tried: Counter[str] = field(default_factory=Counter)
    """Units looked at, by operator."""
    drops: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By operator and reason."""


def _of_operator(name: str, found: Sequence[_Found]) -> Candidates:
    pairs = [pair for made in found for pair in made.pairs if pair.noise.operator == name]
    return Candidates(
        operator=name,
        pairs=tuple(sorted(pairs, key=lambda pair: pair.clean.pair_id)),
        drops=tuple(
            Drop(
                stage="noise",
                intent=made.template.intent,
                scope=made.template.scope,
                template=made.template.id,
                operator=name,
                severity=SEVERITY,
                reason=reason,
                n=n,
            )
            for made in found
            for (operator, reason), n in sorted(made.drops.items())
            if operator == name
        ),
        tried=tuple((made.template.id, SEVERITY, made.tried[name]) for made in found if made.tried[name]),
    )


def _searched(hospital: Hospital, work: _Work) -> _Found:
    with closing(_Searcher(hospital, work)) as searcher:
        return searcher.search()


@dataclass(frozen=True)
class _Kind:
    """One operator's fault in the records of one filling."""

    operator: Operator
    found: Fault | Lack

    @property
    def test(self) -> str:
        """SQL over the counts of a unit: does it bear the fault, and nothing else that would spoil the answer?"""
        name = self.operator.name
        if isinstance(self.found, Lack):
            return self.found.where
        borne = f"usable = n AND {name} > 0" if self.found.usable else f"usable = 0 AND n > 0 AND {name} = n"
        return f"{borne} AND {self.found.given}"


class _Searcher:
    """Looks for the natural noise of one template."""

    def __init__(self, hospital: Hospital, work: _Work) -> None:
        self.hospital, self.work, self.seed = hospital, work, work.seed
        self.template = Template.parse(work.template)
        self.found = _Found(self.template)
        self.held_out = work.held_out
        self._session = hospital.session(row_ids=True)
        self._near = Neighbourhood(
            self._session,
            work.concepts,
            hospital.tables,
            self.seed,
            known(hospital.warehouse.fingerprint, self.seed),
            (),
        )

    def close(self) -> None:
        """Give up its session."""
        self._session.close()

    def search(self) -> _Found:
        """Try filling after filling; each fault makes one pair for each split, and each filling for each fault."""
        done: set[tuple[str, Split]] = set()
        for filling in self._fillings():
            day = DAYS[int(digest(self.seed, self.template.id, canonical(filling), "day")[:8], 16) % len(DAYS)]
            kinds = [k for k in self._kinds(filling) if any((k.operator.name, split) not in done for split in Split)]
            if not kinds:
                continue
            bearing, answered = self._units(filling, kinds, day)
            for kind in drawn(kinds, self.seed, self.template.id, key=lambda k: k.operator.name):
                for split in Split:
                    if (kind.operator.name, split) in done or (
                        split is Split.TRAIN and self.held_out.holds(self.template, filling)
                    ):
                        continue
                    units = [unit for unit in bearing[kind.operator.name] if self._split(unit) is split]
                    if units and self._pair(kind, filling, day, units, answered, split):
                        done.add((kind.operator.name, split))
        return self.found

    def _fillings(self) -> Iterator[dict[str, Value]]:
        """What clean questions are asked with, then others, as many as the template has questions."""
        ids = {*self.template.unit.ids, "from_day"}
        seen: set[str] = set()
        own = ({k: v for k, v in asked.parameters.items() if k not in ids} for asked in self.work.asked)
        more = (
            {k: v for k, v in filling.items() if k not in ids}
            for filling in islice(fillings(self.template, self.work.concepts, f"{self.seed}|natural"), 100)
        )
        for filling in (*own, *more):
            key = canonical({k: v for k, v in filling.items() if k != "register"})
            if key not in seen and len(seen) < 2 * self.work.profile.questions_per_template:
                seen.add(key)
                yield filling

    def _kinds(self, filling: Mapping[str, Value]) -> list[_Kind]:
        selection = self._target(filling)
        found = []
        for operator in operators().values():
            fault = operator.found_in(selection)
            if fault is None or (isinstance(fault, Lack) and self._is_apart(fault)):
                continue
            found.append(_Kind(operator, fault))
        return found

    def _is_apart(self, lack: Lack) -> bool:
        """Whether a record cannot be carried over: it hangs on another one, or no day can be counted from."""
        stream = self.template.example_stream
        hangs = stream.partner is not None and stream.partner.table != self.template.unit.table
        return hangs or ("from_day" in lack.where and not may_begin_later(self.template))

    def _target(self, filling: Mapping[str, Value]) -> Selection:
        ids = dict.fromkeys(self.template.unit.ids, 0)
        return next(s for s in ask(self.template, {**filling, **ids}).targets if s.name == "target")

    def _units(
        self, filling: Mapping[str, Value], kinds: Sequence[_Kind], day: int
    ) -> tuple[dict[str, list[dict[str, int]]], list[dict[str, int]]]:
        """Units that bear each fault, and units that have an answer, in drawn order."""
        faults = {k.operator.name: k.found.where for k in kinds if isinstance(k.found, Fault)}
        sql = standing_sql(self.template, filling, faults, {k.operator.name: k.test for k in kinds}, day)
        answers = every_unit_sql(self.template, filling)
        ids = self.template.unit.ids
        bearing: dict[str, list[dict[str, int]]] = {k.operator.name: [] for k in kinds}
        answered: list[dict[str, int]] = []
        width = SPAN
        for span in spans_of(subjects_of(self.hospital), self.seed, self.template.id, filling):
            with self.hospital.session(only=dict.fromkeys(PATIENT_TABLES & self.hospital.tables, span)) as session:
                _, rows = session.fetch(sql)
                _, having = session.fetch(answers) if rows else ([], [])
            known_to = {row[: len(ids)] for row in having}
            answered += [dict(zip(ids, row, strict=False)) for row in having]
            for row in rows:
                unit = dict(zip(ids, row, strict=False))
                for kind, met in zip(kinds, row[len(ids) :], strict=True):
                    # Of a later day the answer is another one: it is looked at when the pair is made.
                    if met and (row[: len(ids)] not in known_to or "from_day" in kind.test):
                        bearing[kind.operator.name].append(unit)
            if width >= WIDEST or (all(bearing.values()) and len(answered) > SIBLINGS):
                break
            width *= 2
        order = (self.seed, self.template.id, "natural")
        return (
            {name: drawn(units, *order, key=lambda u: sorted(u.items())) for name, units in bearing.items()},
            drawn(answered, *order, "clean", key=lambda u: sorted(u.items())),
        )

    def _split(self, unit: Mapping[str, int]) -> Split:
        return split_of(self.seed, self.work.profile.test_patients, unit["subject_id"])

    def _pair(
        self,
        kind: _Kind,
        filling: Mapping[str, Value],
        day: int,
        units: Sequence[Mapping[str, int]],
        answered: Sequence[Mapping[str, int]],
        split: Split,
    ) -> bool:
        """Make one pair of a fault; returns whether there is one."""
        name = kind.operator.name
        later = {"from_day": day} if "from_day" in kind.test else {}
        siblings = [unit for unit in answered if self._split(unit) is split]
        asked = (self._clean({**filling, **later, **unit}, split) for unit in siblings[: 4 * SIBLINGS])
        cleans = list(islice((found for found in asked if found is not None), SIBLINGS))
        if not cleans:
            self.found.drops[name, "no unit of the same split has an answer to the same question"] += 1
            return False
        for unit in units[:UNITS]:
            self.found.tried[name] += 1
            noisy = ask(self.template, {**filling, **later, **unit}, tables=self.hospital.tables)
            reason = self._undetermined(noisy, kind.found)
            if reason:
                self.found.drops[name, reason] += 1
                continue
            for sibling, question in cleans:
                if question.subject_ids == noisy.subject_ids:
                    continue
                worlds = supporting(self._worlds(kind.found, noisy, sibling, question), noisy, self.hospital, None)
                if not worlds:
                    continue
                pair = self._made(kind, sibling, question, noisy, worlds)
                if evidences(self.hospital, pair.noise):
                    self.found.pairs.append(pair)
                    return True
            self.found.drops[name, "no supported world that would show the fault: mended, it has no answer either"] += 1
        return False

    def _clean(self, parameters: Mapping[str, Value], split: Split) -> tuple[Asked, Question] | None:
        """The clean question of a unit, if it may be asked."""
        question = ask(self.template, parameters, tables=self.hospital.tables)
        columns, rows = self._session.fetch(question.reference_sql)
        gold = gold_of(question, rows, columns)
        numbers = associated(self._session, question) if gold is not None else {}
        if unfit(gold, numbers, self.work.profile):
            return None
        name = question_id(self.template.id, question.parameters)
        asked = Asked(name, self.template.id, dict(parameters), gold, question.subject_ids, split, numbers)
        return asked, question.with_(gold=gold, records=load(self._session, question, numbers))

    def _undetermined(self, noisy: Question, found: Fault | Lack) -> str:
        """Why the answer of a question is determined after all; empty if it is not."""
        columns, rows = self._session.fetch(noisy.reference_sql)
        if gold_of(noisy, rows, columns) is not None:
            return "the hospital determines an answer"
        if isinstance(found, Lack) and found.others:
            return ""
        return surviving_route(self._session, noisy)

    def _worlds(self, found: Fault | Lack, noisy: Question, asked: Asked, clean: Question) -> tuple[Overlay, ...]:
        name = f"natural|{asked.id}|{canonical(dict(noisy.parameters))}"
        noisy = noisy.with_(around=self._near.around(self.template, noisy, name))
        try:
            if isinstance(found, Fault):
                return mended(self.template, noisy, clean, found, self._session)
            return transplanted(self.template, noisy, clean, found, self._session)
        except NotApplicable:
            return ()

    def _made(self, kind: _Kind, asked: Asked, clean: Question, noisy: Question, worlds: tuple[Overlay, ...]) -> Pair:
        level = kind.operator.level
        name = pair_id(f"{asked.id}|{question_id(noisy.template, noisy.parameters)}", kind.operator.name, SEVERITY)
        bitten = bites(clean, noisy, None, self._session, self.hospital, None)
        numbers = {Condition.CLEAN: asked.rows, Condition.NOISE: associated(self._session, noisy)}
        rows = [
            GoldRow(
                pair_id=name,
                task_id=task_id(self.seed, name, condition),
                condition=condition,
                split=asked.split,
                intent=question.intent,
                scope=question.scope,
                level=level,
                operator=kind.operator.name,
                severity=SEVERITY,
                origin="natural",
                template=question.template,
                parameters=dict(question.parameters),
                question=question.text,
                answer=question.answer,
                reference_sql=question.reference_sql,
                naive_sql=question.naive_sql,
                gold=asked.gold if condition is Condition.CLEAN else None,
                records=tuple(
                    Records(selection=s.name, role=s.role, table=s.table, rows=found, n=len(found))
                    for s in question.selections
                    for found in (numbers[condition].get(s.name, ()),)
                ),
                overlay=Overlay(),
                worlds=worlds if condition is Condition.NOISE else (),
                schema_evidence=(),
                witness_sql=witness(question, Noise(worlds=worlds)),
                promise=Promise.ABSTENTION,
                bites=bitten,
                subject_ids=question.subject_ids,
                tables=tuple(sorted({s.table for s in question.selections if s.name in question.reference_sql})),
            )
            for condition, question in ((Condition.CLEAN, clean), (Condition.NOISE, noisy))
        ]
        return Pair(*rows)
