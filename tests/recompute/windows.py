"""When a window begins and ends, and the events that open or close some."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import polars as pl

from schemas.concepts import Concept, DiagnosisGroup, Drug, Infusion, Pool, load
from tests.recompute.drugs import given_doses, infusion_runs
from tests.recompute.hospital import Hospital, UnitRow, in_group, stated

Span = tuple[datetime, datetime] | None
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALWAYS = (datetime.fromisoformat("0001-01-01"), datetime.fromisoformat("9999-12-31"))

# Which records count depends on where the window lies: one that follows or precedes its unit takes the patient's.
OUTSIDE = frozenset({"after_discharge_90d", "year_after_discharge", "year_before_admission", "before_icu_24h"})

# What begins with the admission, or with the arrival before it.
BEGINNING = frozenset(
    {"admission", "arrival_to_discharge", "at_admission", "emergency_department", "first_24h_of_admission"}
)


def _ventilation(hospital: Hospital, _: Concept | None) -> pl.DataFrame:
    """Stretches of invasive ventilation: procedure item 225792."""
    rows = hospital["procedureevents"].filter((pl.col("itemid") == 225792) & (pl.col("starttime") < pl.col("endtime")))
    return rows.select("subject_id", "hadm_id", "stay_id", t="starttime", t2="endtime")


def _norepinephrine(hospital: Hospital, _: Concept | None) -> pl.DataFrame:
    infusion = load().of(Pool.INFUSION)["norepinephrine"]
    assert isinstance(infusion, Infusion)
    return infusion_runs(hospital, infusion).select("subject_id", "hadm_id", "stay_id", "t", "t2")


def _furosemide(hospital: Hospital, _: Concept | None) -> pl.DataFrame:
    """Intravenous furosemide: input item 221794 with an amount above 0, not rewritten."""
    rows = hospital["inputevents"].filter(
        (pl.col("itemid") == 221794)
        & (pl.col("amount") > 0)
        & (pl.col("statusdescription") != "Rewritten")
        & pl.col("starttime").is_not_null()
    )
    return rows.select("subject_id", "hadm_id", "stay_id", t="starttime", t2="starttime")


def _culture(hospital: Hospital, _: Concept | None) -> pl.DataFrame:
    """Cultures that grew an organism, by patient and time of collection."""
    rows = hospital["microbiologyevents"].filter(
        stated("microbiologyevents", "org_name") & pl.col("charttime").is_not_null()
    )
    return rows.select("subject_id", t="charttime", t2="charttime")


def _dose(hospital: Hospital, drug: Concept | None) -> pl.DataFrame:
    assert isinstance(drug, Drug)
    return given_doses(hospital, drug).select("subject_id", "hadm_id", "t", t2="t")


def _diagnosis(hospital: Hospital, group: Concept | None) -> pl.DataFrame:
    """Admissions coded with a disease; the admission's times are the code's."""
    assert isinstance(group, DiagnosisGroup)
    coded = hospital["diagnoses_icd"].filter(in_group(group)).select("hadm_id").unique()
    rows = hospital.admissions.join(coded, on="hadm_id", how="semi")
    return rows.select("subject_id", "hadm_id", t="admittime", t2="dischtime")


def icu(hospital: Hospital, _: Concept | None) -> pl.DataFrame:
    """Stays in intensive care."""
    return hospital.stays.select("subject_id", "hadm_id", "stay_id", t="intime", t2="outtime")


def _infused(hospital: Hospital, infusion: Concept | None) -> pl.DataFrame:
    assert isinstance(infusion, Infusion)
    return infusion_runs(hospital, infusion).select("subject_id", "hadm_id", "stay_id", "t", "t2")


ANCHORS: dict[str, Callable[[Hospital, Concept | None], pl.DataFrame]] = {
    "diagnosis": _diagnosis,
    "dose": _dose,
    "furosemide": _furosemide,
    "intensive_care": icu,
    "norepinephrine": _norepinephrine,
    "positive_culture": _culture,
    "ventilation": _ventilation,
}
"""The records of an event: its first beginning is `m[0]` below, its last end `m[1]`."""

CONDITIONS: dict[str, Callable[[Hospital, Concept | None], pl.DataFrame]] = {
    "while_in_icu": icu,
    "while_infused": _infused,
    "while_ventilated": _ventilation,
}
"""Stretches during which a record must happen to count."""


def _known(lo: datetime | None, hi: datetime | None) -> Span:
    return None if lo is None or hi is None else (lo, hi)


def _arrival(u: UnitRow) -> datetime:
    """Registration in the emergency department where that is known and earlier, else the admission."""
    assert u.start is not None
    return u.start if u.arrived is None else min(u.arrived, u.start)


Moment = tuple[datetime, datetime]
Rule = Callable[[UnitRow, Moment], Span]

# Mypy knows no lambda that is told its argument is complete: units of admissions and stays have both their times.
WINDOWS: dict[str, Callable[..., Span]] = {
    "admission": lambda u, m: (u.start, u.end),
    "after_culture": lambda u, m: (m[0], u.end),
    "after_discharge_90d": lambda u, m: (u.end, u.end + 90 * DAY),
    "after_dose_48h": lambda u, m: (m[0], min(m[0] + 48 * HOUR, u.end)),
    "after_furosemide_6h": lambda u, m: (m[0], m[0] + 6 * HOUR),
    "after_icu": lambda u, m: (m[1], u.end),
    "after_intubation_24h": lambda u, m: (m[0], m[0] + 24 * HOUR),
    "after_ventilation_24h": lambda u, m: (m[1], m[1] + 24 * HOUR),
    "arrival_to_discharge": lambda u, m: (_arrival(u), u.end),
    "at_admission": lambda u, m: (u.start, u.end),
    "at_diagnosis": lambda u, m: (m[0], m[0] + 365 * DAY),
    "at_icu_admission": lambda u, m: (u.start, u.end),
    "at_ventilation": lambda u, m: (m[0], m[1]),
    "before_dose_48h": lambda u, m: (max(m[0] - 48 * HOUR, u.start), m[0]),
    "before_furosemide_6h": lambda u, m: (m[0] - 6 * HOUR, m[0]),
    "before_icu_24h": lambda u, m: (u.start - 24 * HOUR, u.start),
    "emergency_department": lambda u, m: _known(u.arrived, u.left_emergency),
    "first_24h_of_admission": lambda u, m: (u.start, min(u.start + 24 * HOUR, u.end)),
    "first_24h_of_stay": lambda u, m: (u.start, min(u.start + 24 * HOUR, u.end)),
    "icu_stay": lambda u, m: (u.start, u.end),
    "last_24h_of_stay": lambda u, m: (max(u.end - 24 * HOUR, u.start), u.end),
    "last_48h_of_admission": lambda u, m: (max(u.end - 48 * HOUR, u.start), u.end),
    "on_norepinephrine": lambda u, m: (m[0], m[1]),
    "on_ventilator": lambda u, m: (m[0], m[1]),
    "whole_record": lambda u, m: ALWAYS,
    "year_after_discharge": lambda u, m: (u.end, u.end + 365 * DAY),
    "year_before_admission": lambda u, m: (u.start - 365 * DAY, u.start),
    "year_from_diagnosis": lambda u, m: (m[0], m[0] + 365 * DAY),
}
"""By name: the interval, from its first moment up to but without its last, of a unit and the moments of its anchor."""
