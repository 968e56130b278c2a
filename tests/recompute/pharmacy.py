"""Records of the pharmacy: routes and frequencies of its entries, how long they ran, how drugs were prepared."""

from __future__ import annotations

import polars as pl

from schemas.concepts import Drug, Term
from tests.recompute.drugs import charted_given, ordered
from tests.recompute.hospital import Hospital, Records, hours_from, spelled, stated
from tests.recompute.kinds import kind

ENTRY = ["subject_id", "pharmacy_id"]


def _says(hospital: Hospital, column: str) -> pl.DataFrame:
    """What the pharmacy's entries say in one column: `name`."""
    return hospital["pharmacy"].filter(stated("pharmacy", column)).select(*ENTRY, name=column)


@kind
def given_route(hospital: Hospital, drug: Drug) -> Records:
    doses = charted_given(hospital).filter(spelled("medication", drug.administrations))
    rows = doses.select(*ENTRY, "hadm_id", t="charttime").join(_says(hospital, "route"), on=ENTRY)
    return Records(rows.select("subject_id", "hadm_id", "t", "name"))


@kind
def frequency(hospital: Hospital, drug: Drug) -> Records:
    orders = ordered(hospital, drug.orders).filter(pl.col("starttime") < pl.col("stoptime"))
    rows = orders.select(*ENTRY, "hadm_id", t="starttime").join(_says(hospital, "frequency"), on=ENTRY)
    return Records(rows.select("subject_id", "hadm_id", "t", "name"))


@kind
def ordered_package(hospital: Hospital, drug: Drug) -> Records:
    orders = ordered(hospital, drug.orders).filter(stated("prescriptions", "ndc") & pl.col("starttime").is_not_null())
    return Records(orders.select("subject_id", "hadm_id", t="starttime", name="ndc"))


@kind
def pharmacy_entry(hospital: Hospital, drug: Drug) -> Records:
    rows = hospital["pharmacy"].filter(spelled("medication", drug.orders) & (pl.col("starttime") < pl.col("stoptime")))
    place = pl.when(pl.col("dispensation") != "___").then(pl.col("dispensation"))
    length = hours_from("starttime", "stoptime")
    return Records(rows.select("subject_id", "hadm_id", t="starttime", t2="stoptime", v=length, name=place))


@kind
def preparation(hospital: Hospital, way: Term) -> Records:
    rows = hospital["pharmacy"].filter(stated("pharmacy", "proc_type") & pl.col("starttime").is_not_null())
    return Records(rows.select("subject_id", "hadm_id", t="starttime", hit=pl.col("proc_type").is_in(way.values)))
