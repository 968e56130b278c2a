"""Vitals: clinic, output, weight, balance and blood-gas vitals, and the charted ones, which the open demo lacks."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds.icu_chart import REAL_OUTPUT, REAL_OUTPUT_WORDS
from assets.questions.kinds.labs import noted_on_gas, span
from assets.questions.records import known
from assets.questions.sql import between, listed
from schemas.concepts import ClinicMeasure, Lab, Output, Pool, Vital, load
from schemas.questions import Intent, Role, Selection


@kind(Intent.VITALS, Pool.CLINIC, only=["weight_lb", "bmi", "sbp", "dbp"])
def clinic(concept: ClinicMeasure) -> Stream:
    """Clinic measurements: text without a time of day; '120/80' holds two numbers."""
    part = int(concept.part or 1)
    number_of = f"TRY_CAST(split_part(result_value, '/', {part}) AS DOUBLE)"
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="omr",
            concept=f"result_name = '{concept.result_name}'",
            support=f"{between(number_of, concept.plausible_low, concept.plausible_high)} AND chartdate IS NOT NULL",
            label=concept.lay_name,
            value=("result_value",),
            time=("chartdate",),
            names=("result_name",),  # the unit is part of the name: `Weight (Lbs)`
            alternatives=concept.alternatives,
            low=concept.plausible_low,
            high=concept.plausible_high,
        ),
        words=Phrases(
            value=concept.lay_name,
            event=f"{concept.lay_name} measurement",
            events=f"{concept.lay_name} measurements",
            counts=f"measurements in omr (mostly of clinics) from "
            f"{span(concept.plausible_low, concept.plausible_high)} {concept.unit}, compared by day",
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        value=f"TRY_CAST(split_part(x.result_value, '/', {part}) AS DOUBLE)",
        daily=True,
        unit=concept.unit,
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        routes=_converted(concept),
        no_route="clinics keep their measurements in the outpatient record alone",
        definition=concept.definition,
    )


def _converted(concept: ClinicMeasure) -> tuple[Route, ...]:
    """Body-mass index and weight follow from each other by any height (764 of 773 in the demo)."""
    other = {"bmi": "Weight (Lbs)", "weight_lb": "BMI (kg/m2)"}.get(concept.id)
    if other is None:
        return ()
    rows = Selection(
        name="",
        role=Role.ROUTE,
        table="omr",
        concept=f"result_name = '{other}'",
        support="result_value IS NOT NULL AND chartdate IS NOT NULL",
        label=f"outpatient '{other}'",
        value=("result_value",),
        time=("chartdate",),
    )
    return (Route(rows, time="CAST(x.chartdate AS TIMESTAMP)", daily=True),)


@kind(Intent.VITALS)
def clinic_visit() -> Stream:
    """Days with any measurement in omr, and what was measured: whether outpatients are followed.

    Of the demo's 2,964 measurements 141 lie within an admission, so that not every day is one of a clinic.
    """
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="omr",
            support=f"{known('omr', 'result_name')} AND chartdate IS NOT NULL",
            label="outpatient measurement",
            time=("chartdate",),
            names=("result_name",),
        ),
        words=Phrases(
            event="measurement recorded in omr",
            events="measurements recorded in omr",
            entries="sorts of measurement recorded in omr",
            listed="sorts of measurement were recorded in omr",
            tally="sorts of measurement",
            counts="rows of omr with a name and a date, compared by day",
            own={
                "days_with": (
                    "how many different measurement days were recorded in omr {when}",
                    "number of different measurement days recorded in omr",
                ),
                "last_names": (
                    "which sorts of measurement were recorded in omr on the last day with any {when}",
                    "sorts of measurement recorded in omr on the last day with any",
                ),
                "first_names": (
                    "which sorts of measurement were recorded in omr on the first day with any {when}",
                    "sorts of measurement recorded in omr on the first day with any",
                ),
            },
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        text="x.result_name",
        daily=True,
        no_route="clinics keep their measurements in the outpatient record alone",
    )


def output_rows(concept: Output) -> Selection:
    """Usable volumes of one sort of output."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="outputevents",
        concept=f"itemid IN {listed(concept.itemids)}",
        support=f"{between('value', concept.plausible_low, concept.plausible_high)} AND valueuom = 'ml' "
        "AND charttime IS NOT NULL",
        label=concept.lay_name,
        value=("value",),
        unit=("valueuom",),
        time=("charttime",),
        alternatives=concept.alternatives,
        low=concept.plausible_low,
        high=concept.plausible_high,
    )


@kind(
    Intent.VITALS,
    Pool.OUTPUT,
    least=10,
    only=["urine", "urine_catheter", "urine_void", "chest_tube", "surgical_drain", "gastric", "stool", "emesis"],
)
def output(concept: Output) -> Stream:
    """Urine, drains, stool: volumes charted in the ICU."""
    return Stream(
        target=output_rows(concept),
        words=Phrases(
            value=concept.lay_name,
            event=f"record of {concept.lay_name}",
            events=f"records of {concept.lay_name}",
            counts=f"entries of {span(concept.plausible_low, concept.plausible_high)} ml",
        ),
        time="x.charttime",
        value="x.value",
        unit="ml",
        worse=concept.worse,
        threshold=concept.threshold,
        definition=concept.definition,
        no_route="what left the patient is on the output record alone",
    )


@kind(Intent.VITALS)
def infusion_weight() -> Stream:
    """The body weight on the infusion record; `procedureevents` repeats it in 98% of the demo's stays."""
    support = "patientweight BETWEEN 1 AND 1100"
    procedures = Selection(
        name="",
        role=Role.ROUTE,
        table="procedureevents",
        support=support,
        label="body weight on the procedure record",
        value=("patientweight",),
        time=("starttime",),
    )
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="inputevents",
            support=f"{support} AND starttime IS NOT NULL",
            label="body weight on the infusion record",
            value=("patientweight",),
            time=("starttime",),
            alternatives=(("lb", 2.20462),),
            low=1.0,
            high=1100.0,
        ),
        words=Phrases(
            value="body weight on the infusion record",
            event="weight on the infusion record",
            events="weights on the infusion record",
            counts="infusion records with a patientweight from 1 to 1100 kg",
        ),
        time="x.starttime",
        value="x.patientweight",
        unit="kg",
        decimals=1,
        routes=(Route(procedures),),
    )


BEFORE_ICU = 226361
"""Pre-Admission/Non-ICU Intake: no fluid of the ICU stay, as Pre-Admission (226633) is no output of it."""


@kind(Intent.VITALS)
def fluid_balance() -> Stream:
    """Every ml in minus every ml out, in the ICU. Both must be recorded: with one gone, the sum would be wrong."""
    intake = Selection(
        name="",
        role=Role.TARGET,
        table="inputevents",
        concept=f"amountuom = 'ml' AND itemid <> {BEFORE_ICU}",
        support="amount BETWEEN 0 AND 10000 AND statusdescription <> 'Rewritten' AND starttime IS NOT NULL",
        label="fluid given",
        value=("amount",),
        unit=("amountuom",),
        time=("starttime",),
        alternatives=(("L", 0.001),),
        low=0.0,
        high=10_000.0,
    )
    loss = Selection(
        name="",
        role=Role.TARGET,
        table="outputevents",
        concept=REAL_OUTPUT,
        support="value BETWEEN 0 AND 5000 AND valueuom = 'ml' AND charttime IS NOT NULL",
        label="fluid lost",
        value=("value",),
        unit=("valueuom",),
        time=("charttime",),
        alternatives=(("L", 0.001),),
        low=0.0,
        high=5_000.0,
    )
    words = Phrases(
        value="fluid balance",
        own={"total": ("what was the fluid balance {when}", "fluid balance")},
        event="fluid record",
        events="fluid records",
        counts="input amounts in ml (0 to 10000 ml each, none rewritten, each in whole at the time it began) of items "
        f"other than {BEFORE_ICU} (Pre-Admission/Non-ICU Intake), minus outputs (0 to 5000 ml each) of items "
        f"{REAL_OUTPUT_WORDS}; without both an intake and an output there is no answer",
    )
    out = Stream(target=loss, words=words, time="x.charttime", value="x.value")
    return Stream(
        target=intake,
        words=words,
        time="x.starttime",
        value="x.amount",
        unit="ml",
        threshold=2000.0,
        minus=out,
        no_route="defined as input events minus output events; ingredient entries name their record otherwise",
        definition="input events in ml minus output events in ml",
    )


@kind(
    Intent.VITALS,
    Pool.LAB,
    # 83 of the demo's 90 saturations below 90% are of venous samples, and a temperature is noted to correct the gas.
    only=["peep_blood_gas", "fio2_blood_gas"],
)
def gas_vital(concept: Lab) -> Stream:
    """What is noted on a blood gas about the ventilator: PEEP and inspired oxygen."""
    return noted_on_gas(concept)


SAME_VITAL = {"temperature_f": 223762, "temperature_c": 223761, "admission_weight_kg": 226531}
"""Items that chart the same measurement in another unit: a nurse uses either."""
NO_UNIT = {"fio2": "%", "glucose_fingerstick": "mg/dL"}
"""Units of items that the ICU's system charts without one; scores count points."""
ONCE = frozenset({"admission_weight_kg", "daily_weight", "pcwp"})
"""Measured too rarely for a course."""


@kind(
    Intent.VITALS,
    Pool.VITAL,
    # Heights and the weight in pounds repeat one stated number; a second line and manual cuffs are rare.
    only=[
        id_
        for id_ in load().of(Pool.VITAL)
        if id_ != "admission_weight_lb"
        and not id_.startswith("height_")
        and not id_.endswith(("_art", "_left", "_right"))
    ],
)
def vital(concept: Vital) -> Stream:
    """A charted vital sign: one item, so one method and one site."""
    usable = between("valuenum", concept.plausible_low, concept.plausible_high)
    unit = f" AND valueuom = '{concept.unit}'" if concept.unit else ""
    again = Selection(
        name="",
        role=Role.ROUTE,
        table="chartevents",
        concept=f"itemid = {SAME_VITAL.get(concept.id)}",
        support="valuenum IS NOT NULL AND charttime IS NOT NULL",
        label=f"{concept.lay_name} in another unit",
        value=("valuenum", "value"),
        time=("charttime",),
    )
    spoken = concept.unit or NO_UNIT.get(concept.id, "points")
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="chartevents",
            concept=f"itemid = {concept.itemid}",
            support=f"{usable}{unit} AND charttime IS NOT NULL",
            label=concept.lay_name,
            value=("valuenum", "value"),
            unit=("valueuom",) if concept.unit else (),
            time=("charttime",),
            alternatives=concept.alternatives,
            low=concept.plausible_low,
            high=concept.plausible_high,
        ),
        words=Phrases(
            value=concept.lay_name,
            event=f"{concept.lay_name} measurement",
            events=f"{concept.lay_name} measurements",
            counts=f"measurements from {span(concept.plausible_low, concept.plausible_high)} {spoken}",
        ),
        time="x.charttime",
        value="x.valuenum",
        unit=spoken,
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        followed=concept.id not in ONCE,
        routes=(Route(again, time="x.charttime"),) if concept.id in SAME_VITAL else (),
        definition=concept.definition,
        no_route="one item is one method and one site; other methods answer other questions",
    )
