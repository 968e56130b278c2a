"""Records of medication: what was ordered, given, withheld, and what ran."""

from __future__ import annotations

import polars as pl

from schemas.concepts import Drug, DrugClass, Infusion
from tests.recompute.hospital import Hospital, Records, plain_number, spelled, stated
from tests.recompute.kinds import kind

GIVEN = [
    "Administered",
    "Delayed Administered",
    "Partial Administered",
    "Administered in Other Location",
    "Administered Bolus from IV Drip",
]
WITHHELD = ["Not Given", "Hold Dose"]


def charted_given(hospital: Hospital) -> pl.DataFrame:
    """Doses of any drug charted as given."""
    return hospital["emar"].filter(pl.col("event_txt").is_in(GIVEN) & pl.col("charttime").is_not_null())


def given_doses(hospital: Hospital, drug: Drug) -> pl.DataFrame:
    """Doses charted as given, by the time they were charted."""
    rows = charted_given(hospital).filter(spelled("medication", drug.administrations))
    return rows.select("subject_id", "hadm_id", "emar_id", t="charttime")


def infusion_runs(hospital: Hospital, infusion: Infusion) -> pl.DataFrame:
    """Stretches with a rate above 0 and at most the plausible one, in its unit; not those rewritten later."""
    rows = hospital["inputevents"].filter(
        (pl.col("itemid") == infusion.itemid)
        & (pl.col("rate") > 0)
        & (pl.col("rate") <= (infusion.plausible_high_rate or 10000))
        & (pl.col("rateuom") == infusion.rate_unit)
        & (pl.col("statusdescription") != "Rewritten")
        & (pl.col("starttime") < pl.col("endtime"))
    )
    return rows.select("subject_id", "hadm_id", "stay_id", t="starttime", t2="endtime", v="rate")


def ordered(hospital: Hospital, spellings: tuple[str, ...]) -> pl.DataFrame:
    """Prescriptions of drug_type MAIN of these names."""
    return hospital["prescriptions"].filter((pl.col("drug_type") == "MAIN") & spelled("drug", spellings))


@kind
def order(hospital: Hospital, drug: Drug) -> Records:
    rows = ordered(hospital, drug.orders).filter(pl.col("starttime") < pl.col("stoptime"))
    route = pl.when(pl.col("route") != "___").then(pl.col("route"))
    return Records(rows.select("subject_id", "hadm_id", t="starttime", t2="stoptime", name=route))


@kind
def class_order(hospital: Hospital, group: DrugClass) -> Records:
    rows = ordered(hospital, group.orders).filter(pl.col("starttime") < pl.col("stoptime"))
    name = pl.col("drug").str.strip_chars(" ")
    return Records(rows.select("subject_id", "hadm_id", t="starttime", t2="stoptime", name=name))


@kind
def dose(hospital: Hospital, drug: Drug) -> Records:
    rows = ordered(hospital, drug.orders).with_columns(v=plain_number("dose_val_rx"))
    rows = rows.filter(
        (pl.col("dose_unit_rx") == drug.dose_unit) & (pl.col("v") > 0) & pl.col("starttime").is_not_null()
    )
    return Records(rows.select("subject_id", "hadm_id", "v", t="starttime"))


@kind
def given(hospital: Hospital, drug: Drug) -> Records:
    return Records(given_doses(hospital, drug))


@kind
def given_or_not(hospital: Hospital, drug: Drug) -> Records:
    rows = charted_given(hospital).filter(stated("emar", "medication"))
    return Records(rows.select("subject_id", "hadm_id", t="charttime", hit=spelled("medication", drug.administrations)))


@kind
def dose_withheld(hospital: Hospital, drug: Drug) -> Records:
    rows = hospital["emar"].filter(
        spelled("medication", drug.administrations)
        & pl.col("event_txt").is_in([*GIVEN, *WITHHELD])
        & pl.col("charttime").is_not_null()
    )
    return Records(rows.select("subject_id", "hadm_id", t="charttime", hit=pl.col("event_txt").is_in(WITHHELD)))


@kind
def dose_given(hospital: Hospital, drug: Drug) -> Records:
    lines = hospital["emar_detail"].with_columns(v=plain_number("dose_given"))
    lines = lines.filter((pl.col("dose_given_unit") == drug.dose_unit) & (pl.col("v") > 0))
    rows = lines.select("subject_id", "emar_id", "v").join(given_doses(hospital, drug), on=["subject_id", "emar_id"])
    return Records(rows.select("subject_id", "hadm_id", "t", "v"))


@kind
def given_by_tube(hospital: Hospital) -> Records:
    details = hospital["emar_detail"].filter(pl.col("route").is_in(["PO", "NG"]))
    given = charted_given(hospital).select("subject_id", "hadm_id", "emar_id", t="charttime")
    rows = details.select("subject_id", "emar_id", "route").join(given, on=["subject_id", "emar_id"])
    return Records(rows.select("subject_id", "hadm_id", "t", hit=pl.col("route") == "NG"))


@kind
def infusion(hospital: Hospital, concept: Infusion) -> Records:
    return Records(infusion_runs(hospital, concept))


@kind
def fluid_given(hospital: Hospital, concept: Infusion) -> Records:
    rows = hospital["inputevents"].filter(
        (pl.col("itemid") == concept.itemid)
        & (pl.col("amount") > 0)
        & (pl.col("amount") <= 10000)
        & (pl.col("amountuom") == concept.amount_unit)
        & (pl.col("statusdescription") != "Rewritten")
        & pl.col("starttime").is_not_null()
    )
    return Records(rows.select("subject_id", "hadm_id", "stay_id", t="starttime", v="amount"))
