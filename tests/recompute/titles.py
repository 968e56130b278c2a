"""Records under the names that a dictionary gives their codes, and what orders and registration name."""

from __future__ import annotations

import polars as pl

from schemas.concepts import DiagnosisGroup, Procedure, Term
from tests.recompute.codes import all_codes, dated, procedures
from tests.recompute.hospital import Hospital, Records, in_group, stated
from tests.recompute.kinds import kind

# What `poe_detail.field_value` says, without blanks around it, where resuscitation is not wanted.
NOT_TO_RESUSCITATE = ["Do not resuscitate (DNR/DNI)", "DNAR (DO NOT attempt resuscitation for cardiac arrest)"]


def _titled(hospital: Hospital, rows: pl.DataFrame, dictionary: str) -> pl.DataFrame:
    """Codes with the title of the code in its version: `name`."""
    titles = hospital[dictionary].select("icd_code", "icd_version", name="long_title")
    return rows.join(titles.filter(pl.col("name").is_not_null()), on=["icd_code", "icd_version"])


def _diagnoses(hospital: Hospital) -> pl.DataFrame:
    return _titled(hospital, all_codes(hospital), "d_icd_diagnoses")


@kind
def titles(hospital: Hospital) -> Records:
    return Records(_diagnoses(hospital).select("subject_id", "hadm_id", "t", "name"))


@kind
def principal_title(hospital: Hospital) -> Records:
    rows = _diagnoses(hospital).filter(pl.col("seq_num") == 1)
    return Records(rows.select("subject_id", "hadm_id", "t", "name"))


@kind
def group_titles(hospital: Hospital, group: DiagnosisGroup) -> Records:
    return Records(_diagnoses(hospital).filter(in_group(group)).select("subject_id", "hadm_id", "t", "name"))


@kind
def unspecified(hospital: Hospital) -> Records:
    hit = pl.col("name").str.to_lowercase().str.ends_with("unspecified")
    return Records(_diagnoses(hospital).select("subject_id", "hadm_id", "t", hit=hit))


@kind
def procedure_titles(hospital: Hospital) -> Records:
    rows = _titled(hospital, procedures(hospital), "d_icd_procedures")
    return Records(rows.select("subject_id", "hadm_id", "t", "name"), daily=True)


@kind
def group_procedure_titles(hospital: Hospital, group: Procedure) -> Records:
    rows = _titled(hospital, procedures(hospital).filter(in_group(group)), "d_icd_procedures")
    return Records(rows.select("subject_id", "hadm_id", "t", "name"), daily=True)


def _hcpcs(hospital: Hospital) -> pl.DataFrame:
    """HCPCS lines whose code is in the dictionary: `name`, `category`."""
    meanings = hospital["d_hcpcs"].select("category", hcpcs_cd="code", name="short_description")
    return dated(hospital, hospital["hcpcsevents"].join(meanings, on="hcpcs_cd"))


@kind
def billed_service(hospital: Hospital) -> Records:
    rows = _hcpcs(hospital).filter(pl.col("name").is_not_null())
    return Records(rows.select("subject_id", "hadm_id", "t", "name"))


@kind
def cpt_billed(hospital: Hospital) -> Records:
    hit = (pl.col("category") == 1).fill_null(value=False)
    return Records(_hcpcs(hospital).select("subject_id", "hadm_id", "t", hit=hit))


@kind
def drg_billed(hospital: Hospital) -> Records:
    rows = hospital["drgcodes"].filter((pl.col("drg_type") == "HCFA") & stated("drgcodes", "description"))
    return Records(dated(hospital, rows).select("subject_id", "hadm_id", "t", name="description"))


def _provided(hospital: Hospital, rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """The rows whose provider is in the provider table: `name`."""
    return rows.with_columns(name=column).join(hospital["provider"].select(name="provider_id"), on="name", how="semi")


@kind
def admitting_provider(hospital: Hospital) -> Records:
    rows = _provided(hospital, hospital.admissions, "admit_provider_id")
    return Records(rows.select("subject_id", "hadm_id", "name", t="admittime"))


@kind
def under_service(hospital: Hospital, sort: Term) -> Records:
    rows = hospital["services"].filter(stated("services", "curr_service") & pl.col("transfertime").is_not_null())
    hit = pl.col("curr_service").is_in(sort.values)
    return Records(rows.select("subject_id", "hadm_id", t="transfertime", hit=hit), early=True)


def _orders(hospital: Hospital, *sorts: str) -> pl.DataFrame:
    return hospital["poe"].filter(pl.col("transaction_type").is_in(sorts) & pl.col("ordertime").is_not_null())


def _new_orders(hospital: Hospital) -> pl.DataFrame:
    return _orders(hospital, "New")


@kind
def ordering_provider(hospital: Hospital) -> Records:
    rows = _provided(hospital, _new_orders(hospital), "order_provider_id")
    return Records(rows.select("subject_id", "hadm_id", "name", t="ordertime"))


@kind
def prescriber(hospital: Hospital) -> Records:
    rows = hospital["prescriptions"].filter((pl.col("drug_type") == "MAIN") & pl.col("starttime").is_not_null())
    rows = _provided(hospital, rows, "order_provider_id")
    return Records(rows.select("subject_id", "hadm_id", "name", t="starttime"))


@kind
def consult(hospital: Hospital) -> Records:
    rows = _new_orders(hospital).filter((pl.col("order_type") == "Consults") & stated("poe", "order_subtype"))
    return Records(rows.select("subject_id", "hadm_id", t="ordertime", name="order_subtype"))


def _details(hospital: Hospital, *sorts: str) -> pl.DataFrame:
    """What orders of these sorts say in their fields, at the time of the order: `t`, `field`, `name`."""
    details = hospital["poe_detail"].filter(stated("poe_detail", "field_value"))
    details = details.select(
        "subject_id", "poe_id", field="field_name", name=pl.col("field_value").str.strip_chars(" ")
    )
    orders = _orders(hospital, *sorts).select("subject_id", "hadm_id", "poe_id", t="ordertime")
    return details.join(orders, on=["subject_id", "poe_id"])


@kind
def order_detail(hospital: Hospital, field: Term) -> Records:
    rows = _details(hospital, "New").filter(pl.col("field").is_in(field.values))
    return Records(rows.select("subject_id", "hadm_id", "t", "name"), early=True)


@kind
def code_status(hospital: Hospital) -> Records:
    rows = _details(hospital, "New", "Change").filter(pl.col("field") == "Code status")
    return Records(rows.select("subject_id", "hadm_id", "t", "name"))


@kind
def limited_code(hospital: Hospital) -> Records:
    hit = (pl.col("field") == "Code status") & pl.col("name").is_in(NOT_TO_RESUSCITATE)
    rows = _details(hospital, "New", "Change").filter(pl.col("field").is_not_null() & (pl.col("field") != "___"))
    return Records(rows.select("subject_id", "hadm_id", "t", hit=hit))
