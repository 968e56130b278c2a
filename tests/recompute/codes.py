"""Records of coding: diagnoses and billing, dated by their admission, and procedures, dated by day."""

from __future__ import annotations

import polars as pl

from schemas.concepts import BillingGroup, DiagnosisGroup, Procedure, Term
from tests.recompute.hospital import Hospital, Records, coded_text, in_group, stated
from tests.recompute.kinds import kind


def dated(hospital: Hospital, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the times of their admission, if it ends after it begins: `t`, `t2`."""
    times = hospital.admissions.select("subject_id", "hadm_id", t="admittime", t2="dischtime")
    return rows.join(times, on=["subject_id", "hadm_id"])


def all_codes(hospital: Hospital) -> pl.DataFrame:
    """Diagnosis codes with their version and the time of their admission."""
    rows = hospital["diagnoses_icd"].filter(stated("diagnoses_icd", "icd_code") & pl.col("icd_version").is_in([9, 10]))
    return dated(hospital, rows)


@kind
def diagnosis(hospital: Hospital, group: DiagnosisGroup) -> Records:
    return Records(all_codes(hospital).select("subject_id", "hadm_id", "t", hit=in_group(group)))


@kind
def coded_admission(hospital: Hospital, group: DiagnosisGroup) -> Records:
    rows = dated(hospital, hospital["diagnoses_icd"].filter(in_group(group)))
    return Records(rows.select("subject_id", "hadm_id", "t"))


@kind
def code_position(hospital: Hospital, group: DiagnosisGroup) -> Records:
    rows = hospital["diagnoses_icd"].filter(in_group(group) & (pl.col("seq_num") >= 1))
    return Records(dated(hospital, rows).select("subject_id", "hadm_id", "t", v="seq_num"), worse="low")


@kind
def codes(hospital: Hospital) -> Records:
    return Records(all_codes(hospital).select("subject_id", "hadm_id", "t", name=coded_text()))


@kind
def principal(hospital: Hospital) -> Records:
    rows = all_codes(hospital).filter(pl.col("seq_num") == 1)
    return Records(rows.select("subject_id", "hadm_id", "t", name=coded_text()))


def procedures(hospital: Hospital) -> pl.DataFrame:
    """Procedure codes with a date."""
    rows = hospital["procedures_icd"].filter(pl.col("chartdate").is_not_null())
    return rows.with_columns(t=pl.col("chartdate").cast(pl.Datetime("us")))


@kind
def procedure(hospital: Hospital, group: Procedure) -> Records:
    return Records(procedures(hospital).filter(in_group(group)).select("subject_id", "hadm_id", "t"), daily=True)


@kind
def procedure_codes(hospital: Hospital) -> Records:
    rows = procedures(hospital).filter(stated("procedures_icd", "icd_code") & pl.col("icd_version").is_in([9, 10]))
    return Records(rows.select("subject_id", "hadm_id", "t", name=coded_text()), daily=True)


@kind
def drg_level(hospital: Hospital, level: Term) -> Records:
    rows = hospital["drgcodes"].filter((pl.col("drg_type") == "APR") & pl.col(level.column).is_between(1, 4))
    name = pl.when(pl.col("description") != "___").then(pl.col("description"))
    return Records(dated(hospital, rows).select("subject_id", "hadm_id", "t", v=pl.col(level.column), name=name))


@kind
def billed(hospital: Hospital, group: BillingGroup) -> Records:
    rows = hospital["hcpcsevents"].filter(stated("hcpcsevents", "hcpcs_cd"))
    return Records(
        dated(hospital, rows).select("subject_id", "hadm_id", "t", hit=pl.col("hcpcs_cd").is_in(group.codes))
    )
