"""Records of the laboratory at work: flags, priorities, sections, turnaround, specimens, resistance."""

from __future__ import annotations

import polars as pl

from schemas.concepts import Lab, Term
from tests.recompute.hospital import Hospital, Records, hours_from, stated
from tests.recompute.kinds import kind


def _results(hospital: Hospital) -> pl.DataFrame:
    """Results with a time, with or without a number."""
    return hospital["labevents"].filter(pl.col("charttime").is_not_null())


def _named(hospital: Hospital, rows: pl.DataFrame) -> pl.DataFrame:
    """Results with what the dictionary of tests says: `name`, `category`."""
    items = hospital["d_labitems"].filter(pl.col("label").is_not_null())
    names = items.select("itemid", "category", name=pl.col("label").str.strip_chars(" "))
    return rows.join(names, on="itemid")


@kind
def abnormal_tests(hospital: Hospital) -> Records:
    rows = _results(hospital).filter(pl.col("flag") == "abnormal")
    return Records(_named(hospital, rows).select("subject_id", "name", t="charttime"))


@kind
def flagged(hospital: Hospital, lab: Lab) -> Records:
    rows = _results(hospital).filter(pl.col("itemid") == lab.itemid)
    hit = (pl.col("flag") == "abnormal").fill_null(value=False)
    return Records(rows.select("subject_id", t="charttime", hit=hit))


@kind
def urgent_tests(hospital: Hospital) -> Records:
    rows = _results(hospital).filter(pl.col("priority") == "STAT")
    return Records(_named(hospital, rows).select("subject_id", "name", t="charttime"))


@kind
def run_urgently(hospital: Hospital) -> Records:
    rows = _results(hospital).filter(pl.col("priority").is_in(["STAT", "ROUTINE"]))
    return Records(rows.select("subject_id", t="charttime", hit=pl.col("priority") == "STAT"))


@kind
def section(hospital: Hospital, sort: Term) -> Records:
    rows = _named(hospital, _results(hospital))
    return Records(rows.select("subject_id", t="charttime", hit=pl.col("category").is_in(sort.values)))


@kind
def turnaround(hospital: Hospital, lab: Lab) -> Records:
    rows = hospital["labevents"].filter((pl.col("itemid") == lab.itemid) & (pl.col("charttime") < pl.col("storetime")))
    return Records(rows.select("subject_id", t="charttime", v=hours_from("charttime", "storetime")))


@kind
def specimens(hospital: Hospital) -> Records:
    rows = _results(hospital).filter(pl.col("specimen_id").is_not_null())
    return Records(rows.select("subject_id", t="charttime", name=pl.col("specimen_id").cast(pl.String)))


def _susceptibility(hospital: Hospital, interpretations: list[str]) -> pl.DataFrame:
    return hospital["microbiologyevents"].filter(
        stated("microbiologyevents", "ab_name")
        & pl.col("interpretation").is_in(interpretations)
        & pl.col("charttime").is_not_null()
    )


@kind
def resisted(hospital: Hospital) -> Records:
    return Records(_susceptibility(hospital, ["R"]).select("subject_id", t="charttime", name="ab_name"))


@kind
def resistance(hospital: Hospital) -> Records:
    rows = _susceptibility(hospital, ["S", "I", "R"])
    return Records(rows.select("subject_id", t="charttime", hit=pl.col("interpretation") == "R"))
