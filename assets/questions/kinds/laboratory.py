"""The laboratory at work: what it flagged, how fast it was, which sections and specimens, what resisted."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import SAME_ITEM, TESTS
from assets.questions.kinds.labs import TESTED
from assets.questions.records import known
from assets.questions.sql import hours, listed
from schemas.concepts import Lab, Pool, Term
from schemas.questions import Intent, Role, Selection

LABORATORY_ONLY = "charts copy the number of a result, never its flag, its priority, its specimen or when it was stored"
CULTURE_ONLY = "susceptibilities are kept by microbiology alone"


AWAITED = frozenset(
    {"potassium", "sodium", "creatinine", "glucose", "bicarbonate", "hemoglobin", "hematocrit", "platelets", "wbc"}
    | {"inr", "pt", "ptt", "troponin_t"}
)
"""Tests that emergencies wait for: a STAT result is due within the hour. A blood gas always is (97 of 97 admissions of
the demo), and of the others nobody minds."""


def _results(label: str, support: str = "", *, concept: str = "TRUE", names: tuple[str, ...] = ()) -> Selection:
    """Laboratory results, with or without a number, drawn at a known time."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="labevents",
        concept=concept,
        support=f"{support} AND charttime IS NOT NULL" if support else "charttime IS NOT NULL",
        label=label,
        time=("charttime",),
        names=names,
    )


@kind(Intent.LABS)
def abnormal_tests() -> Stream:
    """What the laboratory flagged as abnormal, by the names of the tests."""
    return Stream(
        target=_results("result flagged as abnormal", "flag = 'abnormal'", names=("flag",)),
        label=TESTS,
        named=SAME_ITEM,
        words=Phrases(
            event="abnormal laboratory result",
            events="abnormal laboratory results",
            entries="laboratory tests flagged abnormal",
            listed="laboratory tests were flagged abnormal",
            tally="tests",
            counts="results that the laboratory flagged 'abnormal', named by their label in d_labitems",
        ),
        time="x.charttime",
        text="trim(l.label)",
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS, Pool.LAB, least=8, only=TESTED)
def flagged(concept: Lab) -> Stream:
    """Results of one test that the laboratory flagged, among all its results."""
    return Stream(
        target=_results(f"{concept.lay_name} result", concept=f"itemid = {concept.itemid}"),
        words=Phrases(
            happened=f"was any {concept.lay_name} result flagged abnormal by the laboratory",
            counted=f"{concept.lay_name} results were flagged abnormal by the laboratory",
            events=f"{concept.lay_name} results flagged abnormal",
            whole=f"{concept.lay_name} results",
            part="flagged abnormal by the laboratory",
            tally="results",
            counts="laboratory results with a time, of which those with the flag 'abnormal' are abnormal",
            own={
                "first_of": (
                    f"when was the first {concept.lay_name} result flagged abnormal by the laboratory drawn {{when}}",
                    f"time at which the first {concept.lay_name} result flagged abnormal was drawn",
                ),
                "share_of": (
                    f"what percentage of the {concept.lay_name} results {{when}} were flagged abnormal by the "
                    "laboratory",
                    f"percentage of {concept.lay_name} results flagged abnormal",
                ),
            },
        ),
        time="x.charttime",
        hit="coalesce(x.flag = 'abnormal', FALSE)",
        definition=concept.definition,
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS)
def urgent_tests() -> Stream:
    """What was ordered STAT, by the names of the tests: what the emergency laboratory is busy with."""
    return Stream(
        target=_results("result of a STAT order", "priority = 'STAT'", names=("priority",)),
        label=TESTS,
        named=SAME_ITEM,
        words=Phrases(
            event="STAT laboratory result",
            events="STAT laboratory results",
            entries="laboratory tests run STAT",
            listed="laboratory tests were run STAT",
            tally="tests",
            counts="results with priority 'STAT', named by their label in d_labitems",
        ),
        time="x.charttime",
        text="trim(l.label)",
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS)
def run_urgently() -> Stream:
    """Results ordered STAT, among all that state a priority."""
    return Stream(
        target=_results("result with a priority", "priority IN ('STAT', 'ROUTINE')", names=("priority",)),
        words=Phrases(
            happened="was any laboratory test run STAT",
            counted="laboratory results were run STAT",
            events="laboratory results run STAT",
            whole="laboratory results with a stated priority",
            part="run STAT",
            tally="results",
            counts="laboratory results with priority 'STAT' or 'ROUTINE'",
            own={
                "share_of": (
                    "what percentage of the laboratory results with a stated priority {when} were run STAT",
                    "percentage of laboratory results run STAT",
                )
            },
        ),
        time="x.charttime",
        hit="x.priority = 'STAT'",
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS, Pool.LAB_SECTION)
def section(concept: Term) -> Stream:
    """Results of one section of the laboratory, among all: its share of the work."""
    return Stream(
        target=_results("laboratory result"),
        label=TESTS,
        named=SAME_ITEM,
        words=Phrases(
            happened=f"was any {concept.lay_name} test resulted",
            counted=f"{concept.lay_name} results were reported",
            events=f"{concept.lay_name} results",
            whole="laboratory results",
            part=f"{concept.lay_name} results",
            tally="results",
            counts="laboratory results with a time, under their category in d_labitems",
        ),
        time="x.charttime",
        hit=f"l.category IN {listed(concept.values)}",
        definition=f"the laboratory items of {concept.definition}",
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS, Pool.LAB, least=8, only=TESTED)
def turnaround(concept: Lab) -> Stream:
    """How long the laboratory took with one test, from drawing until the result was stored."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="labevents",
            concept=f"itemid = {concept.itemid}",
            support="charttime < storetime",
            label=f"{concept.lay_name} result",
            time=("charttime", "storetime"),
        ),
        words=Phrases(
            value=f"turnaround time of {concept.lay_name}",
            event=f"{concept.lay_name} specimen drawn",
            events=f"{concept.lay_name} specimens drawn",
            counts="results whose charttime lies before their storetime; the turnaround is the time between the two",
            own={
                "highest": (
                    f"what was the longest turnaround time of {concept.lay_name} {{when}}",
                    f"longest turnaround time of {concept.lay_name}",
                )
            },
        ),
        time="x.charttime",
        value=hours("x.charttime", "x.storetime"),
        unit="hours",
        decimals=1,
        threshold=1.0 if concept.id in AWAITED else None,
        definition=concept.definition,
        no_route=LABORATORY_ONLY,
    )


@kind(Intent.LABS)
def specimens() -> Stream:
    """Specimens drawn for the laboratory: many draws make a patient anaemic."""
    return Stream(
        target=_results("laboratory result", "specimen_id IS NOT NULL"),
        words=Phrases(
            event="laboratory specimen",
            events="laboratory specimens",
            entries="laboratory specimens",
            listed="laboratory specimens were drawn",
            tally="specimens",
            counts="results with a specimen_id and a time; one specimen_id is one specimen",
        ),
        time="x.charttime",
        text="CAST(x.specimen_id AS VARCHAR)",
        no_route=LABORATORY_ONLY,
    )


def _tested(support: str) -> Selection:
    """Susceptibility tests with a result."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="microbiologyevents",
        support=f"{known('microbiologyevents', 'ab_name')} AND {support} AND charttime IS NOT NULL",
        label="susceptibility test",
        time=("charttime",),
        names=("ab_name", "interpretation"),
    )


@kind(Intent.LABS)
def resisted() -> Stream:
    """Antibiotics that an organism resisted: what not to give."""
    return Stream(
        target=_tested("interpretation = 'R'"),
        words=Phrases(
            event="resistant susceptibility test",
            events="resistant susceptibility tests",
            entries="antibiotics that an organism resisted",
            listed="antibiotics did an organism of the patient's cultures resist",
            tally="antibiotics",
            counts="susceptibility tests with interpretation 'R', by time of collection",
            own={
                "number_of_names": (
                    "to how many different antibiotics was an organism of the patient's cultures resistant {when}",
                    "number of different antibiotics that an organism resisted",
                )
            },
        ),
        time="x.charttime",
        text="x.ab_name",
        no_route=CULTURE_ONLY,
    )


@kind(Intent.LABS)
def resistance() -> Stream:
    """Resistant results, among all susceptibility tests: without any test nobody knows."""
    return Stream(
        target=_tested("interpretation IN ('S', 'I', 'R')"),
        words=Phrases(
            happened="did any susceptibility test show resistance",
            counted="susceptibility tests showed resistance",
            events="susceptibility tests that showed resistance",
            whole="susceptibility tests",
            part="resistant",
            tally="tests",
            counts="susceptibility tests with interpretation 'S', 'I' or 'R', of which 'R' is resistant, by time of "
            "collection",
            own={
                "first_of": (
                    "when was the first specimen with a resistant susceptibility test collected {when}",
                    "time at which the first specimen with a resistant susceptibility test was collected",
                ),
                "share_of": (
                    "what percentage of the susceptibility tests {when} showed resistance",
                    "percentage of susceptibility tests that showed resistance",
                ),
            },
        ),
        time="x.charttime",
        hit="x.interpretation = 'R'",
        no_route=CULTURE_ONLY,
    )
