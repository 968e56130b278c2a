"""poe, poe_detail, pharmacy, prescriptions: how an order is entered, checked and dispensed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.columns import ArrowColumn, moments, numbered, pick, real, table, whole, words
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Ints, within
from assets.synthetic.orders import Orders, forms, on_the_hour
from assets.synthetic.word_lists import counted_words

_NON_DRUG_PER_DAY = 6.4
_STOPPED = 0.11
"""Share of orders that an order of its own stops."""
_STATUS = ("Discontinued", "Discontinued via patient discharge", "Expired", "Inactive (Due to a change order)", "H")


@dataclass(frozen=True)
class Entries:
    """The rows of poe, before they become columns."""

    admission: Ints
    time: Ints
    kind: Ints
    """Place in `_kinds()`; 0 is Medications."""
    sequence: Ints
    stops: Ints
    """Row that this one stops or changes; −1 if none."""
    stopped_by: Ints
    transaction: Ints
    drug_rows: Ints
    """Row of poe of each drug order."""


@cache
def _kinds() -> tuple[list[str], list[str | None], Choice]:
    """Order types and subtypes, drugs first, and how often each of the others occurs."""
    counted = [(kind, subtype, float(n)) for kind, subtype, n in counted_words()["poe"]]
    return (
        ["Medications", *(kind for kind, _, _ in counted)],
        [None, *(subtype for _, subtype, _ in counted)],
        Choice([n for _, _, n in counted]),
    )


def entries(block: Block, rng: Draws, drugs: Orders) -> Entries:
    """All orders of the block's admissions, numbered by patient in time."""
    adm = block.adm
    in_icu = np.zeros(len(adm.patient))
    in_icu[block.icu.admission] = 0.45
    count = 5 + adm.hours / 24 * _NON_DRUG_PER_DAY * (1 + in_icu) * (0.5 + 0.5 * rng.exponential(len(adm.patient)))
    other, _ = within(np.minimum(count, 900).astype(np.int64))
    at = _early(rng, len(other))
    when = adm.admit[other] + np.floor(at * (adm.discharge - adm.admit)[other]).astype(np.int64)
    kind = 1 + _kinds()[2].draw(rng, len(other)).astype(np.int64)
    admission = np.concatenate([drugs.admission, other])
    time = np.concatenate([drugs.ordertime, when])
    what = np.concatenate([np.zeros(len(drugs), np.int64), kind])
    base = len(admission)
    # An order that stops another is entered when the other ends.
    replaced = np.concatenate([drugs.replaced_by >= 0, np.zeros(len(other), bool)])
    stopped = np.flatnonzero(rng.chance(base, _STOPPED) & ~replaced)
    drug_end = np.where(stopped < len(drugs), drugs.stop[np.minimum(stopped, max(len(drugs) - 1, 0))], 0)
    left = adm.discharge[admission[stopped]] - time[stopped]
    other_end = time[stopped] + np.floor(rng.uniform(len(stopped)) * np.maximum(left, 60)).astype(np.int64)
    end = np.maximum(np.where(drug_end > 0, drug_end, other_end), time[stopped] + 30)
    admission = np.concatenate([admission, admission[stopped]])
    time = np.concatenate([time, end])
    what = np.concatenate([what, what[stopped]])
    stops = np.full(len(admission), -1, np.int64)
    stops[: len(drugs)] = drugs.replaces
    stops[base:] = stopped
    transaction = np.zeros(len(admission), np.int64)
    transaction[: len(drugs)] = np.where(drugs.replaces >= 0, 1, 0)
    transaction[base:] = 2
    order = np.lexsort((np.arange(len(admission)), time, adm.patient[admission]))
    row_of = np.empty(len(order), np.int64)
    row_of[order] = np.arange(len(order))
    stops_row = np.where(stops[order] >= 0, row_of[np.maximum(stops[order], 0)], -1)
    stopped_by = np.full(len(order), -1, np.int64)
    some = np.flatnonzero(stops_row >= 0)
    stopped_by[stops_row[some]] = some
    patient = adm.patient[admission[order]]
    _, sequence = within(np.bincount(patient, minlength=len(block.who.number)))
    return Entries(
        admission=admission[order],
        time=time[order],
        kind=what[order],
        sequence=sequence + 2,
        stops=stops_row,
        stopped_by=stopped_by,
        transaction=transaction[order],
        drug_rows=row_of[: len(drugs)],
    )


def _early(rng: Draws, n: int) -> AnyArray:
    """Places in a stay, more of them near its beginning."""
    u = rng.uniform(n)
    return np.where(rng.chance(n, 0.3), u * 0.08, u)


def poe(block: Block, rng: Draws, done: Entries) -> pa.Table:
    """poe: one row per order."""
    types, subtypes, _ = _kinds()
    subject = block.subject(done.admission)
    n = len(subject)

    def pointer(row: Ints) -> ArrowColumn:
        """The id of another order of the same patient."""
        return numbered(subject, done.sequence[np.maximum(row, 0)], row < 0)

    type_words = sorted(set(types))
    subtype_words = sorted({word for word in subtypes if word})
    type_of = np.array([type_words.index(word) for word in types])
    subtype_of = np.array([subtype_words.index(word) if word else -1 for word in subtypes])
    return table(
        "poe",
        {
            "poe_id": numbered(subject, done.sequence),
            "poe_seq": whole(done.sequence),
            "subject_id": whole(subject),
            "hadm_id": whole(block.adm.hadm_id[done.admission]),
            "ordertime": moments(done.time),
            "order_type": pick(type_of[done.kind], words(type_words)),
            "order_subtype": pick(subtype_of[done.kind], words(subtype_words)),
            "transaction_type": pick(done.transaction, words(["New", "Change", "D/C"])),
            "discontinue_of_poe_id": pointer(done.stops),
            "discontinued_by_poe_id": pointer(done.stopped_by),
            "order_provider_id": pick(rng.below(n, block.providers), block.provider_ids),
            "order_status": pick(np.zeros(n, np.int8), words(["Inactive"])),
        },
    )


_FOLEY = "Indwelling urinary catheter (IUC) - Foley"
_DETAIL: dict[str, tuple[tuple[str, tuple[str, ...], float], ...]] = {
    "Admit": (
        ("Admit category", ("Admit to inpatient", "Admit to inpatient", "Place in observation"), 1.0),
        ("Admit to", ("Medicine", "Surgery", "ICU", "Medicine", "ED - Observation", "Neuromed"), 0.9),
    ),
    "Transfer": (("Transfer to", ("Medicine", "Surgery", "ICU", "MICU - Orange", "MICU - Green"), 1.0),),
    "Discharge": (
        ("Discharge Planning", ("Finalized",), 0.5),
        ("Discharge When", ("Discharge Now", "Discharge Now", "Discharge Tomorrow"), 0.4),
    ),
    "Code status": (
        (
            "Code status",
            ("Resuscitate (Full code)", "Full code  (attempt resuscitation)", "Do not resuscitate (DNR/DNI)"),
            1.0,
        ),
    ),
    "Tubes/Drains": (
        (
            "Tubes & Drains type",
            (_FOLEY, _FOLEY, "Chest tube", "NGT", "Closed suction drain"),
            0.85,
        ),
    ),
    "IV access": (("Indication", ("Antibiotics", "Hydration", "TPN", "Blood products- Red cells", "Chemo"), 0.12),),
    "Nutrition consult": (("Level of Urgency", ("Routine (within 24 hours)", "Urgent (within 4 hours)"), 0.4),),
    "Physical Therapy": (("Consult Status", ("Accepted", "Completed"), 0.4),),
    "Diet Order": (("Diet type", ("Regular", "Cardiac/Heart healthy", "Diabetic", "NPO", "Clear liquids"), 0.9),),
    "Telemetry": (("Telemetry indication", ("Arrhythmia", "Chest pain", "Syncope", "Heart failure"), 0.9),),
    "Activity": (("Activity level", ("As tolerated", "Bed rest", "Out of bed to chair"), 0.9),),
    "Vitals/Monitoring": (("Vital sign frequency", ("Every 4 hours", "Every shift", "Every hour"), 0.9),),
    "General Xray": (("Reason for exam", ("Line placement", "Infiltrate", "Interval change"), 0.7),),
}  # fmt: skip
"""Attributes of orders by subtype: name, values, and how often it is there."""


def poe_detail(block: Block, rng: Draws, done: Entries) -> pa.Table:
    """poe_detail: what an order says beyond its type."""
    _, subtypes, _ = _kinds()
    fields: list[str] = []
    values: list[str] = []
    where: list[AnyArray] = []
    field_of: list[AnyArray] = []
    value_of: list[AnyArray] = []
    new = done.transaction == 0
    for subtype, details in _DETAIL.items():
        mine = np.flatnonzero((done.kind == subtypes.index(subtype)) & new)
        for field, alternatives, share in details:
            rows = mine[rng.chance(len(mine), share)]
            where.append(rows)
            field_of.append(np.full(len(rows), len(fields)))
            value_of.append(len(values) + rng.below(len(rows), len(alternatives)))
            fields.append(field)
            values.extend(alternatives)
    row = np.concatenate(where)
    order = np.argsort(row, kind="stable")
    row = row[order]
    subject = block.subject(done.admission[row])
    return table(
        "poe_detail",
        {
            "poe_id": numbered(subject, done.sequence[row]),
            "poe_seq": whole(done.sequence[row]),
            "subject_id": whole(subject),
            "field_name": pick(np.concatenate(field_of)[order], words(fields)),
            "field_value": pick(np.concatenate(value_of)[order], words(values)),
        },
    )


def shown_times(rng: Draws, drugs: Orders) -> tuple[Ints, Ints]:
    """Start and stop as pharmacy and prescriptions show them: to the hour, some the wrong way round."""
    start, stop = on_the_hour(drugs.start), on_the_hour(drugs.stop)
    stop = np.where(stop <= start, start + HOUR, stop)
    u = rng.uniform(len(drugs))
    stop = np.where(u < faults.STOP_BEFORE_START, start - HOUR * (1 + rng.below(len(drugs), 20)), stop)
    equal = (u >= faults.STOP_BEFORE_START) & (u < faults.STOP_BEFORE_START + faults.STOP_EQUALS_START)
    return start, np.where(equal, start, stop)


def pharmacy(block: Block, rng: Draws, drugs: Orders, done: Entries, start: Ints, stop: Ints) -> pa.Table:
    """pharmacy: what the pharmacy made of each order."""
    known = forms()
    form, n = drugs.form, len(drugs)

    def word(name: str, null: Bools | None = None) -> ArrowColumn:
        return pick(known.index[name][form], known.columns[name], null)

    leaving = drugs.stop >= block.adm.discharge[drugs.admission]
    status = np.where(drugs.replaced_by >= 0, 3, np.where(leaving, 1, np.where(known.once[form], 2, 0)))
    entered = drugs.ordertime + rng.below(n, 8)
    subject = block.subject(drugs.admission)
    doses = np.where(known.once[form], 1, 0)
    hours = known.drip[form] & rng.chance(n, 0.2)
    duration = np.where(doses > 0, 1, np.where(hours, 24, 0))
    shelf = np.where(known.intravenous[form], 36, 365)
    return table(
        "pharmacy",
        {
            "subject_id": whole(subject),
            "hadm_id": whole(block.adm.hadm_id[drugs.admission]),
            "pharmacy_id": whole(drugs.pharmacy_id),
            "poe_id": numbered(subject, done.sequence[done.drug_rows]),
            "starttime": moments(start),
            "stoptime": moments(stop),
            "medication": word("medication", rng.chance(n, faults.PHARMACY_MEDICATION_ABSENT)),
            "proc_type": pick(np.maximum(known.index["proc_type"][form], 0), known.columns["proc_type"]),
            "status": pick(status, words(_STATUS)),
            "entertime": moments(entered),
            "verifiedtime": moments(entered + 20 + rng.below(n, 2400), rng.chance(n, 0.0004)),
            "route": word("route"),
            "frequency": word("frequency"),
            "disp_sched": word("disp_sched"),
            "infusion_type": word("infusion_type"),
            "sliding_scale": word("sliding_scale"),
            "doses_per_24_hrs": real(known.per_day[form], known.per_day[form] == 0),
            "duration": real(duration, duration == 0),
            "duration_interval": pick(
                np.where(doses > 0, 1, np.where(hours, 2, 0)), words(["Ongoing", "Doses", "Hours"])
            ),
            "expiration_value": whole(shelf),
            "expiration_unit": pick((shelf == 365).astype(np.int64), words(["Hours", "Days"])),
            "dispensation": word("dispensation"),
        },
    )


def _range(dose: str) -> str:
    """A dose as an order leaves it to the nurse: up to twice as much; as it is where it is no number.

    >>> _range("2.5"), _range("325"), _range("5-10")
    ('2.5-5', '325-650', '5-10')
    """
    return f"{dose}-{2 * float(dose):g}" if dose.replace(".", "", 1).isdigit() and float(dose) < 1000 else dose


def prescriptions(block: Block, rng: Draws, drugs: Orders, done: Entries, start: Ints, stop: Ints) -> pa.Table:
    """prescriptions: each drug of each order; a diluent (BASE) shares the order of its drug (MAIN)."""
    known = forms()
    n = len(drugs)
    mixed = np.flatnonzero(known.intravenous[drugs.form] & rng.chance(n, 0.34))
    twice = np.flatnonzero(rng.chance(n, faults.ORDER_REPEATED * 0.5))
    row = np.concatenate([np.arange(n), mixed, twice])
    form = np.concatenate([drugs.form, known.bases.draw(rng, len(mixed)), drugs.form[twice]])
    order = np.argsort(row, kind="stable")
    row, form = row[order], form[order]
    m = len(row)
    subject = block.subject(drugs.admission[row])

    def word(name: str, null: Bools | None = None) -> ArrowColumn:
        return pick(known.index[name][form], known.columns[name], null)

    drug_words = known.columns["drug"].to_pylist()
    names = words([*drug_words, *(f"{name} " for name in drug_words)])
    spelt = known.index["drug"][form] + np.where(rng.chance(m, faults.DRUG_SPELLING), len(drug_words), 0)
    ndc_words = known.columns["ndc"].to_pylist()
    zero = ndc_words.index("0")
    ndc = np.where(rng.chance(m, faults.NDC_ZERO), zero, known.index["ndc"][form])
    dose_words = known.columns["dose_val_rx"].to_pylist()
    ranged = rng.chance(m, faults.DOSE_RANGE * np.where(known.needed[form], 4.0, 0.5))
    ranges = [_range(word or "") for word in dose_words]
    own = known.index["dose_val_rx"][form]
    dose = np.where(ranged & (own >= 0), len(dose_words) + own, own)
    unit_words = known.columns["dose_unit_rx"].to_pylist()
    unit = known.index["dose_unit_rx"][form]
    grams, gram_word = unit_words.index("g"), unit_words.index("gm")
    unit = np.where((unit == grams) & rng.chance(m, faults.UNIT_SPELLING), gram_word, unit)
    lost = rng.chance(m, faults.POE_ID_LOST)
    sequence = done.sequence[done.drug_rows][row]
    return table(
        "prescriptions",
        {
            "subject_id": whole(subject),
            "hadm_id": whole(block.adm.hadm_id[drugs.admission[row]]),
            "pharmacy_id": whole(drugs.pharmacy_id[row]),
            "poe_id": numbered(subject, sequence, lost),
            "poe_seq": whole(sequence, lost),
            "order_provider_id": pick(rng.below(m, block.providers), block.provider_ids, lost),
            "starttime": moments(start[row]),
            "stoptime": moments(stop[row], rng.chance(m, 0.0008)),
            "drug_type": word("drug_type"),
            "drug": pick(spelt, names),
            "formulary_drug_cd": word("formulary_drug_cd"),
            "gsn": word("gsn"),
            "ndc": pick(ndc, known.columns["ndc"]),
            "prod_strength": word("prod_strength"),
            "form_rx": word("form_rx"),
            "dose_val_rx": pick(dose, words([*dose_words, *ranges])),
            "dose_unit_rx": pick(unit, known.columns["dose_unit_rx"]),
            "form_val_disp": word("form_val_disp"),
            "form_unit_disp": word("form_unit_disp"),
            "doses_per_24_hrs": real(known.per_day[form], known.per_day[form] == 0),
            "route": word("route"),
        },
    )
