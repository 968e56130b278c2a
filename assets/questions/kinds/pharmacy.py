"""The pharmacy and who prescribes: routes, frequencies, preparations, and the ICU's antibiotics by their names."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import ITEMS, PROVIDERS, SAME_ITEM
from assets.questions.kinds.medications import order_rows, spelled
from assets.questions.records import GIVEN_WORDS, doses_given, known
from assets.questions.sql import folded, hours, listed
from schemas.concepts import Drug, Pool, Term
from schemas.questions import Intent, Role, Selection

SAME_ENTRY = "y.subject_id = x.subject_id AND y.pharmacy_id = x.pharmacy_id"
PHARMACY_ONLY = "the question names the pharmacy's entry; prescriptions and the administration record are others"
INPUT_ONLY = "the question names the ICU's input record; orders and the administration record are others"


def _entries(column: str) -> Selection:
    """Pharmacy entries that state something."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="pharmacy",
        support=known("pharmacy", column),
        label="pharmacy entry",
        names=(column,),
    )


@kind(Intent.MEDICATIONS, Pool.GIVEN_DRUG, least=8)
def given_route(concept: Drug) -> Stream:
    """Routes of the doses that were given: the administration record has the time, the pharmacy's entry the route."""
    return Stream(
        target=doses_given(concept),
        partner=_entries("route"),
        joined=SAME_ENTRY,
        words=Phrases(
            event=f"dose of {concept.lay_name} given",
            events=f"doses of {concept.lay_name} given",
            entries=f"routes, by the pharmacy's entry, of the {concept.lay_name} given",
            listed=f"routes did the pharmacy enter for the {concept.lay_name} that was given",
            tally="routes",
            counts=f"doses charted in the administration record as {GIVEN_WORDS}, with the route of the pharmacy entry "
            "of the same pharmacy_id",
        ),
        time="x.charttime",
        text="y.route",
        definition=spelled(concept.administrations),
        no_route=PHARMACY_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.ORDERED_DRUG, least=8)
def frequency(concept: Drug) -> Stream:
    """How often an ordered drug was to be given: the pharmacy's entry of the order says so."""
    return Stream(
        target=order_rows(concept.orders, f"order for {concept.lay_name}"),
        partner=_entries("frequency"),
        joined=SAME_ENTRY,
        words=Phrases(
            event=f"order for {concept.lay_name}",
            events=f"orders for {concept.lay_name}",
            entries=f"dosing frequencies, by the pharmacy's entry, of the {concept.lay_name} orders",
            listed=f"dosing frequencies did the pharmacy enter for the {concept.lay_name} orders",
            tally="frequencies",
            counts="prescriptions of drug_type MAIN that stop after they start, with the frequency of the pharmacy "
            "entry of the same pharmacy_id, as stored",
        ),
        time="x.starttime",
        text="y.frequency",
        definition=spelled(concept.orders),
        no_route=PHARMACY_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.ORDERED_DRUG, least=15)
def ordered_package(concept: Drug) -> Stream:
    """Under which National Drug Codes a drug was ordered: which maker's, in which package. A recall asks that."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="prescriptions",
            concept=folded("drug", concept.orders),
            support=f"drug_type = 'MAIN' AND {known('prescriptions', 'ndc')} AND starttime IS NOT NULL",
            label=f"order for {concept.lay_name} with its package",
            time=("starttime",),
            names=("ndc", "drug"),
        ),
        words=Phrases(
            event=f"order for {concept.lay_name} with a package code",
            events=f"orders for {concept.lay_name} with a package code",
            entries=f"package codes (NDC) of the {concept.lay_name} ordered",
            listed=f"package codes (NDC) was {concept.lay_name} ordered under",
            tally="package codes",
            counts="prescriptions of drug_type MAIN with an ndc other than '0', by start time",
        ),
        time="x.starttime",
        text="x.ndc",
        definition=spelled(concept.orders),
        no_route="one strength of a drug comes in several packages, and no other table has their codes",
    )


@kind(Intent.MEDICATIONS, Pool.ORDERED_DRUG, least=15)
def pharmacy_entry(concept: Drug) -> Stream:
    """How long the pharmacy kept a drug ready, and from where it was dispensed."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="pharmacy",
            concept=folded("medication", concept.orders),
            support="starttime < stoptime",
            label=f"pharmacy entry for {concept.lay_name}",
            time=("starttime", "stoptime"),
            names=("medication",),
        ),
        words=Phrases(
            value=f"duration of a pharmacy entry for {concept.lay_name}",
            event=f"pharmacy entry for {concept.lay_name}",
            events=f"pharmacy entries for {concept.lay_name}",
            running=f"an active pharmacy entry for {concept.lay_name}",
            entries=f"places from which {concept.lay_name} was dispensed",
            listed=f"places was {concept.lay_name} dispensed from",
            tally="places",
            counts="pharmacy entries that stop after they start, with their dispensation where a place is asked",
            own={
                "highest": (
                    f"how long was the longest pharmacy entry for {concept.lay_name} {{when}}",
                    f"longest pharmacy entry for {concept.lay_name}",
                ),
                "covered": (
                    f"for how many hours did the pharmacy have an active entry for {concept.lay_name} {{when}}",
                    f"number of hours with an active pharmacy entry for {concept.lay_name}",
                ),
            },
        ),
        time="x.starttime",
        end="x.stoptime",
        value=hours("x.starttime", "x.stoptime"),
        text="nullif(x.dispensation, '___')",
        unit="hours",
        decimals=1,
        threshold=48.0,
        definition=spelled(concept.orders),
        no_route=PHARMACY_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.PREPARATION)
def preparation(concept: Term) -> Stream:
    """Pharmacy entries of one way of preparation, among all: the sterile room's share of the work."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="pharmacy",
            support=f"{known('pharmacy', 'proc_type')} AND starttime IS NOT NULL",
            label="pharmacy entry",
            time=("starttime",),
            names=("proc_type",),
        ),
        words=Phrases(
            happened=f"was a {concept.lay_name} preparation entered by the pharmacy",
            counted=f"{concept.lay_name} preparations were entered by the pharmacy",
            events=f"{concept.lay_name} preparations",
            whole="pharmacy entries",
            part=f"{concept.lay_name} preparations",
            tally="preparations",
            counts="pharmacy entries with a proc_type, by their start time",
        ),
        time="x.starttime",
        hit=f"x.proc_type IN {listed(concept.values)}",
        definition=f"pharmacy entries with {concept.definition}",
        no_route=PHARMACY_ONLY,
    )


@kind(Intent.MEDICATIONS)
def prescriber() -> Stream:
    """Who ordered the drugs: many prescribers, many hand-overs."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="prescriptions",
            support="drug_type = 'MAIN' AND order_provider_id IS NOT NULL AND starttime IS NOT NULL",
            label="order with its provider",
            time=("starttime",),
            names=("order_provider_id",),
        ),
        label=PROVIDERS,
        named="l.provider_id = x.order_provider_id",
        words=Phrases(
            event="drug order",
            events="drug orders",
            entries="providers who ordered drugs",
            listed="providers ordered drugs",
            tally="providers",
            counts="prescriptions of drug_type MAIN whose order_provider_id is in the provider table, by start time",
        ),
        time="x.starttime",
        text="l.provider_id",
        no_route="the question names the orders of drugs; poe has providers of orders of every sort",
    )


@kind(Intent.MEDICATIONS)
def icu_antibiotic() -> Stream:
    """Antibiotics that ran in the ICU, by their names."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="inputevents",
            concept="ordercategoryname IN ('08-Antibiotics (IV)', '09-Antibiotics (Non IV)') "
            "AND ordercomponenttypedescription = 'Main order parameter'",
            support="statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
            label="antibiotic given in the ICU",
            time=("starttime",),
        ),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="antibiotic on the ICU's input record",
            events="antibiotics on the ICU's input record",
            entries="antibiotics on the ICU's input record",
            listed="antibiotics are on the ICU's input record",
            tally="antibiotics",
            counts="input records of an antibiotic order (main component) by start time, none rewritten, named "
            "by their label in d_items",
        ),
        time="x.starttime",
        text="l.label",
        no_route=INPUT_ONLY,
    )


@kind(Intent.MEDICATIONS, Pool.INPUT_CATEGORY)
def input_category(concept: Term) -> Stream:
    """What was given in the ICU of one category, among all inputs: without any input record nobody knows."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="inputevents",
            concept="ordercomponenttypedescription = 'Main order parameter'",
            support="statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
            label="ICU input",
            time=("starttime",),
        ),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            happened=f"was any entry of {concept.lay_name} made on the ICU's input record",
            counted=f"entries of {concept.lay_name} were made on the ICU's input record",
            events=f"entries of {concept.lay_name} on the ICU's input record",
            whole="entries of the ICU's input record",
            part=f"of {concept.lay_name}",
            tally="entries",
            counts="input records of an order's main component, by start time, none rewritten, under their category in "
            "d_items",
            own={
                "first_of": (
                    f"when was an entry of {concept.lay_name} first made on the ICU's input record {{when}}",
                    f"time at which an entry of {concept.lay_name} was first made on the ICU's input record",
                ),
                "share_of": (
                    f"what percentage of the entries of the ICU's input record {{when}} were of {concept.lay_name}",
                    f"percentage of the ICU's input entries that were of {concept.lay_name}",
                ),
            },
        ),
        time="x.starttime",
        hit=f"l.category IN {listed(concept.values)}",
        definition=f"the items of d_items with {concept.definition}",
        no_route=INPUT_ONLY,
    )
