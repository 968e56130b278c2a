"""Labs: results by patient and time, never by `hadm_id`, which 28,420 of 107,727 results of the demo lack."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.records import known, lab_results
from assets.questions.sql import between, hours, listed, number
from schemas.concepts import Lab, Pool, Ratio, Term, load
from schemas.questions import Intent, Role, Selection

# A result without a number is no random loss for these: troponin below its limit is told in `comments` only (145 of 278
# results of the demo), and every PTT of 150 is the analyser's ceiling. Their extremes and means would be biased.
CENSORED = frozenset({"troponin_t", "ptt"})


TESTED = tuple(
    id_ for id_ in load().of(Pool.LAB) if not id_.startswith(("temperature_", "peep_", "fio2_", "oxygen_saturation"))
)
"""Items that the laboratory measures; the others are noted on a blood gas about the patient and the ventilator."""

SPECIMEN = "x.micro_specimen_id"
"""Microbiology has a row for each test of a specimen, and for each antibiotic that an organism was tested against: 312
organisms of specimens have 1,241 rows in the demo."""

GASES = frozenset({"po2", "pco2", "ph_blood", "base_excess"})
"""Results of a blood gas that differ between arteries and veins."""

NO_COPY = "nurses' charts have no item that repeats this result (chartevents_copies in labs.csv)"


def charted_copies(lab: Lab) -> tuple[Route, ...]:
    """Where nurses' charts repeat a result, if they do."""
    if not lab.chartevents_copies:
        return ()
    copies = Selection(
        name="",
        role=Role.ROUTE,
        table="chartevents",
        concept=f"itemid IN {listed(lab.chartevents_copies)}",
        support=f"{between('valuenum', lab.plausible_low, lab.plausible_high)} AND charttime IS NOT NULL",
        label=f"charted copy of {lab.lay_name}",
        value=("valuenum", "value"),
        time=("charttime",),
    )
    return (Route(copies, time="x.charttime"),)


def results(lab: Lab) -> Stream:
    """Results of one laboratory item, with the copies that nurses' charts keep of them."""
    unit = lab.units[0].strip() if lab.units else ""
    return Stream(
        target=lab_results(lab),
        words=Phrases(
            value=lab.lay_name,
            event=f"{lab.lay_name} result",
            events=f"{lab.lay_name} results",
            counts=f"results with a number from {span(lab.plausible_low, lab.plausible_high)}"
            + (f" in {unit}" if unit else "")
            + _origin(lab),
        ),
        time="x.charttime",
        value="x.valuenum",
        unit=unit or "units",
        decimals=lab.decimals,
        worse=lab.worse,
        threshold=lab.threshold,
        followed=lab.followed,
        routes=charted_copies(lab),
        no_route=NO_COPY,
        definition=lab.definition,
    )


def _origin(lab: Lab) -> str:
    """What the contract says of a blood gas: its item does not tell an artery from a vein, only the specimen does."""
    return ", of arterial and venous blood alike" if lab.id in GASES else ""


def span(low: float | None, high: float | None) -> str:
    """A plausible range in words.

    >>> span(0.1, 15.0), span(None, 5.0)
    ('0.1 to 15', 'at most 5')
    """
    if low is None or high is None:
        return f"at most {number(high or 0)}" if low is None else f"at least {number(low)}"
    return f"{number(low)} to {number(high)}"


@kind(Intent.LABS, Pool.LAB, least=8, only=[id_ for id_ in TESTED if id_ not in CENSORED])
def lab(concept: Lab) -> Stream:
    """One laboratory item."""
    return results(concept)


@kind(Intent.LABS, Pool.RATIO)
def ratio(concept: Ratio) -> Stream:
    """The quotient of two items of one specimen: both are needed, drawn together."""
    labs = load().of(Pool.LAB)
    above, below = labs[concept.numerator], labs[concept.denominator]
    assert isinstance(above, Lab)
    assert isinstance(below, Lab)
    divisors = lab_results(below)
    return Stream(
        target=lab_results(above),
        partner=replace(divisors, support=f"{divisors.support} AND valuenum > 0"),
        joined="y.subject_id = x.subject_id AND y.specimen_id = x.specimen_id",
        words=Phrases(
            value=concept.lay_name,
            event=f"{concept.lay_name}",
            events=f"{concept.lay_name}s",
            counts=f"pairs of usable results of one specimen_id ({above.lay_name} over {below.lay_name}"
            + (f" in percent, times {number(concept.factor)}" if concept.factor else "")
            + ("" if (below.plausible_low or 0) > 0 else "; nothing is divided by 0")
            + ")"
            + _origin(above),
        ),
        time="x.charttime",
        value=(f"{number(concept.factor)} * " if concept.factor else "") + "x.valuenum / y.valuenum",
        unit=concept.unit or "ratio",
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        routes=charted_copies(above) + charted_copies(below),
        no_route=NO_COPY,
        definition=f"{above.definition} over {below.definition}",
    )


@kind(Intent.LABS, Pool.SPECIMEN)
def culture_organism(concept: Term) -> Stream:
    """Organisms that grew from one specimen. None means negative or pending, and 'CANCELLED' is none."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="microbiologyevents",
            concept=f"spec_type_desc IN {listed(concept.values)}",
            support=f"{known('microbiologyevents', 'org_name')} AND charttime IS NOT NULL",
            label=f"organism from {concept.lay_name}",
            time=("charttime",),
            names=("org_name",),
        ),
        words=Phrases(
            event=f"growth from a {concept.lay_name} specimen",
            events=f"growths from {concept.lay_name} specimens",
            entries=f"organisms grown from {concept.lay_name} specimens",
            listed=f"organisms were grown from {concept.lay_name} specimens",
            counts="microbiology records with an organism other than 'CANCELLED', by time of collection, an organism "
            "of one micro_specimen_id once",
        ),
        time="x.charttime",
        text="x.org_name",
        one=SPECIMEN,
        definition=f"microbiology records with {concept.definition}",
        no_route="cultures are kept by microbiology alone; a coded infection names neither specimen nor time",
    )


@kind(Intent.LABS, Pool.SPECIMEN)
def culture_turnaround(concept: Term) -> Stream:
    """How long microbiology took with one specimen, from collection until the result was stored."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="microbiologyevents",
            concept=f"spec_type_desc IN {listed(concept.values)}",
            support="charttime < storetime",
            label=f"{concept.lay_name} specimen",
            time=("charttime", "storetime"),
        ),
        words=Phrases(
            value=f"time from collection to result of {concept.lay_name} specimens",
            event=f"{concept.lay_name} specimen collected",
            events=f"{concept.lay_name} specimens collected",
            own={
                "highest": (
                    f"what was the longest time from collection to result of {concept.lay_name} specimens {{when}}",
                    f"longest time from collection to result of {concept.lay_name} specimens",
                )
            },
            counts="microbiology records whose charttime lies before their storetime, one time for each "
            "micro_specimen_id, until the last of its results",
        ),
        time="x.charttime",
        value=hours("x.charttime", "x.storetime"),
        one=SPECIMEN,
        unit="hours",
        decimals=1,
        definition=f"microbiology records with {concept.definition}",
        no_route="cultures are kept by microbiology alone; a coded infection names neither specimen nor time",
    )


@kind(Intent.LABS, Pool.SPECIMEN)
def culture_growth(concept: Term) -> Stream:
    """Specimens of one sort that grew something, among all of that sort: a "no" needs a specimen."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="microbiologyevents",
            concept=f"spec_type_desc IN {listed(concept.values)}",
            support="charttime IS NOT NULL",
            label=f"{concept.lay_name} specimen",
            time=("charttime",),
            names=("spec_type_desc", "org_name"),
        ),
        words=Phrases(
            happened=f"did any {concept.lay_name} specimen grow an organism",
            counted=f"{concept.lay_name} specimens grew an organism",
            events=f"{concept.lay_name} specimens that grew an organism",
            whole=f"{concept.lay_name} specimens",
            part=f"{concept.lay_name} specimens that grew an organism",
            tally="specimens",
            own={
                "first_of": (
                    f"when was the first {concept.lay_name} specimen that grew an organism collected {{when}}",
                    f"time at which the first {concept.lay_name} specimen that grew an organism was collected",
                ),
                "share_of": (
                    f"what percentage of the {concept.lay_name} specimens {{when}} grew an organism",
                    f"percentage of {concept.lay_name} specimens that grew an organism",
                ),
            },
            counts="microbiology records with a time of collection, one micro_specimen_id being one specimen; "
            "'CANCELLED' is no organism",
        ),
        time="x.charttime",
        hit=known("microbiologyevents", "org_name").replace("org_name", "x.org_name"),
        one=SPECIMEN,
        definition=f"microbiology records with {concept.definition}",
        no_route="cultures are kept by microbiology alone; a coded infection names neither specimen nor time",
    )


def noted_on_gas(lab: Lab) -> Stream:
    """A setting of the ventilator that the laboratory notes on a blood gas."""
    stream = results(lab)
    return replace(stream, unit={"peep_blood_gas": "cmH2O"}.get(lab.id, stream.unit))
