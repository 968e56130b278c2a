"""The patients of a block: who they are, and the chronic illness they bring.

Age, sex, race, insurance and language follow the mix published for MIMIC-IV and counted in its open demo. Chronic
conditions are drawn by age, then tied together (a kidney fails after years of diabetes, a heart attack needs coronary
disease), so that diagnoses, drugs and results of one patient tell one story.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assets.synthetic.draws import Bools, Choice, Draws, Fixed, Floats, Ints, Singles, exp
from assets.synthetic.identifiers import BLOCK, subject_ids
from assets.synthetic.word_lists import ANALYTES, GROUP, GROUPS, conditions

YEAR_GROUPS = ("2008 - 2010", "2011 - 2013", "2014 - 2016", "2017 - 2019", "2020 - 2022")
_YEAR_GROUP = Choice([27, 21, 19, 18, 15])

RACES: tuple[tuple[str, float], ...] = (
    ("WHITE", 61), ("BLACK/AFRICAN AMERICAN", 13), ("OTHER", 3.5), ("WHITE - OTHER EUROPEAN", 2.6),
    ("ASIAN", 1.6), ("ASIAN - CHINESE", 1.6), ("HISPANIC/LATINO - PUERTO RICAN", 1.9),
    ("HISPANIC/LATINO - DOMINICAN", 1.4), ("HISPANIC OR LATINO", 1.5), ("WHITE - RUSSIAN", 1.2),
    ("BLACK/CAPE VERDEAN", 1.2), ("PORTUGUESE", 0.7), ("WHITE - BRAZILIAN", 0.6), ("HISPANIC/LATINO - CUBAN", 0.4),
    ("ASIAN - SOUTH EAST ASIAN", 0.7), ("ASIAN - ASIAN INDIAN", 0.6), ("HISPANIC/LATINO - SALVADORAN", 0.6),
    ("HISPANIC/LATINO - GUATEMALAN", 0.4), ("AMERICAN INDIAN/ALASKA NATIVE", 0.25), ("BLACK/AFRICAN", 0.7),
    ("UNKNOWN", 4.2), ("UNABLE TO OBTAIN", 0.9), ("PATIENT DECLINED TO ANSWER", 0.6),
)  # fmt: skip
"""The last three say that it is not known (`noise_ops.faults`, 40)."""
LANGUAGES: tuple[tuple[str, float], ...] = (
    ("English", 88), ("Spanish", 3.5), ("Russian", 1.6), ("Chinese", 1.3), ("Kabuverdianu", 0.9), ("Portuguese", 0.7),
    ("Haitian", 0.7), ("Vietnamese", 0.5), ("Italian", 0.3), ("Modern Greek (1453-)", 0.3), ("Other", 0.7), ("?", 1.5),
)  # fmt: skip
INSURANCES = ("Medicare", "Private", "Medicaid", "Other", "No charge")
MARITAL = ("MARRIED", "SINGLE", "WIDOWED", "DIVORCED")

_RACE = Choice([share for _, share in RACES])
_LANGUAGE = Choice([share for _, share in LANGUAGES])

# Spread of a patient's own level around the norm, on the logarithm; 0.1 where nothing better is known.
_OWN_SPREAD = {
    "creatinine": 0.17, "bun": 0.2, "potassium": 0.05, "sodium": 0.01, "chloride": 0.015, "bicarb": 0.045,
    "glucose": 0.08, "calcium": 0.02, "hemoglobin": 0.085, "wbc": 0.22, "platelets": 0.22, "inr": 0.035, "ptt": 0.07,
    "lactate": 0.15, "ph": 0.002, "pco2": 0.06, "po2": 0.08, "alt": 0.3, "ast": 0.22, "bilirubin": 0.3,
    "albumin": 0.06, "tsh": 0.4, "a1c": 0.05, "bnp": 0.6, "troponin": 0.1, "ferritin": 0.6, "mcv": 0.045, "crp": 0.6,
    "triglycerides": 0.35, "cholesterol": 0.15, "eosinophils": 0.5, "neutrophils": 0.1, "none": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class People:
    """Patients as arrays, one row each, in order of subject_id."""

    number: Ints
    """Place in the hospital, from 0."""
    subject_id: Ints
    female: Bools
    age: Ints
    """At the anchor year."""
    anchor_year: Ints
    year_group: Ints
    real_year: Ints
    """What the anchor year really was: it decides ICD version and whether the electronic drug chart was in use."""
    chronic: Bools
    """[patient, diagnosis group]"""
    burden: Ints
    """Number of grave chronic conditions."""
    height_cm: Floats
    weight_kg: Floats
    warfarin: Bools
    race: Ints
    language: Ints
    marital: Ints
    insurance: Ints


_GRAVE = (
    "heart_failure", "atrial_fibrillation", "copd", "chronic_kidney_disease", "end_stage_renal_disease", "cirrhosis",
    "metastatic_cancer", "leukemia", "multiple_myeloma", "diabetes", "ischemic_heart_disease", "alcohol_disorder",
    "opioid_disorder", "schizophrenia", "dementia",
)  # fmt: skip


def _chronic(rng: Draws, age: Ints, female: Bools) -> Bools:
    """Which chronic conditions each patient has."""
    known = conditions()
    n = len(age)
    has = np.zeros((n, len(GROUPS)), dtype=bool)
    decades = (age - 60) / 10.0
    for g in np.flatnonzero(known.chronic):
        has[:, g] = rng.chance(n, known.prevalence[g] * np.clip(1 + known.per_decade[g] * decades, 0.03, 3.0))

    def tie(effect: str, causes: str | tuple[str, ...], probability: float) -> None:
        for cause in (causes,) if isinstance(causes, str) else causes:
            has[:, GROUP[effect]] |= has[:, GROUP[cause]] & rng.chance(n, probability)

    tie("diabetes", "type_1_diabetes", 1.0)
    tie("essential_hypertension", ("diabetes", "ischemic_heart_disease", "chronic_kidney_disease"), 0.45)
    tie("hyperlipidemia", ("ischemic_heart_disease", "diabetes"), 0.35)
    tie("ischemic_heart_disease", "diabetes", 0.12)
    tie("chronic_kidney_disease", ("diabetes", "heart_failure"), 0.12)
    tie("chronic_kidney_disease", ("end_stage_renal_disease", "multiple_myeloma"), 0.9)
    has[:, GROUP["chronic_kidney_disease"]] |= has[:, GROUP["end_stage_renal_disease"]]
    tie("heart_failure", ("ischemic_heart_disease", "aortic_valve_disease", "atrial_fibrillation"), 0.15)
    tie("atrial_fibrillation", ("heart_failure", "mitral_valve_disease"), 0.2)
    tie("cirrhosis", "alcohol_disorder", 0.14)
    tie("metastatic_cancer", ("lung_cancer", "breast_cancer", "colorectal_cancer"), 0.35)
    tie("copd", ("tobacco_use", "lung_cancer"), 0.12)
    tie("sleep_apnea", "obesity", 0.18)
    tie("anxiety", "depression", 0.2)
    only_women = GROUP["breast_cancer"]
    has[:, only_women] &= female | rng.chance(n, 0.01)
    has[:, GROUP["tobacco_history"]] &= ~has[:, GROUP["tobacco_use"]]
    # Hypertension is coded with the organ it harmed, never beside it.
    harmed = has[:, GROUP["chronic_kidney_disease"]] | has[:, GROUP["heart_failure"]]
    organ = has[:, GROUP["essential_hypertension"]] & harmed
    has[:, GROUP["hypertensive_heart_kidney"]] = organ
    has[:, GROUP["essential_hypertension"]] &= ~organ
    has[:, GROUP["old_myocardial_infarction"]] = has[:, GROUP["ischemic_heart_disease"]] & rng.chance(n, 0.25)
    has[:, GROUP["dialysis_dependence"]] = has[:, GROUP["end_stage_renal_disease"]]
    has[:, GROUP["long_term_insulin"]] = has[:, GROUP["diabetes"]] & rng.chance(n, 0.42)
    has[:, GROUP["long_term_insulin"]] |= has[:, GROUP["type_1_diabetes"]]
    return has


def own_level(number: Ints, female: Bools, chronic: Bools, seed: int) -> Singles:
    """[patient, analyte]: constitution and chronic illness on the logarithm of each analyte."""
    # Exact: 0 or 1 times multiples of 1/1024, so the order in which a matrix product adds them cannot matter.
    level = (chronic.astype(np.float64) @ conditions().labs).astype(np.float32)
    key = number.astype(np.uint64) * np.uint64(1_000_003) + np.uint64(seed % 1_000_003)
    fixed = Fixed(key)
    for a, name in enumerate(ANALYTES):
        level[:, a] += np.float32(_OWN_SPREAD.get(name, 0.1)) * fixed.normal(a)
    women = female.astype(np.float32)
    level[:, ANALYTES.index("creatinine")] -= np.float32(0.2) * women
    level[:, ANALYTES.index("hemoglobin")] -= np.float32(0.1) * women
    level[:, ANALYTES.index("ferritin")] -= np.float32(0.4) * women
    return level


def people(seed: int, block: int, patients: int) -> People:
    """The patients of one block of a hospital of `patients`."""
    rng = Draws(seed, "people", block)
    number = np.arange(block * BLOCK, min((block + 1) * BLOCK, patients))
    n = len(number)
    female = rng.chance(n, 0.525)
    # Three peaks: births and trauma, middle age, and the old who fill a hospital.
    peak = Choice([17, 31, 52]).draw(rng, n)
    years = np.array([28.0, 50.0, 68.0])[peak] + np.array([6.5, 11.0, 12.5])[peak] * rng.normal(n)
    age = np.clip(np.rint(years), 18, 101).astype(np.int64)
    group = _YEAR_GROUP.draw(rng, n).astype(np.int64)
    real_year = 2008 + 3 * group + rng.below(n, 3)
    chronic = _chronic(rng, age, female)
    grave = chronic[:, [GROUP[name] for name in _GRAVE]]
    height = np.where(female, 162.5, 176.0) + np.where(female, 6.6, 7.2) * rng.normal(n)
    bmi = 26.0 * exp(0.17 * rng.normal(n)) + 8.5 * chronic[:, GROUP["obesity"]] * (0.5 + rng.uniform(n))
    old = age >= 65
    insured = np.where(old & rng.chance(n, 0.88), 0, Choice([10, 46, 22, 20, 2]).draw(rng, n))
    widowed = rng.chance(n, np.clip((age - 55) * 0.011, 0, 0.5) * np.where(female, 1.0, 0.45))
    marital = np.where(widowed, 2, Choice([45, 42, 1, 12]).draw(rng, n))
    marital = np.where((age < 30) & rng.chance(n, 0.6), 1, marital)
    clotting = chronic[:, GROUP["atrial_fibrillation"]] * 0.42 + chronic[:, GROUP["mitral_valve_disease"]] * 0.1
    return People(
        number=number,
        subject_id=subject_ids(number, rng.below(n, 27)),
        female=female,
        age=age,
        anchor_year=2110 + rng.below(n, 88),
        year_group=group,
        real_year=real_year,
        chronic=chronic,
        burden=grave.sum(axis=1).astype(np.int64),
        height_cm=np.clip(np.round(height), 140, 205),
        weight_kg=np.clip(np.round(bmi * height * height / 10000, 1), 38, 230),
        warfarin=rng.chance(n, clotting + 0.01),
        race=_RACE.draw(rng, n).astype(np.int64),
        language=_LANGUAGE.draw(rng, n).astype(np.int64),
        marital=marital.astype(np.int64),
        insurance=insured.astype(np.int64),
    )
