"""Clean questions: templates asked of the hospital, with their gold answers and associated records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice
from typing import Any

from assets.pairs.balancing import attainable, most, surplus
from assets.pairs.holding_out import NOTHING, HeldOut, hold_out
from assets.pairs.identity import digest, drawn, question_id, split_of
from assets.pairs.records import RowNumbers, associated
from assets.pairs.scans import Scan, grouped
from assets.questions import Template, ask, catalogue, every_unit_sql, fillings, gold_of, lint
from assets.questions.sampling import in_turn
from robustgym.gold import canonical
from robustgym.hospital import Hospital
from robustgym.parallel import side_by_side
from schemas.answers import GUESSED, Gold
from schemas.concepts import Concepts
from schemas.errors import InputError, Problem
from schemas.overlays import Value
from schemas.pairs import Split
from schemas.questions import Question, Scope
from schemas.release import Drop, Profile
from schemas.tables import TABLES

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

FILLINGS = 48
"""Concept fillings tried of a patient template."""

PER_FILLING = 2
"""Units asked about for each filling, before any filling has a third."""

ROUNDS = 5
"""A population template is tried with more fillings up to so many times."""

SPARE = 2
"""Fillings it is tried with beyond those wanted, each time."""

SPAN = 200
"""Patients that are asked first for a filling."""

ENOUGH = 2
"""Units with an answer, for each question wanted of a template, after which no further patients are asked."""

PATIENT_TABLES = frozenset(table.name for table in TABLES.values() if table.patient)

GUESS = "its answer would be a good guess: many questions of the template have it"


@dataclass(frozen=True)
class Asked:
    """A clean question of the hospital: what must be kept to ask it again."""

    id: str
    template: str
    parameters: Mapping[str, Value]
    gold: Gold
    subject_ids: tuple[int, ...]
    split: Split
    rows: RowNumbers = field(default_factory=dict)
    """Row numbers of the associated records, by selection (patient scope)."""


@dataclass(frozen=True)
class Questions:
    """All clean questions of a build, and what became of the others."""

    asked: tuple[Asked, ...]
    drops: tuple[Drop, ...]
    left_out: tuple[tuple[str, str], ...]
    """Templates this source cannot carry, with the reason."""
    held_out: HeldOut = NOTHING
    """What occurs in the test split alone."""


def build_questions(
    hospital: Hospital, concepts: Concepts, profile: Profile, seed: int, progress: Progress | None = None
) -> Questions:
    """Ask every template of the hospital, as often as the profile says.

    A question is kept if its reference gives an answer that is neither NULL nor longer than the profile allows, if its
    associated records are few enough to read, and if its answer is no good guess (`balancing`). Which questions are
    asked depends on the seed, the template and the hospital's content alone.

    Args:
        hospital: The clean hospital.
        concepts: The curated concepts this source has.
        profile: How many questions to ask.
        seed: Seed of the release.
        progress: Called once per template.
    """
    tell = progress or (lambda what, done, of: None)
    left_out = {}
    able = []
    for template in drawn_templates(profile, seed):
        missing = sorted(set(template.tables) - hospital.tables)
        if missing:
            left_out[template.id] = f"the source has no {' and no '.join(missing)}"
        else:
            able.append(template)

    frame = _Frame(concepts, hold_out(able, concepts, profile, seed), profile, seed)
    asked: list[Asked] = []
    drops: list[Drop] = []
    of_patients = [(frame, template.id) for template in able if template.scope is Scope.PATIENT]
    for number, (found, dropped) in enumerate(side_by_side(_of_patients, of_patients, hospital), start=1):
        tell("asking of patients", number, len(of_patients))
        asked += found
        drops += dropped
    with closing(_Asker(hospital, frame)) as population:
        population.ask_populations([t for t in able if t.scope is Scope.POPULATION], tell)
    population.balance()
    asked += population.asked
    drops += population.dropped()
    answered = {question.template for question in asked}
    for template in able:
        if template.id not in answered:
            left_out[template.id] = "no unit or cohort of this source has an answer that can be asked for"
    return Questions(
        asked=tuple(sorted(asked, key=lambda a: (a.template, a.id))),
        drops=tuple(sorted(drops, key=lambda d: (d.template, d.reason))),
        left_out=tuple(sorted(left_out.items())),
        held_out=frame.held_out,
    )


@dataclass(frozen=True)
class _Frame:
    """What all questions of a build share."""

    concepts: Concepts
    held_out: HeldOut
    profile: Profile
    seed: int


def _of_patients(hospital: Hospital, of: tuple[_Frame, str]) -> tuple[list[Asked], tuple[Drop, ...]]:
    """Ask one template of patients."""
    frame, template_id = of
    with closing(_Asker(hospital, frame)) as asker:
        asker.ask_patients(Template.parse(template_id))
    asker.balance()
    return asker.asked, asker.dropped()


def _golds(hospital: Hospital, of: tuple[Scan, Sequence[tuple[str, Mapping[str, Value]]]]) -> list[Gold]:
    """The gold answers of population questions that share a scan, in their order."""
    scan, wanted = of
    golds = []
    with hospital.extract(scan.tests, scan.words) as extracts, hospital.session(extracts=extracts) as session:
        for template_id, filling in wanted:
            question = ask(Template.parse(template_id), filling, tables=hospital.tables)
            columns, rows = session.fetch(question.reference_sql)
            golds.append(gold_of(question, rows, columns))
    return golds


def unfit(gold: Gold, numbers: RowNumbers, profile: Profile) -> str:
    """Why a question is not asked, seen from its answer and its associated records; empty if it may be."""
    if gold is None:
        return "the record does not determine one answer (nothing usable, a tie, or too few)"
    if sum(map(len, numbers.values())) > profile.max_records:
        return f"more than {profile.max_records} associated records"
    if isinstance(gold, list) and not 0 < len(gold) <= profile.max_rows:
        return f"an answer of no row or of more than {profile.max_rows}"
    return ""


def spans_of(patients: Sequence[int], seed: int, template: str, filling: Mapping[str, Value]) -> Iterator[str]:
    """Predicates that cut patients into spans of their ids, each twice as wide as the one before.

    Args:
        patients: All subject_ids, sorted.
        seed: With the template and the filling it draws where the first span begins; the last ones go round.
        template: Id of the template that is asked.
        filling: Its filling.
    """
    size, width, done = len(patients), SPAN, 0
    first = int(digest(seed, template, canonical(dict(filling)), "spans")[:8], 16) % max(1, size)
    while done < size:
        begin, end = first + done, first + min(done + width, size)
        # One stretch of ids, or two where the round begins anew.
        stretches = [(begin, min(end, size)), (max(begin, size) - size, end - size)]
        yield " OR ".join(
            f"subject_id BETWEEN {patients[low]} AND {patients[high - 1]}" for low, high in stretches if low < high
        )
        done, width = done + width, 2 * width


@lru_cache(maxsize=1)
def subjects_of(hospital: Hospital) -> tuple[int, ...]:
    """All subject_ids, sorted."""
    with hospital.session() as session:
        _, subjects = session.fetch("SELECT subject_id FROM patients ORDER BY subject_id")
    return tuple(subject for (subject,) in subjects)


def drawn_templates(profile: Profile, seed: int) -> list[Template]:
    """The templates of a build: all, or as many of each intent and scope as the profile says, and those it names.

    Raises:
        InputError: It names one that there is not.
    """
    if unknown := sorted(set(profile.templates) - {template.id for template in catalogue()}):
        do = "name one that `robustgym questions list` prints"
        raise InputError(
            Problem(f"profile {profile.name}, templates, {id_}", "no such template", do) for id_ in unknown
        )
    order = drawn(catalogue(), seed, "templates", key=lambda template: template.id)
    taken: Counter[tuple[str, str]] = Counter()
    found = []
    for template in order:
        taken[template.intent, template.scope] += 1
        within = (
            profile.templates_per_cell is None or taken[template.intent, template.scope] <= profile.templates_per_cell
        )
        if within or template.id in profile.templates:
            found.append(template)
    return sorted(found, key=lambda template: template.id)


class _Asker:
    """Keeps what was asked and counts what was not."""

    def __init__(self, hospital: Hospital, frame: _Frame) -> None:
        self.hospital, self.concepts, self.held_out = hospital, frame.concepts, frame.held_out
        self.profile, self.seed = frame.profile, frame.seed
        self.asked: list[Asked] = []
        self._drops: Counter[tuple[Template, str]] = Counter()
        self._answers: Counter[tuple[Template, str]] = Counter()
        self._linted: set[Template] = set()
        self._session = hospital.session(row_ids=True)

    def close(self) -> None:
        """Give up its session. What it asked stays."""
        self._session.close()

    def dropped(self) -> tuple[Drop, ...]:
        return tuple(
            Drop(stage="question", intent=t.intent, scope=t.scope, template=t.id, reason=reason, n=n)
            for (t, reason), n in self._drops.items()
        )

    def balance(self) -> None:
        """Drop the questions whose answers could be guessed from the template."""
        kept: list[Asked] = []
        for template_id, group in groupby(self.asked, key=lambda asked: asked.template):
            asked, template = list(group), Template.parse(template_id)
            gone = set(surplus(template.answer.kind, [a.gold for a in asked]))
            if gone:
                self._drops[template, GUESS] += len(gone)
            kept += [a for place, a in enumerate(asked) if place not in gone]
        self.asked = kept

    def ask_patients(self, template: Template) -> None:
        """Find the units that have an answer, one scan for each filling, and draw a few of each."""
        # Else an odd number of yes-or-no questions would be looked for in vain, through every unit and filling.
        wanted, kept = attainable(template.answer.kind, self.profile.questions_per_template), 0
        later: list[Iterator[dict[str, Value]]] = []
        for filling in islice(fillings(template, self.concepts, str(self.seed)), FILLINGS):
            units = self._answerable(template, filling)
            # A few units of each filling first, so that no concept dominates a template.
            for parameters in islice(units, PER_FILLING):
                kept += self._keep_patient(template, parameters)
                if kept == wanted:
                    return
            later.append(units)
        for parameters in in_turn(later):
            kept += self._keep_patient(template, parameters)
            if kept == wanted:
                return

    def _answerable(self, template: Template, filling: Mapping[str, Value]) -> Iterator[dict[str, Value]]:
        """Parameters of units that have an answer for a filling, in drawn order; rare answers have their turn.

        Patients are asked in spans, each twice as wide as the one before, until enough have an answer: of what most
        patients have, a small part of the hospital is read.
        """
        sql = every_unit_sql(template, filling)
        held = self.held_out.holds(template, filling)
        columns: list[str] = []
        rows: list[tuple[Any, ...]] = []
        for span in spans_of(subjects_of(self.hospital), self.seed, template.id, filling):
            with self.hospital.session(only=dict.fromkeys(PATIENT_TABLES & self.hospital.tables, span)) as session:
                columns, found = session.fetch(sql)
            rows += [row for row in found if not held or self._split(row[0]) is Split.TEST]
            if len(rows) >= ENOUGH * self.profile.questions_per_template:
                break
        if not rows:
            self._drops[template, "no unit has an answer for this concept"] += 1
        units = [dict(zip(columns[:-1], row[:-1], strict=True)) for row in rows]
        answers = {canonical(unit): str(row[-1]) for unit, row in zip(units, rows, strict=True)}
        order = drawn(units, self.seed, template.id, key=lambda unit: sorted(unit.items()))
        if template.answer.kind in GUESSED:
            by_answer: dict[str, list[dict[str, Value]]] = {}
            for unit in order:
                by_answer.setdefault(answers[canonical(unit)], []).append(unit)
            order = list(in_turn(iter(units) for units in by_answer.values()))
        return iter([{**filling, **unit} for unit in order])

    def ask_populations(self, templates: list[Template], progress: Progress) -> None:
        """Ask in rounds; within a round, questions that read the same records share one extract of them."""
        wanted = self.profile.questions_per_template
        waiting = {t: fillings(t, self.concepts, str(self.seed)) for t in templates}
        kept: Counter[Template] = Counter()
        for turn in range(ROUNDS):
            questions = [
                (template, filling, ask(template, filling, tables=self.hospital.tables))
                for template, queue in waiting.items()
                if kept[template] < wanted
                for filling in islice(queue, wanted - kept[template] + SPARE)
            ]
            groups = list(grouped(questions, lambda asked: (asked[2],)))
            sent = [(scan, [(template.id, filling) for template, filling, _ in group]) for scan, group in groups]
            golds: dict[str, Gold] = {}
            for (_, group), found in zip(groups, side_by_side(_golds, sent, self.hospital), strict=True):
                golds.update(zip((question.reference_sql for _, _, question in group), found, strict=True))
                progress(f"asking of the population, round {turn + 1}", len(golds), len(questions))
            for template, _, question in questions:
                if kept[template] < wanted:
                    kept[template] += self._keep(template, question, golds[question.reference_sql], {})
        self.asked.sort(key=lambda asked: asked.template)

    def _keep_patient(self, template: Template, parameters: Mapping[str, Value]) -> bool:
        question = ask(template, parameters, tables=self.hospital.tables)
        columns, rows = self._session.fetch(question.reference_sql)
        gold = gold_of(question, rows, columns)
        numbers = associated(self._session, question) if gold is not None else {}
        return self._keep(template, question, gold, numbers)

    def _keep(self, template: Template, question: Question, gold: Gold, numbers: RowNumbers) -> bool:
        if template not in self._linted:
            # Fillings differ in literals alone: one statement stands for its template.
            self._linted.add(template)
            problems = lint(question)
            if problems:
                raise AssertionError(f"{template.id}: {'; '.join(problems)}\n{question.reference_sql}")
        if reason := unfit(gold, numbers, self.profile):
            self._drops[template, reason] += 1
            return False
        answer = canonical(gold)
        if self._answers[template, answer] >= most(question.answer.kind, self.profile.questions_per_template):
            self._drops[template, GUESS] += 1
            return False
        self._answers[template, answer] += 1
        name = question_id(template.id, question.parameters)
        self.asked.append(
            Asked(
                id=name,
                template=template.id,
                parameters=dict(question.parameters),
                gold=gold,
                subject_ids=question.subject_ids,
                split=self._split_of(template, question, name),
                rows=numbers,
            )
        )
        return True

    def _split(self, *who: object) -> Split:
        return split_of(self.seed, self.profile.test_patients, *who)

    def _split_of(self, template: Template, question: Question, name: str) -> Split:
        """The patient's split; of a population question its own, unless it is held out."""
        if question.subject_ids:
            return self._split(*question.subject_ids)
        held = self.held_out.holds(template, question.parameters)
        return Split.TEST if held else self._split(template.id, name)
