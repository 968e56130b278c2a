"""The bedside chart: intake by ingredient, outputs and drains by name, warnings, care of lines."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import CAREGIVERS, ITEMS, SAME_ITEM
from assets.questions.kinds.labs import span
from assets.questions.sql import between, listed
from schemas.concepts import ChartedDate, Ingredient, Pool
from schemas.questions import Intent, Role, Selection

NO_OUTPUT = {
    226633: "Pre-Admission",
    227488: "GU Irrigant Volume In",
    227489: "GU Irrigant/Urine Volume Out",
    226566: "Urine and GU Irrigant Out",
    227510: "TF Residual",
    227511: "TF Residual Output",
}
"""Items of the output record that are no loss of the ICU stay: irrigant that was put in or came back with the urine,
feed measured in the stomach, and what left the patient elsewhere."""

REAL_OUTPUT = f"itemid NOT IN {listed(tuple(NO_OUTPUT))}"
REAL_OUTPUT_WORDS = f"other than {', '.join(f'{item} ({label})' for item, label in NO_OUTPUT.items())}"

TUBES = {
    226588: "Chest Tube #1",
    226589: "Chest Tube #2",
    229413: "Chest Tube #3",
    229414: "Chest Tube #4",
    226590: "L Pleural #1",
    226591: "L Pleural #2",
    226593: "R Pleural #1",
    226595: "R Pleural #2",
    226592: "Mediastinal",
    226628: "PACU Drains",
}
"""Drains that `d_items` files under 'Output', not 'Drains': those of the chest, and of the recovery room."""

OUTPUT_ONLY = "what left the patient is on the output record alone"


def ingredient_rows(concept: Ingredient) -> Selection:
    """Usable amounts of one ingredient."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="ingredientevents",
        concept=f"itemid = {concept.itemid}",
        support=f"{between('amount', concept.plausible_low, concept.plausible_high)} "
        f"AND amountuom = '{concept.unit}' AND statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
        label=concept.lay_name,
        value=("amount",),
        unit=("amountuom",),
        time=("starttime",),
        alternatives=concept.alternatives,
        low=concept.plausible_low,
        high=concept.plausible_high,
    )


@kind(Intent.VITALS, Pool.INGREDIENT)
def ingredient(concept: Ingredient) -> Stream:
    """What infusions and feeds brought with them: water, energy, protein."""
    return Stream(
        target=ingredient_rows(concept),
        words=Phrases(
            value=concept.lay_name,
            event=f"entry of {concept.lay_name}",
            events=f"entries of {concept.lay_name}",
            counts=f"ingredient entries of {span(concept.plausible_low, concept.plausible_high)} {concept.unit}, none "
            "rewritten, each amount in whole at the time it began",
        ),
        time="x.starttime",
        value="x.amount",
        unit=concept.unit,
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        definition=concept.definition,
        no_route="the question names the ingredient record; the input record has volumes of products, from which the "
        "ingredients follow only with the products' recipes",
    )


@kind(Intent.VITALS)
def tube_feed() -> Stream:
    """Energy from tube feeds, and which feeds: the ingredient has the energy, the input of its order the product."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="ingredientevents",
            concept="itemid = 226060",  # Calories
            support="amount BETWEEN 0 AND 5000 AND amountuom = 'Kcal' AND statusdescription <> 'Rewritten' "
            "AND starttime IS NOT NULL",
            label="energy of a feed",
            value=("amount",),
            unit=("amountuom",),
            time=("starttime",),
            alternatives=(("kJ", 4.184),),
            low=0.0,
            high=5000.0,
        ),
        partner=Selection(
            name="",
            role=Role.TARGET,
            table="inputevents",
            concept="ordercategoryname = '13-Enteral Nutrition' "
            "AND ordercomponenttypedescription = 'Main order parameter'",
            support="statusdescription <> 'Rewritten'",
            label="tube feed",
        ),
        joined="y.subject_id = x.subject_id AND y.orderid = x.orderid",
        label=ITEMS,
        named="l.itemid = y.itemid",
        words=Phrases(
            value="energy from tube feeds",
            event="tube feed",
            events="tube feeds",
            entries="tube feeds",
            listed="tube feeds were given",
            tally="feeds",
            counts="entries of ingredient item 226060 (Calories) from 0 to 5000 Kcal, each in whole at the time it "
            "began, whose order (orderid) has a main input of category '13-Enteral Nutrition', named by its label in "
            "d_items",
        ),
        time="x.starttime",
        value="x.amount",
        text="l.label",
        unit="Kcal",
        threshold=1000.0,
        worse="low",
        no_route="the question names the ingredient record of tube feeds; the energy of a volume follows only with the "
        "product's recipe",
    )


def _outputs(support: str, label: str) -> Selection:
    return Selection(
        name="",
        role=Role.TARGET,
        table="outputevents",
        concept=REAL_OUTPUT,
        support=support,
        label=label,
        time=("charttime",),
    )


@kind(Intent.VITALS)
def output_route() -> Stream:
    """By which ways fluid left the patient: catheters, drains, stool."""
    return Stream(
        target=_outputs("value > 0 AND value <= 5000 AND charttime IS NOT NULL", "output above 0 ml"),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="output",
            events="outputs",
            entries="outputs and drains on the output record",
            listed="outputs and drains were charted with a volume",
            tally="outputs and drains",
            counts="output entries above 0 and at most 5000 ml, named by their label in d_items, of items "
            + REAL_OUTPUT_WORDS,
        ),
        time="x.charttime",
        text="l.label",
        no_route=OUTPUT_ONLY,
    )


@kind(Intent.VITALS)
def drained() -> Stream:
    """Entries from drains and chest tubes, among all outputs: without any output entry nobody knows."""
    return Stream(
        target=_outputs("value BETWEEN 0 AND 5000 AND charttime IS NOT NULL", "output entry"),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            happened="was any output from a drain or chest tube charted",
            counted="outputs from a drain or chest tube were charted",
            events="outputs from a drain or chest tube",
            whole="output entries",
            part="outputs from a drain or chest tube",
            tally="entries",
            counts="output entries of 0 to 5000 ml of items "
            + REAL_OUTPUT_WORDS
            + "; those of category 'Drains' in d_items and of items "
            + ", ".join(f"{item} ({label})" for item, label in TUBES.items())
            + " are from a drain or chest tube",
            own={
                "share_of": (
                    "what percentage of the output entries {when} came from a drain or chest tube",
                    "percentage of output entries that came from a drain or chest tube",
                ),
                "first_of": (
                    "when was output from a drain or chest tube first charted {when}",
                    "time at which output from a drain or chest tube was first charted",
                ),
            },
        ),
        time="x.charttime",
        hit=f"(l.category = 'Drains' OR x.itemid IN {listed(tuple(TUBES))})",
        no_route=OUTPUT_ONLY,
    )


@kind(Intent.VITALS)
def output_charter() -> Stream:
    """Who charted the outputs: the nurses of a stay, shift by shift."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="outputevents",
            support="caregiver_id IS NOT NULL AND charttime IS NOT NULL",
            label="output entry with its caregiver",
            time=("charttime",),
            names=("caregiver_id",),
        ),
        label=CAREGIVERS,
        named="l.caregiver_id = x.caregiver_id",
        words=Phrases(
            event="output entry",
            events="output entries",
            entries="caregivers who charted outputs",
            listed="caregivers charted outputs",
            tally="caregivers",
            counts="output entries whose caregiver_id is in the caregiver table",
        ),
        time="x.charttime",
        text="CAST(l.caregiver_id AS VARCHAR)",
        no_route="the question names the output record; others are charted by others",
    )


@kind(Intent.VITALS)
def chart_warning() -> Stream:
    """Charted items whose entry carries a warning, which the care provider documents by hand."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="chartevents",
            concept="warning = 1",
            support="charttime IS NOT NULL",
            label="charted entry with a warning",
            time=("charttime",),
        ),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="charted entry with a warning",
            events="charted entries with a warning",
            entries="charted items with a warning",
            listed="charted items carried a warning",
            tally="items",
            counts="chart entries with warning 1 (a warning that the care provider documented by hand), named by their "
            "label in d_items",
        ),
        time="x.charttime",
        text="l.label",
        no_route="a warning is kept with its entry alone",
    )


@kind(Intent.VITALS, Pool.LINE_CARE, least=10)
def line_care(concept: ChartedDate) -> Stream:
    """Care of a line, by the time that the nurse entered: dressings are due every seven days, tubing every four."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="datetimeevents",
            concept=f"itemid = {concept.itemid}",
            support="value IS NOT NULL",
            label=concept.lay_name,
            time=("value",),
        ),
        words=Phrases(
            event=concept.lay_name,
            events=f"{concept.lay_name}s",
            counts="the days that nurses entered for it (the value, not the time of charting), compared by day",
        ),
        time="CAST(CAST(x.value AS DATE) AS TIMESTAMP)",
        daily=True,
        definition=concept.definition,
        no_route="the day of a line's care is entered among the charted dates alone",
    )
