"""Records with a number: laboratory, microbiology, clinic, output, balance, weight, charted vitals."""

from __future__ import annotations

import polars as pl

from schemas.concepts import ClinicMeasure, Lab, Output, Pool, Ratio, Term, Vital, load
from tests.recompute.hospital import Hospital, Records, hours_from, stated, within
from tests.recompute.icu import NOT_LOST
from tests.recompute.kinds import kind


def lab_results(hospital: Hospital, lab: Lab) -> pl.DataFrame:
    """Results with a plausible number in the unit, by patient and time of the draw."""
    test = (pl.col("itemid") == lab.itemid) & within("valuenum", lab.plausible_low, lab.plausible_high)
    if any(unit.strip() for unit in lab.units):
        test = test & pl.col("valueuom").is_in(lab.units)
    rows = hospital["labevents"].filter(test & pl.col("charttime").is_not_null())
    return rows.select("subject_id", "specimen_id", t="charttime", v="valuenum")


@kind
def lab(hospital: Hospital, concept: Lab) -> Records:
    return Records(lab_results(hospital, concept), worse=concept.worse)


@kind
def gas_vital(hospital: Hospital, concept: Lab) -> Records:
    return Records(lab_results(hospital, concept), worse=concept.worse)


@kind
def ratio(hospital: Hospital, concept: Ratio) -> Records:
    labs = load().of(Pool.LAB)
    above, below = labs[concept.numerator], labs[concept.denominator]
    assert isinstance(above, Lab)
    assert isinstance(below, Lab)
    pairs = lab_results(hospital, above).join(
        lab_results(hospital, below), on=["subject_id", "specimen_id"], suffix="_below"
    )
    pairs = pairs.filter(pl.col("v_below") > 0)
    quotient = pl.col("v") / pl.col("v_below") * (concept.factor or 1)
    return Records(pairs.select("subject_id", "t", v=quotient), worse=concept.worse)


SPECIMEN = "micro_specimen_id"


def _grown() -> pl.Expr:
    return stated("microbiologyevents", "org_name")


@kind
def culture_organism(hospital: Hospital, specimen: Term) -> Records:
    rows = hospital["microbiologyevents"].filter(
        pl.col("spec_type_desc").is_in(specimen.values) & _grown() & pl.col("charttime").is_not_null()
    )
    return Records(rows.select("subject_id", "micro_specimen_id", t="charttime", name="org_name"), one=SPECIMEN)


@kind
def culture_turnaround(hospital: Hospital, specimen: Term) -> Records:
    rows = hospital["microbiologyevents"].filter(
        pl.col("spec_type_desc").is_in(specimen.values) & (pl.col("charttime") < pl.col("storetime"))
    )
    taken = rows.select("subject_id", "micro_specimen_id", t="charttime", v=hours_from("charttime", "storetime"))
    return Records(taken, one=SPECIMEN)


@kind
def culture_growth(hospital: Hospital, specimen: Term) -> Records:
    rows = hospital["microbiologyevents"].filter(
        pl.col("spec_type_desc").is_in(specimen.values) & pl.col("charttime").is_not_null()
    )
    return Records(rows.select("subject_id", "micro_specimen_id", t="charttime", hit=_grown()), one=SPECIMEN)


@kind
def clinic(hospital: Hospital, concept: ClinicMeasure) -> Records:
    part = int(concept.part or 1) - 1
    texts = pl.col("result_value").str.split("/").list.get(part, null_on_oob=True).str.strip_chars()
    rows = hospital["omr"].with_columns(v=texts.cast(pl.Float64, strict=False))
    rows = rows.filter(
        (pl.col("result_name") == concept.result_name)
        & within("v", concept.plausible_low, concept.plausible_high)
        & pl.col("chartdate").is_not_null()
    )
    frame = rows.select("subject_id", "v", t=pl.col("chartdate").cast(pl.Datetime("us")))
    return Records(frame, daily=True, worse=concept.worse)


@kind
def clinic_visit(hospital: Hospital) -> Records:
    rows = hospital["omr"].filter(stated("omr", "result_name") & pl.col("chartdate").is_not_null())
    frame = rows.select("subject_id", t=pl.col("chartdate").cast(pl.Datetime("us")), name="result_name")
    return Records(frame, daily=True)


def _outputs(hospital: Hospital, low: float | None, high: float | None) -> pl.DataFrame:
    rows = hospital["outputevents"].filter(
        within("value", low, high) & (pl.col("valueuom") == "ml") & pl.col("charttime").is_not_null()
    )
    return rows.select("subject_id", "hadm_id", "stay_id", "itemid", t="charttime", v="value")


@kind
def output(hospital: Hospital, concept: Output) -> Records:
    rows = _outputs(hospital, concept.plausible_low, concept.plausible_high)
    return Records(rows.filter(pl.col("itemid").is_in(concept.itemids)), worse=concept.worse)


@kind
def fluid_balance(hospital: Hospital) -> Records:
    intake = hospital["inputevents"].filter(
        (pl.col("amountuom") == "ml")
        & within("amount", 0, 10000)
        & (pl.col("itemid") != 226361)  # taken before intensive care
        & (pl.col("statusdescription") != "Rewritten")
        & pl.col("starttime").is_not_null()
    )
    given = intake.select("subject_id", "hadm_id", "stay_id", t="starttime", v="amount")
    lost = _outputs(hospital, 0, 5000).filter(~pl.col("itemid").is_in(NOT_LOST))
    return Records(given, minus=Records(lost))


@kind
def infusion_weight(hospital: Hospital) -> Records:
    rows = hospital["inputevents"].filter(within("patientweight", 1, 1100) & pl.col("starttime").is_not_null())
    return Records(rows.select("subject_id", "hadm_id", "stay_id", t="starttime", v="patientweight"))


@kind
def vital(hospital: Hospital, concept: Vital) -> Records:
    rows = hospital["chartevents"].filter(
        (pl.col("itemid") == concept.itemid)
        & within("valuenum", concept.plausible_low, concept.plausible_high)
        & ((pl.col("valueuom") == concept.unit) if concept.unit else pl.lit(value=True))
        & pl.col("charttime").is_not_null()
    )
    frame = rows.select("subject_id", "hadm_id", "stay_id", t="charttime", v="valuenum")
    return Records(frame, worse=concept.worse)
