"""Selections of records that several words of the grammar share: results, doses, infusions, stays, codes.

Every one demands support: the value is there, plausible and in its unit, the time is known. Tests are row-local SQL
over the table's own columns, since population noise uses them as predicates.
"""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Stream
from assets.questions.sql import between, coded, folded, listed
from schemas.concepts import CareUnit, Coded, Drug, Infusion, Lab, Pool, load
from schemas.questions import Role, Selection

GIVEN = (
    "Administered",
    "Delayed Administered",
    "Partial Administered",
    "Administered in Other Location",
    "Administered Bolus from IV Drip",
)
"""What `emar.event_txt` says of a dose that reached the patient."""

GIVEN_WORDS = ", ".join(f"'{text}'" for text in GIVEN[:-1]) + f" or '{GIVEN[-1]}'"

NOT_GIVEN = ("Not Given", "Hold Dose")
"""What `emar.event_txt` says of a dose that was due and did not reach the patient. A sliding scale that asks for no
insulin withholds none."""

DRIPS = frozenset(
    {
        "norepinephrine",
        "phenylephrine",
        "vasopressin",
        "epinephrine",
        "dopamine",
        "dobutamine",
        "milrinone",
        "propofol",
        "dexmedetomidine",
        "midazolam",
        "fentanyl",
        "nicardipine",
        "esmolol",
        "amiodarone",
        "octreotide",
    }
)
"""Ingredients that mostly run: a drip is charted as started, confirmed and stopped, never as given, so that "was
norepinephrine given" would be "no" while it runs (demo: 217 such rows, none given)."""

VENTILATION = 225792
"""Invasive Ventilation, in `procedureevents`."""

VENTILATION_WORDS = f"procedure item {VENTILATION} (Invasive Ventilation) of the ICU record"


MASK = "___"
"""What de-identification leaves of a text."""


def known(table: str, column: str) -> str:
    """Does the row say it? Not if it is NULL, masked, or one of the spellings of "unknown" (unknown_values.csv).

    >>> known("services", "curr_service"), known("admissions", "language")
    ("curr_service IS NOT NULL AND curr_service <> '___'", "language IS NOT NULL AND language NOT IN ('___', '?')")
    """
    unknown = (MASK, *load().unknown.get((table, column), ()))
    test = f"<> {listed(unknown)[1:-1]}" if len(unknown) == 1 else f"NOT IN {listed(unknown)}"
    return f"{column} IS NOT NULL AND {column} {test}"


def lab_results(lab: Lab) -> Selection:
    """Usable results of one laboratory item: a number, plausible, in the unit, drawn at a known time."""
    unit = f"valueuom IN {listed(lab.units)}" if lab.units else "valueuom IS NULL"  # INR has none by nature
    return Selection(
        name="",
        role=Role.TARGET,
        table="labevents",
        concept=f"itemid = {lab.itemid}",
        support=f"{between('valuenum', lab.plausible_low, lab.plausible_high)} AND {unit} AND charttime IS NOT NULL",
        label=lab.lay_name,
        value=("valuenum", "value"),
        unit=("valueuom",) if lab.units else (),
        time=("charttime",),
        alternatives=lab.alternatives,
        low=lab.plausible_low,
        high=lab.plausible_high,
    )


def doses_given(drug: Drug) -> Selection:
    """Doses of a drug that reached the patient, by the administration record."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="emar",
        concept=folded("medication", drug.administrations),
        support=f"event_txt IN {listed(GIVEN)} AND charttime IS NOT NULL",
        label=f"administration of {drug.lay_name}",
        time=("charttime",),
        names=("medication", "event_txt"),
    )


def infusion_runs(infusion: Infusion) -> Selection:
    """Stretches of an infusion with a rate in its unit; rows rewritten later are not what ran."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="inputevents",
        concept=f"itemid = {infusion.itemid}",
        support=f"rate > 0 AND {between('rate', None, infusion.plausible_high_rate or 10_000)} "
        f"AND rateuom = '{infusion.rate_unit}' AND statusdescription <> 'Rewritten' AND starttime < endtime",
        label=infusion.lay_name,
        value=("rate",),
        unit=("rateuom",),
        time=("starttime", "endtime"),
        alternatives=infusion.alternatives,
        low=0.0,
        high=infusion.plausible_high_rate,
    )


def ventilation() -> Selection:
    """Stretches of invasive ventilation, from the ICU's own record of procedures."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="procedureevents",
        concept=f"itemid = {VENTILATION}",
        support="starttime < endtime",  # `value` is in minutes, hours or days: never read
        label="invasive ventilation",
        time=("starttime", "endtime"),
    )


def icu_stays() -> Selection:
    """Stays in intensive care."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="icustays",
        support="intime < outtime",
        label="ICU stay",
        time=("intime", "outtime"),
    )


def admissions(support: str = "TRUE", names: tuple[str, ...] = ()) -> Selection:
    """Hospital admissions that end after they begin."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="admissions",
        support="admittime < dischtime" + ("" if support == "TRUE" else f" AND {support}"),
        label="hospital admission",
        time=("admittime", "dischtime"),
        names=names,
    )


def by_admission(stream: Stream) -> Stream:
    """Records without a time of their own, dated by their admission."""
    return replace(
        stream,
        partner=admissions(),
        joined="y.subject_id = x.subject_id AND y.hadm_id = x.hadm_id",
        clock="y",
        time="y.admittime",
    )


def icu_transfers() -> Selection:
    """Ward movements into intensive care: the other record of every ICU stay (140 of 140 in the demo)."""
    units = load().of(Pool.CARE_UNIT).values()
    intensive = tuple(unit.careunit for unit in units if isinstance(unit, CareUnit) and unit.intensive)
    return Selection(
        name="",
        role=Role.ROUTE,
        table="transfers",
        concept=f"careunit IN {listed(intensive)}",
        support="intime < outtime",
        label="transfer into intensive care",
        time=("intime", "outtime"),
        names=("careunit",),
    )


def ward_ends() -> Selection:
    """Ward movements at admission and discharge: the other record of every hospital stay."""
    return Selection(
        name="",
        role=Role.ROUTE,
        table="transfers",
        concept="eventtype IN ('admit', 'discharge')",
        support="intime IS NOT NULL",
        label="ward movement at admission or discharge",
        time=("intime",),
    )


def diagnosis_codes(group: Coded) -> Selection:
    """Diagnosis codes of a group, each in its own ICD version."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="diagnoses_icd",
        concept=coded(group),
        label=f"diagnosis code for {group.lay_name}",
        names=("icd_code", "icd_version"),
    )


def positive_cultures() -> Selection:
    """Cultures that grew an organism; no organism means negative or pending, and cancelled is neither."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="microbiologyevents",
        support=f"{known('microbiologyevents', 'org_name')} AND charttime IS NOT NULL",
        label="culture that grew an organism",
        time=("charttime",),
        names=("org_name",),
    )
