"""Cost: billing and use of resources. MIMIC-IV has no money."""

from __future__ import annotations

from assets.questions.english import with_article
from assets.questions.grammar import Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.records import admissions, by_admission, icu_stays, icu_transfers, known, ward_ends
from assets.questions.sql import hours, listed
from schemas.concepts import BillingGroup, CareUnit, Device, Pool, Term
from schemas.questions import Intent, Role, Selection


@kind(Intent.COST)
def icu_time() -> Stream:
    """Time in intensive care within an admission."""
    return Stream(
        target=icu_stays(),
        words=Phrases(
            event="ICU admission",
            events="ICU admissions",
            running="intensive care",
            own={
                "covered": (
                    "how many hours did the patient spend in intensive care {when}",
                    "number of hours spent in intensive care",
                ),
                "episodes": (
                    "how many separate stretches of intensive care were there {when}",
                    "number of separate stretches of intensive care",
                ),
                "first_names": (
                    "which care unit first received the patient for intensive care {when}",
                    "care units that first received the patient for intensive care",
                ),
                "last_names": (
                    "which care unit last received the patient for intensive care {when}",
                    "care units that last received the patient for intensive care",
                ),
            },
            tally="care units",
            entries="care units that received the patient for intensive care",
            listed="care units received the patient for intensive care",
            counts="ICU stays that end after they begin",
        ),
        time="x.intime",
        end="x.outtime",
        text="nullif(x.first_careunit, '___')",
        routes=(Route(icu_transfers(), time="x.intime"),),
    )


@kind(Intent.COST)
def hospital_stay() -> Stream:
    """Length of hospital stays: the base of every bill."""
    return Stream(
        target=admissions(),
        words=Phrases(
            value="length of hospital stay",
            event="hospital admission",
            events="hospital admissions",
            running="hospital care",
            counts="admissions that end after they begin, by their time of admission; where there is none, there is "
            "no answer, not even 0",
            own={
                "total": ("how many days in all did the patient spend in hospital {when}", "total days in hospital"),
                "nth": ("how long was the {nth} hospital stay {when}", "length of the {nth} hospital stay"),
                "first": ("how long was the first hospital stay {when}", "length of the first hospital stay"),
                "last": ("how long was the last hospital stay {when}", "length of the last hospital stay"),
                "lowest": ("how long was the shortest hospital stay {when}", "length of the shortest hospital stay"),
                "highest": ("how long was the longest hospital stay {when}", "length of the longest hospital stay"),
            },
        ),
        time="x.admittime",
        end="x.dischtime",
        value="date_diff('second', x.admittime, x.dischtime) / 86400.0",
        unit="days",
        decimals=1,
        threshold=7.0,
        routes=(Route(ward_ends(), time="x.intime"),),
    )


@kind(Intent.COST)
def ward_move() -> Stream:
    """Stays in care units on the way through the hospital: hand-overs, boarding."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="transfers",
            support=f"{known('transfers', 'careunit')} AND intime < outtime",
            label="stay in a care unit",
            time=("intime", "outtime"),
            names=("careunit",),
        ),
        words=Phrases(
            value="length of stay in one care unit",
            event="move into a care unit",
            events="moves into a care unit",
            running="care in a unit with a known name",
            entries="care units passed through",
            listed="care units did the patient pass through",
            tally="care units",
            counts="transfers with a known care unit that end after they begin",
            own={
                "highest": ("how long was the longest stay in one care unit {when}", "longest stay in one care unit"),
                **{
                    f"{which}_names": (
                        f"which care unit did the patient enter {said} {{when}}",
                        f"care units entered {said}",
                    )
                    for which, said in (("first", "first"), ("last", "last"), ("nth", "{nth}"))
                },
            },
        ),
        time="x.intime",
        end="x.outtime",
        value=hours("x.intime", "x.outtime"),
        text="x.careunit",
        unit="hours",
        decimals=1,
        threshold=24.0,
        no_route="the contract counts transfers; icustays and admissions.edregtime know of some of the care units only",
    )


@kind(Intent.COST, Pool.CARE_UNIT, least=10)
def time_in_unit(concept: CareUnit) -> Stream:
    """Time in one care unit."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="transfers",
            concept=f"careunit = '{concept.careunit}'",
            support="intime < outtime",
            label=f"stay in the {concept.lay_name}",
            time=("intime", "outtime"),
            names=("careunit",),
        ),
        words=Phrases(
            event=f"move into the {concept.lay_name}",
            events=f"moves into the {concept.lay_name}",
            running=f"care in the {concept.lay_name}",
            own={
                "covered": (
                    f"how many hours did the patient spend in the {concept.lay_name} {{when}}",
                    f"number of hours spent in the {concept.lay_name}",
                )
            },
            counts="transfers into that care unit that end after they begin",
        ),
        time="x.intime",
        end="x.outtime",
        definition=concept.definition,
        routes=_other_records(concept),
        no_route="services and orders name who was in charge, not the ward",
    )


def _other_records(concept: CareUnit) -> tuple[Route, ...]:
    """Where else a stay in this unit is recorded: ICU stays, and emergency registration in `admissions`."""
    if concept.intensive:
        stays = Selection(
            name="",
            role=Role.ROUTE,
            table="icustays",
            concept=f"first_careunit = '{concept.careunit}' OR last_careunit = '{concept.careunit}'",
            support="intime < outtime",
            label="ICU stay",
            time=("intime", "outtime"),
        )
        return (Route(stays, time="x.intime"),)
    if concept.careunit == "Emergency Department":
        registered = Selection(
            name="",
            role=Role.ROUTE,
            table="admissions",
            support="edregtime < edouttime",
            label="registration in the emergency department",
            time=("edregtime", "edouttime"),
        )
        return (Route(registered, time="x.edregtime"),)
    return ()


@kind(Intent.COST, Pool.DRG_LEVEL)
def drg_level(concept: Term) -> Stream:
    """APR-DRG severity or mortality level; HCFA rows have none."""
    return by_admission(
        Stream(
            target=Selection(
                name="",
                role=Role.TARGET,
                table="drgcodes",
                concept="drg_type = 'APR'",
                support=f"{concept.column} BETWEEN 1 AND 4",
                label=f"APR-DRG {concept.lay_name} level",
                value=(concept.column,),
                names=("drg_type", "drg_code", "description"),
                low=1.0,
                high=4.0,
            ),
            words=Phrases(
                value=f"APR-DRG {concept.lay_name} level",
                entries="APR-DRG descriptions billed",
                listed="APR-DRG descriptions were billed",
                counts="APR-DRG rows with a level from 1 to 4, dated by the admission",
            ),
            value=f"x.{concept.column}",
            text="nullif(x.description, '___')",
            unit="level",
            counted=True,
            threshold=2.0,
            definition=f"column {concept.column} of drgcodes",
            no_route="HCFA rows of the same admission have no level",
        )
    )


@kind(Intent.COST, Pool.ORDER_TYPE)
def order_type(concept: Term) -> Stream:
    """Provider orders of one type, among all orders: intensity of care."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe",
            support=f"transaction_type = 'New' AND {known('poe', 'order_type')} AND ordertime IS NOT NULL",
            label="new provider order",
            time=("ordertime",),
            names=("order_type",),
        ),
        words=Phrases(
            happened=f"was {with_article(concept.lay_name)} order placed",
            counted=f"{concept.lay_name} orders were placed",
            events=f"{concept.lay_name} orders",
            whole="provider orders",
            part=f"{concept.lay_name} orders",
            tally="orders",
            own={
                "first_of": (
                    f"when was {with_article(concept.lay_name)} order first placed {{when}}",
                    f"time at which {with_article(concept.lay_name)} order was first placed",
                )
            },
            counts="new provider orders (transaction_type 'New') with an order type",
        ),
        time="x.ordertime",
        hit=f"x.order_type IN {listed(concept.values)}",
        definition=f"provider orders with {concept.definition}",
        no_route="the question names provider orders; what became of them is recorded by others",
    )


@kind(
    Intent.COST,
    Pool.DEVICE,
    only=[
        "invasive_ventilation",
        "noninvasive_ventilation",
        "central_venous_line",
        "picc_line",
        "arterial_line",
        "crrt",
        "hemodialysis",
        "pulmonary_artery_catheter",
        "urinary_catheter",
    ],
)
def device(concept: Device) -> Stream:
    """Time with a device in the ICU, from start and end; `value` is in minutes, hours or days."""
    line = concept.lay_name.endswith(("line", "catheter"))
    using = f"with {with_article(concept.lay_name)} in place" if line else f"on {concept.lay_name}"
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="procedureevents",
            concept=f"itemid IN {listed(concept.itemids)}",
            support="starttime < endtime",
            label=concept.lay_name,
            time=("starttime", "endtime"),
        ),
        words=Phrases(
            event=f"start of {concept.lay_name} use",
            events=f"starts of {concept.lay_name} use",
            running=f"{concept.lay_name} use" if line else concept.lay_name,
            own={
                "longest_stretch": (
                    f"what was the longest unbroken time {using} {{when}}",
                    f"longest unbroken time {using}",
                ),
                "covered": (f"how many hours were there {using} {{when}}", f"number of hours {using}"),
            },
            counts="ICU procedure records that end after they start, by start and end time",
        ),
        time="x.starttime",
        end="x.endtime",
        definition=concept.definition,
        no_route="the contract counts ICU procedure records; procedures_icd tells that, never for how long",
    )


@kind(Intent.COST, Pool.HCPCS)
def billed(concept: BillingGroup) -> Stream:
    """HCPCS lines of one service, among all HCPCS lines: most admissions have none at all."""
    return by_admission(
        Stream(
            target=Selection(
                name="",
                role=Role.TARGET,
                table="hcpcsevents",
                support=known("hcpcsevents", "hcpcs_cd"),
                label="HCPCS line",
                names=("hcpcs_cd", "short_description"),
            ),
            words=Phrases(
                happened=f"was {concept.lay_name} billed under HCPCS",
                counted=f"HCPCS lines for {concept.lay_name} were billed",
                events=f"HCPCS lines for {concept.lay_name}",
                whole="HCPCS lines",
                part=f"lines for {concept.lay_name}",
                tally="lines",
                counts="HCPCS lines with a code, dated by the admission",
            ),
            hit=f"x.hcpcs_cd IN {listed(concept.codes)}",
            definition=f"HCPCS {concept.definition}",
            no_route="the question asks what was billed under HCPCS",
        )
    )
