"""Registers: every legal question reads as English in each of them, and asks the same in all."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TypeVar

import pytest

from assets.pairs.asking import build_questions
from assets.pairs.noising import build_pairs
from assets.questions import Template, ask, catalogue, fillings
from assets.questions.describing import EXAMPLE_IDS
from assets.questions.english import clipped, ordinal, with_article
from assets.questions.fitting import COMPARED, fitting, lifting
from assets.questions.grammar import Shape
from assets.questions.legality import problems
from assets.questions.sampling import slots_of
from assets.questions.vocabulary import conditions, kinds
from assets.questions.wording import Register, in_turn, register_of, registers, sentence_of
from assets.questions.wording.speech import Speech, lacking
from assets.staging import find_source, stage
from assets.synthetic import write_hospital
from noise_ops import operators
from robustgym.hospital import Hospital
from schemas.attributes import ATTRIBUTES
from schemas.concepts import Pool, load
from schemas.noise import Level, Promise
from schemas.overlays import Value
from schemas.pairs import Pair
from schemas.questions import Scope
from schemas.release import Profile
from tests.sweeping import swept

T = TypeVar("T", str, tuple[str, str])

CONCEPTS = load()
REGISTERS = list(registers().values())
TEMPLATES = catalogue()
SAMPLE = sorted(TEMPLATES, key=lambda t: hashlib.sha256(t.id.encode()).hexdigest())[:150]
"""Templates whose references are compiled, to see the contract as well."""

LEGAL = 300
"""Combinations drawn from the whole grammar."""

BAD = re.compile(
    r"[{}]|\bNone\b|  | [,.?]|,,|\b(\w+) \1\b(?! pulse)|\bof (with|on|in|while)\b|\b(in|of|the|a|an|and|with|,)[?.]$"
    r"|record of record|\b(was|with|whether|shows) (was|were|did)\b"
)


def pick(words: Iterable[T], *key: object) -> T:
    """One of the words, which the key alone decides."""
    ordered = sorted(words)
    return ordered[int(hashlib.sha256("|".join(map(str, key)).encode()).hexdigest()[:12], 16) % len(ordered)]


def composed(*, compared: bool) -> Iterator[Template]:
    """Legal templates drawn from the whole grammar, in the catalogue or not; of one window, or of two."""
    seen: set[Template] = set()
    for n in range(200_000):
        kind = pick(kinds(), n, "kind")
        uses = fitting().get(kind, {})
        pairs = [pair for pair in COMPARED if set(pair) <= set(uses)] if compared else [(window, "") for window in uses]
        lifts = lifting().get(kind, ())
        population = n % 2 == 1
        if not pairs or (population and not lifts):
            continue
        window, second = pick(pairs, n, "window")
        lift = lifts[n // 2 % len(lifts)] if population else None
        template = Template(
            intent=kinds()[kind].intent,
            scope=Scope.POPULATION if population else Scope.PATIENT,
            kind_name=kind,
            window_name=window,
            selector_name=pick(uses[window], n, "selector"),
            versus=second,
            condition_name=pick(conditions(), n, "condition") if n % 5 == 0 else "",
            cohort_name=pick(lift.cohorts, n, "cohort") if lift else "",
            aggregator_name=pick(lift.aggregators, n, "aggregator") if lift else "",
        )
        if template not in seen and not problems(template):
            seen.add(template)
            yield template


COMPOSED = [*islice(composed(compared=False), LEGAL - 30), *islice(composed(compared=True), 30)]


@cache
def filling_of(template: Template) -> Mapping[str, Value]:
    filling = next(fillings(template, CONCEPTS, "wording"), None)
    if filling is None:
        filling = {slot: concept.id for slot, concept in template.example.concepts.items()}
    filling.pop("register", None)
    if template.scope is Scope.PATIENT:
        filling |= {column: EXAMPLE_IDS[column] for column in template.unit.ids}
    return filling


def filled(template: Template, **parameters: Value) -> dict[str, Value]:
    return {**filling_of(template), **parameters}


def clauses(template: Template) -> list[dict[str, Value]]:
    found: list[dict[str, Value]] = [{}, {"calendar_year": 2014}, {"contradiction": True}, {"now": True}]
    found += [{"attribute": a.id} for a in ATTRIBUTES.values() if template.intent in a.intents][:2]
    found += [{"from_day": 3}] if template.has_start else []
    found += [{"nth": 21}] if template.uses_nth else []
    found += [{"after_value": 5.1}] if template.takes_value else []
    return found


def said(template: Template, register: Register, parameters: Mapping[str, Value]) -> str:
    return register.sentence(template, slots_of(template, parameters), parameters)


def wrong_articles(text: str) -> list[str]:
    found = re.finditer(r"(?<![\w'-])([Aa]n?) ((?![A-Z] )\S+)", text)
    return [m[0] for m in found if with_article(m[2]) != f"{m[1].lower()} {m[2]}"]


def test_there_are_at_least_four_registers() -> None:
    assert len(REGISTERS) >= 4
    assert {"order", "conversation", "chart_review", "analyst"} <= set(registers())


def test_the_draw_from_the_grammar_is_wide() -> None:
    assert len(COMPOSED) == LEGAL
    assert len({t.kind_name for t in COMPOSED}) >= 30
    assert len({t.window_name for t in COMPOSED}) >= 20
    assert any(t.versus for t in COMPOSED)


@pytest.mark.parametrize("register", REGISTERS, ids=lambda r: r.name)
@pytest.mark.parametrize("templates", [TEMPLATES, COMPOSED], ids=["catalogue", "grammar"])
def test_every_sentence_is_english(templates: list[Template], register: Register) -> None:
    wrong = []
    with_clauses = frozenset(swept(templates, 5))
    for template in templates:
        for clause in clauses(template) if template in with_clauses else [{}]:
            sentence = said(template, register, filled(template, **clause))
            if BAD.search(sentence) or wrong_articles(sentence) or sentence[-1] not in "?." or sentence[0].islower():
                wrong.append(f"{template.id}: {sentence}")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("register", REGISTERS, ids=lambda r: r.name)
@pytest.mark.parametrize("templates", [TEMPLATES, COMPOSED], ids=["catalogue", "grammar"])
def test_the_sentence_alone_says_whom_when_and_what(templates: list[Template], register: Register) -> None:
    for template in templates:
        parameters = filled(template)
        sentence = said(template, register, parameters)
        speech = Speech(template, slots_of(template, parameters), register.names)
        for column in template.unit.ids if template.scope is Scope.PATIENT else ():
            assert str(EXAMPLE_IDS[column]) in sentence, sentence
        for concept in speech.slots.concepts.values():
            if (template.kind_name, template.selector.shape) != ("drg_level", Shape.NAMES):  # one list for both levels
                assert clipped(register.names.of(concept)) in clipped(sentence), sentence
        for window in template.windows:
            options = (window.words, window.many, window.rest, window.again, "over the whole record")
            forms = [form.format(**speech.named).strip(", ") for form in options if form]
            forms += [clipped(form) for form in forms] + ["whole record"]
            if not (window.single and template.scope is Scope.POPULATION):
                assert any(form in sentence for form in forms), (template.id, sentence)
        if "threshold" in template.selector.uses:
            assert speech.words["beyond"] in sentence, sentence
        if template.uses_nth:
            assert ordinal(speech.slots.nth) in sentence, sentence
        if template.condition:
            assert clipped(template.condition.words.format(**speech.named)) in clipped(sentence), sentence


@pytest.mark.parametrize("template", SAMPLE, ids=lambda t: t.id)
def test_a_register_changes_how_it_is_said_and_not_what_is_asked(template: Template) -> None:
    parameters = filled(template)
    questions = {r.name: ask(template, parameters, register=r) for r in REGISTERS}
    assert len({sentence_of(q.text) for q in questions.values()}) == len(REGISTERS)
    contracts = {q.text[q.text.index(" Answer with ") :] for q in questions.values()}
    assert len(contracts) == 1
    [contract] = contracts
    assert len({(q.reference_sql, q.answer, q.selections) for q in questions.values()}) == 1
    answer = questions["plain"].answer
    for type_ in [answer, *(column for _, column in answer.columns)]:
        if type_.unit:
            assert type_.unit in contract
            assert ("decimal" in contract) or ("rounded to a whole number" in contract)
    for column, _ in answer.columns:
        assert column in contract
    assert contract.endswith(".")
    assert not re.search(r"[{}]|  |\bNone\b", contract.replace('{"code": ..., "version": ...}', ""))
    for register in REGISTERS:
        text = questions[register.name].text
        for concept in slots_of(template, parameters).concepts.values():
            name = register.names.of(concept)
            if name != concept.lay_name:
                assert f"{name} ({concept.lay_name}) means " in text or f"{name} means {concept.lay_name}" in text, text


def test_noise_changes_neither_register_nor_contract() -> None:
    for template in SAMPLE:
        clean = ask(template, filled(template))
        for clause in clauses(template):
            noisy = ask(template, filled(template, **clause))
            assert opening(noisy.text) == opening(clean.text)
            if not clause.get("attribute"):
                assert (
                    noisy.text[noisy.text.index(" Answer with ") :] == clean.text[clean.text.index(" Answer with ") :]
                )


def opening(text: str) -> str:
    """By what a register is recognised."""
    openings = {
        "Please report on": "order",
        "Quick question": "conversation",
        "Chart review": "chart_review",
        "For the analysis": "analyst",
        "For ": "plain",
        "Over ": "plain",
        "Among ": "plain",
    }
    return next(name for start, name in openings.items() if text.startswith(start))


def test_a_named_register_is_used_and_an_unknown_one_refused() -> None:
    template = Template.parse("labs-patient-lab-icu_stay-first")
    for register in REGISTERS:
        assert opening(ask(template, filled(template, register=register.name)).text) == register.name
    with pytest.raises(ValueError, match="the register `shouted` is not one of"):
        ask(template, filled(template, register="shouted"))


def test_registers_are_balanced() -> None:
    """Exactly if questions take turns; by template alone, each register is heard in each cell."""
    alone: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for template in TEMPLATES:
        turns = Counter(in_turn(template, n) for n in range(2 * len(REGISTERS)))
        assert turns == dict.fromkeys(registers(), 2)
        assert register_of(template, {}).name == in_turn(template, 0)
        alone[template.intent, template.scope][in_turn(template, 0)] += 1
    for cell, found in alone.items():
        assert min(found[name] for name in registers()) * len(REGISTERS) >= 0.3 * found.total(), (cell, found)


def test_a_kind_without_the_words_a_selector_needs_is_named() -> None:
    assert lacking(Template.parse("demographics-patient-race-whole_record-last_time")) == ("event",)
    assert lacking(Template.parse("labs-patient-lab-icu_stay-last_time")) == ()
    assert not [t.id for t in (*TEMPLATES, *COMPOSED) if lacking(t)]


def test_abbreviations_are_unambiguous_within_their_pool() -> None:
    for pool in Pool:
        concepts = CONCEPTS.of(pool).values()
        short = [c.abbreviation for c in concepts if c.abbreviation]
        assert len(short) == len(set(short)), pool
        assert not set(short) & {c.lay_name for c in concepts}, pool


PROFILE = Profile(
    name="registers",
    summary="Every query operator, once for each intent, scope and split.",
    test_pairs_per_cell=1,
    train_pairs=36,
    test_patients=0.5,
    templates_per_cell=2,
    promises=tuple(Promise),
    questions_per_template=2,
    test_candidates_per_operator=1,
    train_candidates_per_operator=1,
)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    """What every operator makes of questions of a small hospital, a few templates per cell."""
    source, warehouse = tmp_path_factory.mktemp("source") / "hospital", tmp_path_factory.mktemp("warehouse")
    write_hospital(source, 200, 0, format="parquet", workers=1)
    stage(find_source(source), warehouse)
    with Hospital.open(warehouse) as hospital:
        questions = build_questions(hospital, CONCEPTS, PROFILE, 0)
        made = [build_pairs(o, questions, hospital, CONCEPTS, PROFILE, 0) for o in dict(operators()).values()]
    return [pair for candidates in made for pair in candidates.pairs]


def test_no_operator_changes_the_register(pairs: list[Pair]) -> None:
    assert {pair.noise.level for pair in pairs} == set(Level)
    assert len({pair.noise.operator for pair in pairs if pair.noise.level is Level.QUERY}) >= 6
    for pair in pairs:
        template = Template.parse(pair.clean.template)
        if pair.noise.operator not in ("distractor", "surface"):  # remarks, slips and another order of words
            assert opening(pair.clean.question) == opening(pair.noise.question), pair.clean.pair_id
        assert register_of(template, pair.clean.parameters) is register_of(template, pair.noise.parameters)
        if pair.noise.level is not Level.QUERY:
            assert pair.clean.question == pair.noise.question


def test_definitions_and_contract_are_cut_off_in_every_register() -> None:
    for template in SAMPLE[:30]:
        for register in REGISTERS:
            parameters = filled(template)
            assert sentence_of(ask(template, parameters, register=register).text) == said(
                template, register, parameters
            )
