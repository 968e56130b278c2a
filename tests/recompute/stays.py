"""Records of being there: admissions, ICU stays, ward movements, services, orders, devices, age and death."""

from __future__ import annotations

import polars as pl

from schemas.concepts import CareUnit, Device, Term
from tests.recompute.hospital import Hospital, Records, hours_from, stated
from tests.recompute.kinds import kind


@kind
def age(hospital: Hospital) -> Records:
    rows = hospital["patients"].filter((pl.col("anchor_age") <= 89) & pl.col("anchor_year").is_not_null())
    # Age is anchor_age plus the years since anchor_year: what is constant of it.
    return Records(rows.select("subject_id", v=pl.col("anchor_age") - pl.col("anchor_year")), aged="age")


@kind
def death(hospital: Hospital) -> Records:
    rows = hospital["patients"].filter(pl.col("dod").is_not_null())
    frame = rows.select("subject_id", t=pl.col("dod").cast(pl.Datetime("us")))
    return Records(frame, daily=True, worse="low", aged="death")


def _admissions(hospital: Hospital, column: str) -> pl.DataFrame:
    return hospital.admissions.filter(stated("admissions", column))


def _attribute(column: str) -> None:
    def read(hospital: Hospital) -> Records:
        rows = _admissions(hospital, column)
        return Records(rows.select("subject_id", "hadm_id", t="admittime", name=column))

    kind(read, column)


for _column in (
    "race",
    "marital_status",
    "language",
    "insurance",
    "admission_type",
    "admission_location",
    "discharge_location",
):
    _attribute(_column)


@kind
def discharged_to(hospital: Hospital, place: Term) -> Records:
    rows = _admissions(hospital, "discharge_location")
    return Records(
        rows.select("subject_id", "hadm_id", t="admittime", hit=pl.col("discharge_location").is_in(place.values))
    )


@kind
def died(hospital: Hospital) -> Records:
    rows = _admissions(hospital, "discharge_location")
    return Records(rows.select("subject_id", "hadm_id", t="admittime", hit=pl.col("discharge_location") == "DIED"))


@kind
def visit(hospital: Hospital) -> Records:
    return Records(hospital.admissions.select("subject_id", "hadm_id", t="admittime", t2="dischtime"))


@kind
def hospital_stay(hospital: Hospital) -> Records:
    length = hours_from("admittime", "dischtime") / 24
    return Records(hospital.admissions.select("subject_id", "hadm_id", t="admittime", t2="dischtime", v=length))


@kind
def service(hospital: Hospital) -> Records:
    rows = hospital["services"].filter(stated("services", "curr_service") & pl.col("transfertime").is_not_null())
    return Records(rows.select("subject_id", "hadm_id", t="transfertime", name="curr_service"), early=True)


@kind
def icu_time(hospital: Hospital) -> Records:
    name = pl.when(pl.col("first_careunit") != "___").then(pl.col("first_careunit"))
    return Records(hospital.stays.select("subject_id", "hadm_id", "stay_id", t="intime", t2="outtime", name=name))


def _moves(hospital: Hospital) -> pl.DataFrame:
    return hospital["transfers"].filter(pl.col("intime") < pl.col("outtime"))


@kind
def ward_move(hospital: Hospital) -> Records:
    rows = _moves(hospital).filter(stated("transfers", "careunit"))
    length = hours_from("intime", "outtime")
    return Records(rows.select("subject_id", "hadm_id", t="intime", t2="outtime", v=length, name="careunit"))


@kind
def time_in_unit(hospital: Hospital, unit: CareUnit) -> Records:
    rows = _moves(hospital).filter(pl.col("careunit") == unit.careunit)
    return Records(rows.select("subject_id", "hadm_id", t="intime", t2="outtime"))


@kind
def device(hospital: Hospital, concept: Device) -> Records:
    rows = hospital["procedureevents"].filter(
        pl.col("itemid").is_in(concept.itemids) & (pl.col("starttime") < pl.col("endtime"))
    )
    return Records(rows.select("subject_id", "hadm_id", "stay_id", t="starttime", t2="endtime"))


@kind
def order_type(hospital: Hospital, concept: Term) -> Records:
    rows = hospital["poe"].filter(
        (pl.col("transaction_type") == "New") & stated("poe", "order_type") & pl.col("ordertime").is_not_null()
    )
    return Records(rows.select("subject_id", "hadm_id", t="ordertime", hit=pl.col("order_type").is_in(concept.values)))
