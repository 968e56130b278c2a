"""Vitals: clinic, output, weight, balance and blood-gas vitals, and the charted ones, which the open demo lacks."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Route, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds.labs import noted_on_gas, span
from assets.questions.sql import between, listed
from schemas.concepts import ClinicMeasure, Lab, Output, Pool, Vital
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
            counts=f"outpatient measurements from {span(concept.plausible_low, concept.plausible_high)} "
            f"{concept.unit}, compared by day",
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        value=f"TRY_CAST(split_part(x.result_value, '/', {part}) AS DOUBLE)",
        daily=True,
        unit=concept.unit,
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        definition=concept.definition,
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


@kind(Intent.VITALS, Pool.OUTPUT, least=15, only=["urine", "urine_catheter", "chest_tube", "gastric", "stool"])
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
        threshold=100.0,
        routes=(Route(procedures),),
    )


@kind(Intent.VITALS)
def fluid_balance() -> Stream:
    """Every ml in minus every ml out. Both sides must be recorded: with one of them gone, the sum would be wrong."""
    intake = Selection(
        name="",
        role=Role.TARGET,
        table="inputevents",
        concept="amountuom = 'ml'",
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
        counts="amounts in ml, by start time (0 to 10000 ml each, none rewritten), minus all outputs (0 to 5000 ml "
        "each); "
        "without both an intake and an output there is no answer",
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
        definition="all input events in ml minus all output events in ml",
    )


@kind(
    Intent.VITALS,
    Pool.LAB,
    only=["temperature_blood_gas", "oxygen_saturation", "peep_blood_gas", "fio2_blood_gas"],
)
def gas_vital(concept: Lab) -> Stream:
    """What is noted on a blood gas about the patient and the ventilator: temperature, saturation, PEEP, oxygen."""
    return noted_on_gas(concept)


@kind(
    Intent.VITALS,
    Pool.VITAL,
    only=[
        "heart_rate",
        "sbp_cuff",
        "mbp_cuff",
        "mbp_arterial",
        "respiratory_rate",
        "spo2",
        "temperature_f",
    ],
)
def vital(concept: Vital) -> Stream:
    """A charted vital sign: one item, so one method and one site."""
    unit = f"valueuom = '{concept.unit}'"
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="chartevents",
            concept=f"itemid = {concept.itemid}",
            support=f"{between('valuenum', concept.plausible_low, concept.plausible_high)} AND {unit} "
            "AND charttime IS NOT NULL",
            label=concept.lay_name,
            value=("valuenum", "value"),
            unit=("valueuom",),
            time=("charttime",),
            alternatives=concept.alternatives,
            low=concept.plausible_low,
            high=concept.plausible_high,
        ),
        words=Phrases(
            value=concept.lay_name,
            event=f"{concept.lay_name} measurement",
            events=f"{concept.lay_name} measurements",
            counts=f"measurements from {span(concept.plausible_low, concept.plausible_high)} {concept.unit}",
        ),
        time="x.charttime",
        value="x.valuenum",
        unit=concept.unit,
        decimals=concept.decimals,
        worse=concept.worse,
        threshold=concept.threshold,
        definition=concept.definition,
    )
