"""Which units a population question is about, by the words of each cohort."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from schemas.concepts import BillingGroup, CareUnit, Concept, DiagnosisGroup, Drug, Lab, Procedure, Term
from tests.recompute.hospital import Hospital, UnitRow, in_group, spelled
from tests.recompute.results import lab_results

Member = Callable[[UnitRow], bool]


def _by_admission(frame: pl.DataFrame) -> Member:
    """Whether the unit's admission, or any admission of the patient, is among the records'."""
    admissions, patients = set(frame["hadm_id"]), set(frame["subject_id"])
    return lambda u: u.uid in patients if u.hadm_id is None else u.hadm_id in admissions


def _by_stay(frame: pl.DataFrame) -> Member:
    """Whether the ICU stay, or any ICU stay of the admission, is among the records'."""
    stays, admissions = set(frame["stay_id"]), set(frame["hadm_id"])
    return lambda u: u.hadm_id in admissions if u.stay_id is None else u.stay_id in stays


def _all(hospital: Hospital, _: Concept | None) -> Member:
    return lambda u: True


def _abnormal_lab(hospital: Hospital, lab: Concept | None) -> Member:
    assert isinstance(lab, Lab)
    assert lab.threshold is not None
    results = lab_results(hospital, lab)
    limit = pl.col("v") > lab.threshold if lab.worse == "high" else pl.col("v") < lab.threshold
    times: dict[int, list[object]] = {}
    for subject, t in results.filter(limit).select("subject_id", "t").iter_rows():
        times.setdefault(subject, []).append(t)
    return lambda u: any(u.start <= t < u.end for t in times.get(u.subject_id, ()))  # type: ignore[operator]


def _admission_type(hospital: Hospital, sort: Concept | None) -> Member:
    assert isinstance(sort, Term)
    return _by_admission(hospital["admissions"].filter(pl.col("admission_type").is_in(sort.values)))


def _aged(hospital: Hospital, limit: Concept | None) -> Member:
    assert limit is not None
    least, people = int(limit.id), hospital["patients"]
    born = dict(people.select("subject_id", pl.col("anchor_year") - pl.col("anchor_age")).iter_rows())

    def member(u: UnitRow) -> bool:
        assert u.start is not None
        born_in = born.get(u.subject_id)
        return born_in is not None and u.start.year - born_in >= least

    return member


def _billed_drg(hospital: Hospital, group: Concept | None) -> Member:
    assert isinstance(group, BillingGroup)
    return _by_admission(
        hospital["drgcodes"].filter((pl.col("drg_type") == "HCFA") & pl.col("drg_code").is_in(group.codes))
    )


def _care_unit(hospital: Hospital, unit: Concept | None) -> Member:
    assert isinstance(unit, CareUnit)
    return _by_stay(hospital.stays.filter(pl.col("first_careunit") == unit.careunit))


def _coded(hospital: Hospital, group: Concept | None) -> Member:
    assert isinstance(group, DiagnosisGroup)
    return _by_admission(hospital["diagnoses_icd"].filter(in_group(group)))


def _ordered(hospital: Hospital, drug: Concept | None) -> Member:
    assert isinstance(drug, Drug)
    return _by_admission(hospital["prescriptions"].filter(spelled("drug", drug.orders)))


def _procedure(hospital: Hospital, group: Concept | None) -> Member:
    assert isinstance(group, Procedure)
    return _by_admission(hospital["procedures_icd"].filter(in_group(group)))


def _ventilated(hospital: Hospital, _: Concept | None) -> Member:
    rows = hospital["procedureevents"].filter((pl.col("itemid") == 225792) & (pl.col("starttime") < pl.col("endtime")))
    return _by_stay(rows)


COHORTS: dict[str, Callable[[Hospital, Concept | None], Member]] = {
    "abnormal_lab": _abnormal_lab,
    "admission_type": _admission_type,
    "aged": _aged,
    "all": _all,
    "billed_drg": _billed_drg,
    "care_unit": _care_unit,
    "coded": _coded,
    "coded_without": _coded,  # the second group is asked for in the same way, and taken away
    "ordered": _ordered,
    "procedure": _procedure,
    "ventilated": _ventilated,
}
