"""The hospital's dictionaries and rates, read from `data/*.csv` once."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assets.synthetic.draws import Bools, Floats

FOLDER = Path(__file__).parent / "data"


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """The rows of `data/<name>.csv`."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def counted_words() -> dict[str, list[list[Any]]]:
    """Word lists with how often each was counted in the open demo."""
    with (FOLDER / "words.json").open(encoding="utf-8") as file:
        loaded: dict[str, list[list[Any]]] = json.load(file)
    return loaded


def shares(text: str) -> dict[str, float]:
    """`a:0.5;b:1` as a mapping.

    >>> shares("a:0.5;b:1")
    {'a': 0.5, 'b': 1.0}
    """
    return {name: float(share) for name, _, share in (part.rpartition(":") for part in text.split(";") if part)}


GROUPS: tuple[str, ...] = tuple(row["group"] for row in rows("conditions"))
"""Diagnosis groups, as in data/concepts/diagnoses.csv."""
GROUP: dict[str, int] = {name: i for i, name in enumerate(GROUPS)}

ANALYTES: tuple[str, ...] = (
    "none", "creatinine", "bun", "potassium", "sodium", "chloride", "bicarb", "glucose", "calcium", "magnesium",
    "phosphate", "alt", "ast", "alp", "bilirubin", "albumin", "hemoglobin", "wbc", "platelets", "inr", "ptt",
    "lactate", "ph", "pco2", "po2", "base_excess", "troponin", "ckmb", "bnp", "crp", "lipase", "amylase", "ldh",
    "ck", "tsh", "a1c", "triglycerides", "cholesterol", "ferritin", "iron", "tibc", "mcv", "uric",
    "neutrophils", "eosinophils", "lymphocytes", "bands", "fibrinogen", "osmolality", "urine_sodium",
    "globulin", "protein", "ammonia", "temperature", "fio2", "peep", "saturation",
)  # fmt: skip
"""What the laboratory measures and a condition can move."""
ANALYTE: dict[str, int] = {name: i for i, name in enumerate(ANALYTES)}

FACTORS: tuple[str, ...] = (
    "kidney", "shock", "inflammation", "bleeding", "liver", "breathing", "heart", "brain", "sugar",
)  # fmt: skip
"""What an illness does over time; 1 is a clear case, 2 a grave one."""
FACTOR: dict[str, int] = {name: i for i, name in enumerate(FACTORS)}

INGREDIENTS: tuple[str, ...] = tuple(sorted({r["ingredient"] for r in rows("drug_forms") if r["ingredient"]}))
"""Drugs, as in data/concepts/drugs.csv."""
INGREDIENT: dict[str, int] = {name: i for i, name in enumerate(INGREDIENTS)}

PROCEDURES: tuple[str, ...] = tuple(sorted({name for row in rows("scenarios") for name in shares(row["procedures"])}))
PROCEDURE: dict[str, int] = {name: i for i, name in enumerate(PROCEDURES)}

REASONS: tuple[str, ...] = tuple(row["reason"] for row in rows("scenarios"))
REASON: dict[str, int] = {name: i for i, name in enumerate(REASONS)}

PLANS = ("ED", "OBS", "ELECTIVE", "SURGERY")
"""How an admission comes about."""


def _matrix(column: str, table: str, index: dict[str, int]) -> Floats:
    """One row per row of `table`, one column per name of `index`, from cells like `a:0.5;b:1`."""
    data = rows(table)
    matrix = np.zeros((len(data), len(index)))
    for i, row in enumerate(data):
        for name, share in shares(row[column]).items():
            matrix[i, index[name]] = share
    return matrix


def _in_units(matrix: Floats) -> Floats:
    """Rounded to 1/1024: sums of such numbers are exact, in whichever order a matrix product adds them."""
    return np.rint(matrix * 1024) / 1024


@dataclass(frozen=True)
class Conditions:
    """Diagnosis groups as arrays, one row each."""

    chronic: Bools
    prevalence: Floats
    per_decade: Floats
    coded: Floats
    labs: Floats
    """[group, analyte]: change of the logarithm of the value."""
    drugs: Floats
    """[group, ingredient]: probability of an order."""


@cache
def conditions() -> Conditions:
    """`data/conditions.csv`."""
    data = rows("conditions")
    return Conditions(
        chronic=np.array([row["kind"] == "chronic" for row in data]),
        prevalence=np.array([float(row["p60"]) for row in data]),
        per_decade=np.array([float(row["per_decade"]) for row in data]),
        coded=np.array([float(row["coded"]) for row in data]),
        labs=_in_units(_matrix("labs", "conditions", ANALYTE)),
        drugs=_in_units(_matrix("drugs", "conditions", INGREDIENT)),
    )


@dataclass(frozen=True)
class Scenarios:
    """Reasons for an admission as arrays, one row each."""

    weight: Floats
    icu: Floats
    days: Floats
    death: Floats
    age: Floats
    spread: Floats
    plan: Floats
    women_only: Bools
    men_only: Bools
    favours: Bools
    """[scenario, group]"""
    principal: Floats
    """The group that the principal diagnosis belongs to; −1 where the scenario names codes of its own."""
    course: Floats
    """[scenario, factor]"""
    problems: Floats
    """[scenario, group]: probability that it complicates the admission."""
    procedures: Floats
    drugs: Floats


@cache
def scenarios() -> Scenarios:
    """`data/scenarios.csv`."""
    data = rows("scenarios")
    favours = np.zeros((len(data), len(GROUPS)), dtype=bool)
    for i, row in enumerate(data):
        for name in filter(None, row["favours"].split(";")):
            favours[i, GROUP[name]] = True
    return Scenarios(
        weight=np.array([float(row["weight"]) for row in data]),
        icu=np.array([float(row["icu"]) for row in data]),
        days=np.array([float(row["days"]) for row in data]),
        death=np.array([float(row["death"]) for row in data]),
        age=np.array([float(row["age"]) for row in data]),
        spread=np.array([float(row["spread"]) for row in data]),
        plan=np.array([PLANS.index(row["plan"]) for row in data], dtype=np.float64),
        women_only=np.array([row["sex"] == "F" for row in data]),
        men_only=np.array([row["sex"] == "M" for row in data]),
        favours=favours,
        principal=np.array([GROUP.get(row["principal"], -1) for row in data], dtype=np.float64),
        course=_in_units(_matrix("course", "scenarios", FACTOR)),
        problems=_in_units(_matrix("problems", "scenarios", GROUP)),
        procedures=_in_units(_matrix("procedures", "scenarios", PROCEDURE)),
        drugs=_in_units(_matrix("drugs", "scenarios", INGREDIENT)),
    )
