"""Tables that are generated together, because they share what is costly to compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from assets.synthetic import (
    bedside,
    charting,
    clinic,
    coding,
    drug_chart,
    entry,
    infusions,
    laboratory,
    microbiology,
    orders,
    register,
)
from assets.synthetic.block import Block


@dataclass(frozen=True)
class Family:
    """Tables that one pass over a block of patients fills."""

    tables: tuple[str, ...]
    make: Callable[[Block], dict[str, pa.Table]]


def _measurements(block: Block) -> dict[str, pa.Table]:
    """The laboratory, and the flow sheet that copies it."""
    rng = block.draws("labevents")
    drawn, found = laboratory.results(block, rng)
    return {
        "labevents": laboratory.labevents(block, rng, drawn, found),
        "chartevents": charting.chartevents(block, block.draws("chartevents"), drawn, found),
    }


def _drugs(block: Block) -> dict[str, pa.Table]:
    """The order, its check, its delivery, and the dose at the bedside."""
    rng = block.draws("orders")
    drugs = orders.drug_orders(block, rng)
    done = entry.entries(block, rng, drugs)
    start, stop = entry.shown_times(rng, drugs)
    given = drug_chart.doses(block, rng, drugs)
    return {
        "poe": entry.poe(block, rng, done),
        "poe_detail": entry.poe_detail(block, rng, done),
        "pharmacy": entry.pharmacy(block, rng, drugs, done, start, stop),
        "prescriptions": entry.prescriptions(block, rng, drugs, done, start, stop),
        "emar": drug_chart.emar(block, rng, drugs, done, given),
        "emar_detail": drug_chart.emar_detail(block, rng, drugs, given),
    }


def _bedside(block: Block) -> dict[str, pa.Table]:
    """What ran in, what ran out, and what was done in the ICU."""
    rng = block.draws("inputevents")
    given = infusions.inputs(block, rng)
    return {
        "inputevents": infusions.inputevents(block, rng, given),
        "ingredientevents": infusions.ingredientevents(block, rng, given),
        "outputevents": bedside.outputevents(block),
        "procedureevents": bedside.procedureevents(block),
        "datetimeevents": bedside.datetimeevents(block),
    }


def _registered(block: Block) -> dict[str, pa.Table]:
    """Registration, coding, billing, clinic and microbiology."""
    return {
        "patients": register.patients(block),
        "admissions": register.admissions(block),
        "transfers": register.transfers(block),
        "services": register.services(block),
        "icustays": register.icustays(block),
        "diagnoses_icd": coding.diagnoses(block),
        "procedures_icd": coding.procedures(block),
        "drgcodes": coding.drgs(block),
        "hcpcsevents": coding.hcpcs(block),
        "omr": clinic.omr(block),
        "microbiologyevents": microbiology.microbiologyevents(block),
    }


FAMILIES: dict[str, Family] = {
    "measurements": Family(("labevents", "chartevents"), _measurements),
    "drugs": Family(("poe", "poe_detail", "pharmacy", "prescriptions", "emar", "emar_detail"), _drugs),
    "bedside": Family(
        ("inputevents", "ingredientevents", "outputevents", "procedureevents", "datetimeevents"), _bedside
    ),
    "register": Family(
        (
            "patients", "admissions", "transfers", "services", "icustays", "diagnoses_icd", "procedures_icd",
            "drgcodes", "hcpcsevents", "omr", "microbiologyevents",
        ),
        _registered,
    ),
}  # fmt: skip
"""Costliest first, so that two workers finish together."""
