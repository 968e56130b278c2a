"""Medications: "ordered", "given" and "running" are three words for three tables, and the wording keeps to them."""

from __future__ import annotations

from assets.questions.english import spelled_out
from assets.questions.grammar import Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.records import DRIPS, GIVEN, GIVEN_WORDS, NOT_GIVEN, doses_given, infusion_runs, known
from assets.questions.sql import folded, listed
from schemas.concepts import Drug, DrugClass, Infusion, Pool, load
from schemas.questions import Intent, Role, Selection

ORDERED_ONLY = (
    "the question asks what was ordered and counts prescriptions; pharmacy entries and doses given are others"
)
GIVEN_ONLY = "the question asks what the administration record says was given; its details have no time of their own"


def spelled(spellings: tuple[str, ...]) -> str:
    """Spellings of a drug as a definition."""
    return "the entries " + spelled_out(spellings)


def order_rows(spellings: tuple[str, ...], label: str) -> Selection:
    """Orders that stop after they start: 753 of the demo's 18,087 stop before."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="prescriptions",
        concept=folded("drug", spellings),
        support="drug_type = 'MAIN' AND starttime < stoptime",
        label=label,
        time=("starttime", "stoptime"),
        names=("drug",),
    )


@kind(Intent.MEDICATIONS, Pool.ORDERED_DRUG, least=8)
def order(concept: Drug) -> Stream:
    """Orders for one ingredient."""
    return Stream(
        target=order_rows(concept.orders, f"order for {concept.lay_name}"),
        words=Phrases(
            event=f"order for {concept.lay_name}",
            events=f"orders for {concept.lay_name}",
            running=f"an active {concept.lay_name} order",
            entries=f"routes ordered for {concept.lay_name}",
            listed=f"routes were ordered for {concept.lay_name}",
            counts="prescriptions of drug_type MAIN that stop after they start",
            own={
                "covered": (
                    f"for how many hours was {concept.lay_name} on order {{when}}",
                    f"number of hours with {concept.lay_name} on order",
                )
            },
        ),
        time="x.starttime",
        end="x.stoptime",
        text="nullif(x.route, '___')",
        definition=spelled(concept.orders),
        no_route=ORDERED_ONLY,
    )


BY_DOSE = frozenset(load().of(Pool.ORDERED_DRUG)) - DRIPS
"""Ingredients ordered dose by dose: the "dose" of an ordered norepinephrine is the bag."""


@kind(Intent.MEDICATIONS, Pool.ORDERED_DRUG, least=8, only=BY_DOSE)
def dose(concept: Drug) -> Stream:
    """Ordered single doses of one ingredient; '1-2' and '25,000' are not numbers and do not count."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="prescriptions",
            concept=folded("drug", concept.orders),
            support=f"drug_type = 'MAIN' AND dose_unit_rx = '{concept.dose_unit}' "
            "AND TRY_CAST(dose_val_rx AS DOUBLE) > 0 AND starttime IS NOT NULL",
            label=f"ordered dose of {concept.lay_name}",
            value=("dose_val_rx",),
            unit=("dose_unit_rx",),
            time=("starttime",),
            names=("drug",),
            alternatives=concept.alternatives,
            low=0.0,
        ),
        words=Phrases(
            value=f"ordered single dose of {concept.lay_name}",
            event=f"order for {concept.lay_name}",
            events=f"orders for {concept.lay_name}",
            counts=f"prescriptions of drug_type MAIN whose dose is a single number in {concept.dose_unit}",
        ),
        time="x.starttime",
        value="TRY_CAST(x.dose_val_rx AS DOUBLE)",
        unit=concept.dose_unit,
        decimals=2,
        definition=spelled(concept.orders),
        no_route=ORDERED_ONLY,
    )


DOSED = frozenset(load().of(Pool.GIVEN_DRUG)) - DRIPS
"""Ingredients given dose by dose."""


@kind(Intent.MEDICATIONS, Pool.GIVEN_DRUG, least=8, only=DOSED)
def given(concept: Drug) -> Stream:
    """Doses of one ingredient that were given."""
    return Stream(
        target=doses_given(concept),
        words=Phrases(
            event=f"dose of {concept.lay_name} given",
            events=f"doses of {concept.lay_name} given",
            counts=f"doses charted in the administration record as {GIVEN_WORDS}",
        ),
        time="x.charttime",
        definition=spelled(concept.administrations),
        no_route=GIVEN_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.GIVEN_DRUG, least=8, only=DOSED)
def given_or_not(concept: Drug) -> Stream:
    """Was it given, among all that was given? Without any administration record nobody knows."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="emar",
            support=f"{known('emar', 'medication')} AND event_txt IN {listed(GIVEN)} AND charttime IS NOT NULL",
            label="administration of any drug",
            time=("charttime",),
            names=("medication", "event_txt"),
        ),
        words=Phrases(
            happened=f"was {concept.lay_name} given",
            counted=f"doses of {concept.lay_name} were given",
            events=f"doses of {concept.lay_name} given",
            whole="doses given",
            part=f"doses of {concept.lay_name}",
            tally="doses",
            own={
                "first_of": (
                    f"when was {concept.lay_name} first given {{when}}",
                    f"time at which {concept.lay_name} was first given",
                )
            },
            counts=f"doses charted in the administration record as {GIVEN_WORDS}",
        ),
        time="x.charttime",
        hit=folded("x.medication", concept.administrations),
        definition=spelled(concept.administrations),
        no_route=GIVEN_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.GIVEN_DRUG, least=15, only=DOSED)
def dose_withheld(concept: Drug) -> Stream:
    """Doses of one ingredient that were due and not given, among all that were due."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="emar",
            concept=folded("medication", concept.administrations),
            support=f"event_txt IN {listed((*GIVEN, *NOT_GIVEN))} AND charttime IS NOT NULL",
            label=f"charted event of {concept.lay_name}",
            time=("charttime",),
            names=("medication", "event_txt"),
        ),
        words=Phrases(
            happened=f"was a dose of {concept.lay_name} charted as not given or held",
            counted=f"doses of {concept.lay_name} were charted as not given or held",
            events=f"doses of {concept.lay_name} charted as not given or held",
            whole=f"charted {concept.lay_name} doses",
            part="not given or held",
            tally="doses",
            own={
                "first_of": (
                    f"when was a dose of {concept.lay_name} first charted as not given or held {{when}}",
                    f"time at which a dose of {concept.lay_name} was first charted as not given or held",
                ),
                "share_of": (
                    f"what percentage of charted {concept.lay_name} doses {{when}} were not given or held",
                    f"percentage of charted {concept.lay_name} doses that were not given or held",
                ),
            },
            counts=f"doses charted in the administration record as {GIVEN_WORDS}, and those charted as not "
            "given or held, as " + " or ".join(f"'{text}'" for text in NOT_GIVEN),
        ),
        time="x.charttime",
        hit=f"x.event_txt IN {listed(NOT_GIVEN)}",
        definition=spelled(concept.administrations),
        no_route=GIVEN_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.GIVEN_DRUG, least=10, only=DOSED)
def dose_given(concept: Drug) -> Stream:
    """Amounts given by the administration record: `emar_detail` has the amount, `emar` the drug and the time."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="emar_detail",
            concept="TRUE",
            support=f"dose_given_unit = '{concept.dose_unit}' AND TRY_CAST(dose_given AS DOUBLE) > 0",
            label=f"dose of {concept.lay_name} given",
            value=("dose_given",),
            unit=("dose_given_unit",),
            alternatives=concept.alternatives,
            low=0.0,
        ),
        partner=doses_given(concept),
        joined="y.subject_id = x.subject_id AND y.emar_id = x.emar_id",
        clock="y",
        words=Phrases(
            value=f"dose of {concept.lay_name} given",
            event=f"dose of {concept.lay_name} given",
            events=f"doses of {concept.lay_name} given",
            counts=f"detail lines with a single number in {concept.dose_unit}, of doses charted as {GIVEN_WORDS}",
        ),
        time="y.charttime",
        value="TRY_CAST(x.dose_given AS DOUBLE)",
        unit=concept.dose_unit,
        decimals=2,
        definition=spelled(concept.administrations),
        no_route=GIVEN_ONLY,
    )


@kind(Intent.MEDICATIONS)
def given_by_tube() -> Stream:
    """Doses that went through a feeding tube, among those by mouth or tube: who cannot swallow."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="emar_detail",
            support="route IN ('PO', 'NG')",
            label="detail of a dose by mouth or tube",
            names=("route",),
        ),
        partner=Selection(
            name="",
            role=Role.TARGET,
            table="emar",
            support=f"event_txt IN {listed(GIVEN)} AND charttime IS NOT NULL",
            label="administration of any drug",
            time=("charttime",),
            names=("event_txt",),
        ),
        joined="y.subject_id = x.subject_id AND y.emar_id = x.emar_id",
        clock="y",
        words=Phrases(
            happened="was any dose charted with route NG (nasogastric tube)",
            counted="doses were charted with route NG (nasogastric tube)",
            events="doses charted with route NG (nasogastric tube)",
            whole="doses charted with route PO or NG",
            part="charted with route NG (nasogastric tube)",
            tally="doses",
            counts=f"administration details with route 'PO' (by mouth) or 'NG' (nasogastric tube), of doses charted as "
            f"{GIVEN_WORDS}",
            own={
                "first_of": (
                    "when was any dose first charted with route NG (nasogastric tube) {when}",
                    "time at which any dose was first charted with route NG (nasogastric tube)",
                ),
                "share_of": (
                    "what percentage of the doses charted with route PO or NG {when} had route NG (nasogastric tube)",
                    "percentage of doses with route PO or NG that had route NG (nasogastric tube)",
                ),
            },
        ),
        time="y.charttime",
        hit="x.route = 'NG'",
        no_route="orders and pharmacy entries have the route that was planned; the question asks for the one charted",
    )


@kind(Intent.MEDICATIONS, Pool.INFUSION, least=5)
def infusion(concept: Infusion) -> Stream:
    """An infusion: its rate, and when it ran. The rate is the amount over the time (11,036 of 11,038 in the demo)."""
    amounts = Selection(
        name="",
        role=Role.ROUTE,
        table="inputevents",
        concept=f"itemid = {concept.itemid}",
        support="amount > 0 AND statusdescription <> 'Rewritten' AND starttime < endtime",
        label=f"amount of {concept.lay_name}",
        value=("amount",),
        time=("starttime", "endtime"),
    )
    return Stream(
        target=infusion_runs(concept),
        words=Phrases(
            value=f"{concept.lay_name} rate",
            event=f"start of the {concept.lay_name}",
            events=f"starts of the {concept.lay_name}",
            running=concept.lay_name,
            own={
                "covered": (
                    f"for how many hours did the {concept.lay_name} run {{when}}",
                    f"number of hours with {concept.lay_name} running",
                )
            },
            counts=f"input records with a rate above 0 and at most {concept.plausible_high_rate or 10000:g} "
            f"{concept.rate_unit} that end after they start, none rewritten",
        ),
        time="x.starttime",
        end="x.endtime",
        value="x.rate",
        unit=concept.rate_unit,
        decimals=2,
        threshold=concept.threshold,
        routes=(Route(amounts, time="x.starttime"),),
        definition=concept.definition,
    )


@kind(Intent.MEDICATIONS, Pool.FLUID, least=10)
def fluid_given(concept: Infusion) -> Stream:
    """Volumes of a fluid or blood product given in the ICU; 85% recur as ingredients of the same order."""
    ingredients = Selection(
        name="",
        role=Role.ROUTE,
        table="ingredientevents",
        concept="itemid IN (227074, 226509)",  # IVF ingredient, Blood Ingredient
        support="amount > 0 AND starttime IS NOT NULL",
        label="fluid or blood ingredient",
        value=("amount",),
        time=("starttime",),
    )
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="inputevents",
            concept=f"itemid = {concept.itemid}",
            support=f"amount > 0 AND amount <= 10000 AND amountuom = '{concept.amount_unit}' "
            "AND statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
            label=concept.lay_name,
            value=("amount",),
            unit=("amountuom",),
            time=("starttime",),
            alternatives=(("L", 0.001),),
            low=0.0,
            high=10_000.0,
        ),
        words=Phrases(
            value=f"volume of {concept.lay_name} given",
            event=f"record of {concept.lay_name} given",
            events=f"records of {concept.lay_name} given",
            counts="input records above 0 and at most 10000 ml, none rewritten, each amount in whole at the time it "
            "began",
        ),
        time="x.starttime",
        value="x.amount",
        unit="ml",
        threshold=1000.0,
        routes=(Route(ingredients, time="x.starttime"),),
        definition=concept.definition,
    )


@kind(Intent.MEDICATIONS, Pool.DRUG_CLASS, least=25)
def class_order(concept: DrugClass) -> Stream:
    """Orders for any drug of a class."""
    return Stream(
        target=order_rows(concept.orders, f"order for one of the {concept.lay_name}"),
        words=Phrases(
            event=f"order for one of the {concept.lay_name}",
            events=f"orders for {concept.lay_name}",
            own={
                "covered": (
                    f"for how many hours were {concept.lay_name} on order {{when}}",
                    f"number of hours with {concept.lay_name} on order",
                )
            },
            running=f"active orders for {concept.lay_name}",
            entries=f"drug names, as entered, of {concept.lay_name} ordered",
            listed=f"drug names of {concept.lay_name}, as entered, were ordered",
            counts="prescriptions of drug_type MAIN that stop after they start; two spellings or forms of one drug are "
            "two names",
        ),
        time="x.starttime",
        end="x.stoptime",
        text="trim(x.drug)",
        definition=f"the ingredients {concept.definition}",
        no_route=ORDERED_ONLY,
    )
