"""Records of the ICU's chart: ingredients, drains, lines, imaging, categories of its items, and who charted."""

from __future__ import annotations

import polars as pl

from schemas.concepts import ChartedDate, Device, Ingredient, Pool, Term, load
from tests.recompute.hospital import Hospital, Records, within
from tests.recompute.kinds import kind

IDS = ("subject_id", "hadm_id", "stay_id")


def _labelled(hospital: Hospital, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with what the dictionary of items says: `name`, `category`."""
    items = hospital["d_items"].select("itemid", "category", name="label")
    return rows.join(items.filter(pl.col("name").is_not_null()), on="itemid")


def _not_rewritten() -> pl.Expr:
    return pl.col("statusdescription") != "Rewritten"


@kind
def ingredient(hospital: Hospital, concept: Ingredient) -> Records:
    rows = hospital["ingredientevents"].filter(
        (pl.col("itemid") == concept.itemid)
        & within("amount", concept.plausible_low, concept.plausible_high)
        & (pl.col("amountuom") == concept.unit)
        & _not_rewritten()
        & pl.col("starttime").is_not_null()
    )
    return Records(rows.select(*IDS, t="starttime", v="amount"), worse=concept.worse)


@kind
def tube_feed(hospital: Hospital) -> Records:
    energy = hospital["ingredientevents"].filter(
        (pl.col("itemid") == 226060)
        & within("amount", 0, 5000)
        & (pl.col("amountuom") == "Kcal")
        & _not_rewritten()
        & pl.col("starttime").is_not_null()
    )
    feeds = hospital["inputevents"].filter(
        (pl.col("ordercategoryname") == "13-Enteral Nutrition")
        & (pl.col("ordercomponenttypedescription") == "Main order parameter")
        & _not_rewritten()
    )
    named = _labelled(hospital, feeds).select("subject_id", "orderid", "name").unique()
    rows = energy.join(named, on=["subject_id", "orderid"])
    return Records(rows.select(*IDS, "name", t="starttime", v="amount"), worse="low")


# Bladder irrigant in, and out with the urine, feed measured in the stomach, and what left before intensive care.
NOT_LOST = [226633, 227488, 227489, 226566, 227510, 227511]

# Tubes of the chest, and drains of the recovery room: `d_items` files them under 'Output'.
CHEST_TUBES = [226588, 226589, 229413, 229414, 226590, 226591, 226593, 226595, 226592, 226628]


def _outputs(hospital: Hospital) -> pl.DataFrame:
    rows = hospital["outputevents"].filter(
        within("value", 0, 5000) & pl.col("charttime").is_not_null() & ~pl.col("itemid").is_in(NOT_LOST)
    )
    return _labelled(hospital, rows)


@kind
def output_route(hospital: Hospital) -> Records:
    return Records(_outputs(hospital).filter(pl.col("value") > 0).select(*IDS, "name", t="charttime"))


@kind
def drained(hospital: Hospital) -> Records:
    tube = pl.col("itemid").is_in(CHEST_TUBES)
    drain = (pl.col("category") == "Drains").fill_null(value=False)
    return Records(_outputs(hospital).select(*IDS, t="charttime", hit=drain | tube))


@kind
def chart_warning(hospital: Hospital) -> Records:
    rows = hospital["chartevents"].filter((pl.col("warning") == 1) & pl.col("charttime").is_not_null())
    return Records(_labelled(hospital, rows).select(*IDS, "name", t="charttime"))


@kind
def line_care(hospital: Hospital, concept: ChartedDate) -> Records:
    rows = hospital["datetimeevents"].filter((pl.col("itemid") == concept.itemid) & pl.col("value").is_not_null())
    return Records(rows.select(*IDS, t=pl.col("value").dt.truncate("1d")), daily=True)


@kind
def line_days(hospital: Hospital, concept: ChartedDate) -> Records:
    rows = hospital["datetimeevents"].filter(
        (pl.col("itemid") == concept.itemid) & (pl.col("value") <= pl.col("charttime"))
    )
    days = (pl.col("charttime").dt.date() - pl.col("value").dt.date()).dt.total_days()
    return Records(rows.select(*IDS, t="charttime", v=days))


@kind
def line_dated(hospital: Hospital) -> Records:
    insertions = [line.itemid for line in load().of(Pool.LINE).values() if isinstance(line, ChartedDate)]
    rows = hospital["datetimeevents"].filter(pl.col("itemid").is_in(insertions) & pl.col("charttime").is_not_null())
    return Records(_labelled(hospital, rows).select(*IDS, "name", t="charttime"))


def _staff(name: str, table: str, time: str) -> None:
    def read(hospital: Hospital) -> Records:
        known = hospital["caregiver"].select("caregiver_id")
        rows = hospital[table].filter(pl.col(time).is_not_null()).join(known, on="caregiver_id", how="semi")
        return Records(rows.select(*IDS, t=time, name=pl.col("caregiver_id").cast(pl.String)))

    kind(read, name)


_staff("input_charter", "inputevents", "starttime")
_staff("output_charter", "outputevents", "charttime")


def _done(hospital: Hospital) -> pl.DataFrame:
    return hospital["procedureevents"].filter(pl.col("starttime").is_not_null())


@kind
def icu_service(hospital: Hospital, sort: Term) -> Records:
    rows = _labelled(hospital, _done(hospital))
    return Records(rows.select(*IDS, t="starttime", hit=pl.col("category").is_in(sort.values)))


@kind
def icu_procedure(hospital: Hospital, concept: Device) -> Records:
    return Records(_done(hospital).filter(pl.col("itemid").is_in(concept.itemids)).select(*IDS, t="starttime"))


@kind
def imaging(hospital: Hospital) -> Records:
    rows = _labelled(hospital, _done(hospital)).filter(pl.col("category") == "5-Imaging")
    return Records(rows.select(*IDS, "name", t="starttime"))


@kind
def line_in_place(hospital: Hospital) -> Records:
    rows = hospital["procedureevents"].filter(
        (pl.col("ordercategoryname") == "Invasive Lines") & (pl.col("starttime") < pl.col("endtime"))
    )
    return Records(_labelled(hospital, rows).select(*IDS, "name", t="starttime", t2="endtime"), lasting=True)


def _main_inputs(hospital: Hospital) -> pl.DataFrame:
    rows = hospital["inputevents"].filter(
        (pl.col("ordercomponenttypedescription") == "Main order parameter") & _not_rewritten()
    )
    return _labelled(hospital, rows)


@kind
def icu_antibiotic(hospital: Hospital) -> Records:
    rows = _main_inputs(hospital).filter(
        pl.col("ordercategoryname").is_in(["08-Antibiotics (IV)", "09-Antibiotics (Non IV)"])
        & pl.col("starttime").is_not_null()
    )
    return Records(rows.select(*IDS, "name", t="starttime"))


@kind
def input_category(hospital: Hospital, sort: Term) -> Records:
    rows = _main_inputs(hospital).filter(pl.col("starttime").is_not_null())
    return Records(rows.select(*IDS, t="starttime", hit=pl.col("category").is_in(sort.values)))
